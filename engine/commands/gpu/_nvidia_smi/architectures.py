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
    """Compute capability, versions of the infoROM's OEM and ECC objects, C2C mode, and how thermal limits are given."""

    compute_capability: str
    oem_object: str
    ecc_object: str
    chip_to_chip: str
    limits_as_margins: bool = True


ARCHITECTURES: Mapping[str, Architecture] = MappingProxyType(
    {
        "Ampere": Architecture("8.0", "2.0", "6.16", "N/A", limits_as_margins=False),
        "Ada Lovelace": Architecture("8.9", "2.1", "6.16", "N/A"),
        "Hopper": Architecture("9.0", "2.1", "7.16", "Disabled"),
        "Blackwell": Architecture("10.0", "2.1", "7.16", "Disabled"),
    }
)


def architecture(product: GpuProduct) -> Architecture:
    """The architecture of a GPU model; an unknown one is taken for the newest."""
    return ARCHITECTURES.get(product.architecture, ARCHITECTURES["Blackwell"])
