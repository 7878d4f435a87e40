"""Names of PCI vendors, devices, subsystems and classes: what the public PCI ID database says of exactly the parts that
our sites have.

Source: pci.ids of late 2025 (pci-ids.ucw.cz). Facts only; whatever is not here is shown by its number, as with the real
database.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

VENDORS: Mapping[str, str] = MappingProxyType(
    {
        "1000": "Broadcom / LSI",
        "10de": "NVIDIA Corporation",
        "1344": "Micron Technology Inc",
        "144d": "Samsung Electronics Co Ltd",
        "15b3": "Mellanox Technologies",
        "1a03": "ASPEED Technology, Inc.",
        "1e0f": "KIOXIA Corporation",
        "8086": "Intel Corporation",
        "ffff": "Illegal Vendor ID",
    }
)

DEVICES: Mapping[str, str] = MappingProxyType(
    {
        "1000:c030": "PEX890xx PCIe Gen 5 Switch",
        "10de:22a3": "GH100 [H100 NVSwitch]",
        "10de:2330": "GH100 [H100 SXM5 80GB]",
        "10de:2335": "GH100 [H200 SXM 141GB]",
        "10de:2342": "GH100 [GH200 120GB / 480GB]",
        "10de:2901": "GB100 [B200]",
        "1344:51c3": "7450 PRO NVMe SSD",
        "144d:a80a": "NVMe SSD Controller PM9A1/PM9A3/980PRO",
        "15b3:1017": "MT27800 Family [ConnectX-5]",
        "15b3:101d": "MT2892 Family [ConnectX-6 Dx]",
        "15b3:101e": "ConnectX Family mlx5Gen Virtual Function",
        "15b3:1021": "MT2910 Family [ConnectX-7]",
        "15b3:a2dc": "MT43244 BlueField-3 integrated ConnectX-7 network controller",
        "1a03:1150": "AST1150 PCI-to-PCI Bridge",
        "1a03:2000": "ASPEED Graphics Family",
        "1e0f:0007": "NVMe SSD Controller Cx6",
        "8086:09a2": "Ice Lake Memory Map/VT-d",
        "8086:1563": "Ethernet Controller X550",
    }
)

# (device, subsystem) -> name of the subsystem
SUBSYSTEMS: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("1000:c030", "1000:0144"): "PEX89144 PCIe Gen 5 72 port/144 lane Switch Upstream/Downstream Port",
        ("1e0f:0007", "1e0f:0001"): "Generic NVMe CM6",
        ("8086:1563", "8086:0001"): "Ethernet Converged Network Adapter X550-T2",
    }
)

# base class and subclass -> name
CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "0107": "Serial Attached SCSI controller",
        "0108": "Non-Volatile memory controller",
        "0200": "Ethernet controller",
        "0207": "Infiniband controller",
        "0300": "VGA compatible controller",
        "0302": "3D controller",
        "0600": "Host bridge",
        "0601": "ISA bridge",
        "0604": "PCI bridge",
        "0680": "Bridge",
        "0880": "System peripheral",
        "0c05": "SMBus",
    }
)

# base class alone -> name, for a subclass that has none of its own
BASE_CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "01": "Mass storage controller",
        "02": "Network controller",
        "03": "Display controller",
        "06": "Bridge",
        "08": "Generic system peripheral",
        "0c": "Serial bus controller",
        "ff": "Unassigned class",
    }
)

# class and programming interface -> name
PROGRAMMING_INTERFACES: Mapping[str, str] = MappingProxyType(
    {
        "010802": "NVM Express",
        "030000": "VGA controller",
        "060400": "Normal decode",
        "060401": "Subtractive decode",
    }
)


def device_name(ids: str) -> str | None:
    """The name of a device by its ids, such as 10de:2330; None if the database has none."""
    return DEVICES.get(ids)


def subsystem_name(ids: str, subsystem: str) -> str | None:
    """The name of a subsystem of a device; a board that bears its chip's own ids bears the chip's name."""
    return SUBSYSTEMS.get((ids, subsystem)) or (DEVICES.get(ids) if ids == subsystem else None)


def class_name(code: str) -> tuple[str | None, bool]:
    """The name of a class such as 0302, and whether it is exact (else it is the name of the base class)."""
    exact = CLASSES.get(code)
    return (exact, True) if exact else (BASE_CLASSES.get(code[:2]), False)
