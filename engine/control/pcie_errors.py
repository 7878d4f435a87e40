"""Errors of PCIe links as the kernel tells them: advanced error reporting (AER).

A link with bad signals is mended by its own protocol: a receiver counts a bad symbol (RxErr) or a packet with a wrong
checksum (BadTLP, BadDLLP), asks for it again, and the sender's replay timer may run out (Timeout) or its replays roll
over (Rollover). Whoever noticed tells the root port, and the kernel writes four lines and counts (forms and names:
drivers/pci/pcie/aer.c of Linux 6.8; physical layer: RxErr alone). Each replay also counts on the GPU. How the kinds are
shared out, that one in five comes in a group, and that both ends notice as often, are guesses.
"""

from __future__ import annotations

from dataclasses import replace

from engine.control import journald
from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import pcie
from engine.physics.config_space import writing
from engine.world.bus_events import PcieErrorsDue
from engine.world.inventory import PcieDevice
from engine.world.records import BootPhase, Priority
from engine.world.world import World

CORRECTABLE = "correctable"


@dataclass(frozen=True, slots=True)
class Kind:
    """A correctable error: its bit, its layer, who notices it, and whether a packet is sent again."""

    name: str
    bit: int
    layer: str
    agent: str
    replays: bool


_KINDS = (
    Kind("RxErr", 0, "Physical Layer", "Receiver ID", False),
    Kind("BadTLP", 6, "Data Link Layer", "Receiver ID", True),
    Kind("BadDLLP", 7, "Data Link Layer", "Receiver ID", False),
    Kind("Timeout", 12, "Data Link Layer", "Transmitter ID", True),
)
_OFTEN = (0, 0, 0, 1, 1, 1, 1, 2, 3)
_GROUPS = 5


def spoil(simulation: Simulation[World], node: str, address: str, every: int) -> None:
    """The link above a function has bad signals from now on: an error about every `every` ns (0: it is sound)."""
    since = simulation.now
    simulation.world.pcie_links.update(f"{node}/{address}", errors_every=every, errors_since=since)
    if every:
        _expect(simulation, PcieErrorsDue(node, address, since, 0), every)


def counted(world: World, node: str, address: str, severity: str, name: str) -> int:
    """How many errors of a kind the kernel has counted of a function since it started."""
    kept = world.pci_functions[f"{node}/{address}"].counted
    return next((count for kind, what, count in kept if (kind, what) == (severity, name)), 0)


def _expect(simulation: Simulation[World], event: PcieErrorsDue, every: int) -> None:
    chance = hash64(simulation.world.seed, "pcie errors", event.node, event.address, event.since, event.number)
    simulation.schedule(event, max(SECOND, every // 2 + chance % (every + 1)))


def _due(simulation: Simulation[World], event: PcieErrorsDue) -> None:
    world = simulation.world
    state = world.pcie_links[f"{event.node}/{event.address}"]
    if not state.errors_every or state.errors_since != event.since:
        return
    phase = world.nodes[event.node].phase
    if phase in (BootPhase.SERVICES, BootPhase.RUNNING) and pcie.answers(world, event.node, event.address):
        _report(simulation, event)
    _expect(simulation, replace(event, number=event.number + 1), state.errors_every)


def _report(simulation: Simulation[World], event: PcieErrorsDue) -> None:
    """One end of the link has noticed; the kernel writes it down unless it was told not to listen."""
    world, node = simulation.world, simulation.world.inventory.node(event.node)
    chance = hash64(world.seed, "pcie error", event.node, event.address, event.since, event.number)
    kind, below = _KINDS[_OFTEN[chance % len(_OFTEN)]], node.devices[event.address]
    agent = below if chance >> 8 & 1 or below.parent is None else node.devices[below.parent]
    gpu = pcie.gpu_at(world, event.node, event.address)
    if gpu and kind.replays:
        world.gpus.update(gpu.id, pcie_replays=world.gpus[gpu.id].pcie_replays + 1)
    mask = writing.register(world, event.node, agent.address, "error_reporting", "CEMsk") or 0
    reports = writing.field(world, event.node, agent.address, "express", "DevCtl", "CorrErr")
    if mask >> kind.bit & 1 or not reports:
        return
    _count(world, event.node, agent.address, kind)
    root = node.path_to_root(event.address)[-1].address
    several = "Multiple " if (chance >> 16) % _GROUPS == 0 else ""
    head = f"pcieport {root}: AER: {several}Corrected error message received from {agent.address}"
    for priority, text in ((Priority.INFO, head), *((Priority.WARNING, line) for line in _lines(agent, kind, mask))):
        journald.kernel(simulation, event.node, text, priority)


def _lines(agent: PcieDevice, kind: Kind, mask: int) -> tuple[str, ...]:
    name = f"{agent.driver or 'pci'} {agent.address}"
    return (
        f"{name}: PCIe Bus Error: severity=Corrected, type={kind.layer}, ({kind.agent})",
        f"{name}:   device [{agent.ids}] error status/mask={1 << kind.bit:08x}/{mask:08x}",
        f"{name}:    [{kind.bit:2}] {kind.name:<22}{'' if kind.bit else ' (First)'}",
    )


def _count(world: World, node: str, address: str, kind: Kind) -> None:
    key, name = f"{node}/{address}", kind.name
    others = tuple(each for each in world.pci_functions[key].counted if each[:2] != (CORRECTABLE, name))
    now = counted(world, node, address, CORRECTABLE, name) + 1
    world.pci_functions.update(key, counted=tuple(sorted((*others, (CORRECTABLE, name, now)))))


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((PcieErrorsDue, _due),)
