"""The network cards of a host as MFT's tools name them, and how a name that a person types is understood.

`mst start` makes /dev/mst/mt4129_pciconf0 for the first card on the bus, `...pciconf0.1` for its second function; the
tools also take `mlx5_0`, `0000:18:00.0` and `18:00.0`, with or without mst. Numbers go up in the order of the bus
(captures of `mst status`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.commands.context import Context
from engine.control import modules
from engine.kernel.quick_dataclass import dataclass
from engine.world.adapters import function_number
from engine.world.inventory import Hca

CONFIGURATION_MODULE = "mst_pciconf"


@dataclass(frozen=True, slots=True)
class Card:
    """What is printed on a card: part number with its revisions, description."""

    part: str
    description: str


_CARDS: Mapping[str, Card] = MappingProxyType(
    {
        "MT_0000000838": Card(
            "MCX75310AAS-NEA_Ax",
            "NVIDIA ConnectX-7 HHHL Adapter card; 400GbE / NDR IB (default mode); Single-port OSFP; PCIe 5.0 x16; "
            "Crypto Disabled; Secure Boot Enabled;",
        ),
        "MT_0000000892": Card(
            "MCX755206AS-NEA_Ax",
            "NVIDIA ConnectX-7 HHHL Adapter Card; 400GbE / NDR IB (default mode); Dual-port QSFP112; PCIe 5.0 x16 with "
            "x16 PCIe extension option; Crypto Disabled; Secure Boot Enabled;",
        ),
    }
)
_UNKNOWN = Card("N/A", "N/A")
_CHIPS = MappingProxyType({4115: "ConnectX4", 4119: "ConnectX5", 4123: "ConnectX6", 4129: "ConnectX7"})


def started(context: Context) -> bool:
    """Whether mst runs: its module is loaded, and /dev/mst has the devices."""
    return modules.is_loaded(context.world, context.host, CONFIGURATION_MODULE)


def adapters(context: Context) -> list[Hca]:
    """All functions of all cards, in the order of the bus."""
    return sorted(context.node.hcas, key=lambda hca: hca.address)


def first_functions(context: Context) -> list[Hca]:
    """One device for each card, in the order of the bus."""
    return [hca for hca in adapters(context) if not function_number(hca)]


def chip_number(hca: Hca) -> int:
    """4129 of a ConnectX-7."""
    return int(hca.pci_id.partition(":")[2], 16)


def chip(hca: Hca) -> str:
    """`ConnectX7`."""
    return _CHIPS.get(chip_number(hca), "NA")


def printed(hca: Hca) -> Card:
    """What is printed on the card of a device."""
    return _CARDS.get(hca.board_id, _UNKNOWN)


def path(context: Context, hca: Hca) -> str:
    """`/dev/mst/mt4129_pciconf0`."""
    slots = [each.address.rpartition(".")[0] for each in first_functions(context)]
    number, function = slots.index(hca.address.rpartition(".")[0]), function_number(hca)
    return f"/dev/mst/mt{chip_number(hca)}_pciconf{number}" + (f".{function}" if function else "")


def find(context: Context, name: str) -> Hca | None:
    """The device that a person means, or None; those of /dev/mst are only there while mst runs."""
    for hca in adapters(context):
        short = hca.address.removeprefix("0000:")
        if name in (hca.name, hca.address, short):
            return hca
        own = path(context, hca)
        if name in (own, own.rpartition("/")[2]) and started(context):
            return hca
    return None


def trouble(context: Context, name: str) -> str:
    """Why a device could not be opened, as strerror(3) says it."""
    return "No such file or directory" if context.is_root or find(context, name) is None else "Permission denied"


def opened(context: Context, name: str) -> Hca | None:
    """The device, if it can be opened; only root can."""
    return find(context, name) if context.is_root else None
