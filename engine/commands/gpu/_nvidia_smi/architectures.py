"""What follows from a GPU's architecture rather than from its model.

Source: `nvidia-smi -q` and `-q -x` captures of A100, H100, L40S, B200 and GB200 boards (drivers 570 to 595), which
agree within an architecture.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.world.inventory import GpuProduct


@dataclass(frozen=True, slots=True)
class Architecture:
    """Compute capability, versions of the infoROM's OEM and ECC objects, C2C mode, how thermal limits are given, and
    what else differs: `sparse` operation mode, whether the driver tells of PCIe `atomics` and of the platform, what
    drivers before 580 call the display mode, the answer about power smoothing (to people without rights), the last of
    an NVLink's capabilities, whether it registers with the NVLink fabric, whether it gives a mean of its power draw
    (the man page: not A100), and the firmware of its NVLinks by name.
    """

    compute_capability: str
    oem_object: str
    ecc_object: str
    chip_to_chip: str
    limits_as_margins: bool = True
    sparse: str | None = None
    atomics: bool = False
    tells_platform: bool = False
    display_mode: bool = True
    power_smoothing: str | None = None
    link_is_supported: bool = True
    registers: bool = True
    mean_power: bool = True
    link_firmware: tuple[tuple[str, str], ...] = ()


ARCHITECTURES: Mapping[str, Architecture] = MappingProxyType(
    {
        "Ampere": Architecture(
            "8.0",
            "2.0",
            "6.16",
            "N/A",
            limits_as_margins=False,
            link_is_supported=False,
            registers=False,
            mean_power=False,
        ),
        "Ada Lovelace": Architecture("8.9", "2.1", "6.16", "N/A", registers=False),
        "Hopper": Architecture("9.0", "2.1", "7.16", "Disabled", sparse="Disabled", atomics=True, display_mode=False),
        "Blackwell": Architecture(
            "10.0",
            "2.1",
            "7.16",
            "Disabled",
            atomics=True,
            tells_platform=True,
            display_mode=False,
            power_smoothing="Insufficient Permissions",
            link_firmware=(
                ("MSE", "14:4:0"),
                ("NETIR", "36:2014:1862"),
                ("NETIR UPHY", "7:0:0"),
                ("NETIR CLN", "0:9:0"),
                ("NETIR DLN", "0:9:0"),
            ),
        ),
    }
)


def architecture(product: GpuProduct) -> Architecture:
    """The architecture of a GPU model; an unknown one is taken for the newest."""
    return ARCHITECTURES.get(product.architecture, ARCHITECTURES["Blackwell"])
