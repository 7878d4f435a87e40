"""SXids: what the driver says of NVSwitches, and which of their ports the GPUs hang on.

Form: NVSWITCH_PRINT_SXID, intr_nvswitch.h and error_nvswitch.c of the open kernel modules, compared with captures of
20034 and 22013. Guesses: the port numbers of the NVSwitches, and the data words of all but those two.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.control import journald
from engine.control.xid import catalogue
from engine.kernel.simulation import Simulation
from engine.world.inventory import GpuProduct, Node
from engine.world.records import Priority
from engine.world.world import World

LTSSM_FAULT_UP = 20034

_DATA_WORDS = 9
_KNOWN_DATA = {LTSSM_FAULT_UP: (0x10000000, 0x10000000, 0, 0x10000000)}
_SWITCH_PORTS = 64
_SEVERITY = {"nonfatal": (0, "Non-fatal"), "fatal": (1, "Fatal"), "contained": (1, "Fatal")}


def switch_ports(node: Node, product: GpuProduct, module: int) -> Iterator[tuple[int, int]]:
    """(NVSwitch, port) of each NVLink of the GPU in socket `module`: an H100's 18 links are spread 5, 4, 4, 5."""
    chips = len(node.nvswitches)
    if not chips:
        return
    least, extra = divmod(product.nvlinks, chips)
    outermost = [index for pair in zip(range(chips), reversed(range(chips)), strict=True) for index in pair][:extra]
    for chip in range(chips):
        count = least + (chip in outermost)
        first = _SWITCH_PORTS - count * len(node.gpus)
        yield from ((chip, first + (module - 1) * count + link) for link in range(count))


def report_sxid(simulation: Simulation[World], node: Node, switch: int, link: int, number: int) -> None:
    """An NVSwitch reports an SXid of one of its ports."""
    entry = catalogue.sxids()[number]
    severity, word = _SEVERITY[entry.severity or "nonfatal"]
    known = _KNOWN_DATA.get(number, (1 << (number % 16), 1 << (number % 16), 0, 1 << (number % 16)))
    data = ", ".join(f"0x{each:08x}" for each in (*known, *[0] * (_DATA_WORDS - len(known))))
    start = f"nvidia-nvswitch{switch}: SXid (PCI:{node.nvswitches[switch].address}): {number:05d}, "
    for text in (
        f"{word}, Link {link:02d} {entry.text}",
        f"Severity {severity} Engine instance {link:02d} Sub-engine instance 00",
        f"Data {{{data}}}",
    ):
        journald.kernel(simulation, node.name, start + text, Priority.ERR)


def report_link_fault(simulation: Simulation[World], node: Node, switch: int, link: int) -> None:
    """An NVSwitch says that what was at the other end of a port has gone."""
    report_sxid(simulation, node, switch, link, LTSSM_FAULT_UP)
