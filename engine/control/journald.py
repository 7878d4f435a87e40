"""The journal of a host: what was recorded since the site's start, in one row with the past that is made when looked
at.

The kernel's ring buffer (dmesg) is the kernel's part of the current boot. Nothing of it is lost: a DGX's buffer is
large.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.control import kernel_image
from engine.control.history.journal import Piece, boot_pieces, past_pieces
from engine.control.history.past import past_boots
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.kernel.units import MICROSECOND
from engine.world.records import BootPhase, BootRecord, LogEntry, Priority
from engine.world.world import World

_APART = 3 * MICROSECOND


@dataclass(frozen=True, slots=True)
class Boot:
    """A boot in the journal: `index` 0 is the current or last one, -1 the one before; its kernel's start and its end
    (None: it runs).
    """

    index: int
    id: str
    start: int
    end: int | None


def kernel(
    simulation: Simulation[World], host: str, text: str, priority: Priority = Priority.INFO, *, at: int | None = None
) -> None:
    """The kernel writes a message, now or at a moment that has passed."""
    _append(simulation, host, LogEntry(_time(simulation, host, at), text, priority=priority))


def log(
    simulation: Simulation[World],
    host: str,
    text: str,
    *,
    source: str,
    priority: Priority = Priority.INFO,
    pid: int | None = None,
    unit: str | None = None,
    facility: str = "daemon",
    at: int | None = None,
) -> None:
    """A program writes to the journal, now or at a moment that has passed."""
    _append(simulation, host, LogEntry(_time(simulation, host, at), text, source, priority, pid, unit, facility))


@dataclass(frozen=True, slots=True)
class WriteLog(Action):
    """A program writes a line to the journal of a host."""

    host: str
    text: str
    source: str
    priority: int
    facility: str
    pid: int | None

    def perform(self, simulation: Simulation[World]) -> None:
        log(
            simulation,
            self.host,
            self.text,
            source=self.source,
            priority=Priority(self.priority),
            pid=self.pid,
            facility=self.facility,
        )


def append(simulation: Simulation[World], host: str, entries: list[LogEntry]) -> None:
    """Write several entries that are made already."""
    before = simulation.world.logs[host].entries
    simulation.world.logs.update(host, entries=(*before, *entries))


def record_boot(simulation: Simulation[World], host: str, record: BootRecord) -> None:
    """The kernel has come up: its messages follow from what it found."""
    simulation.world.logs.update(host, boots=(*simulation.world.logs[host].boots, record))


def entries(world: World, host: str, start: int | None = None, end: int | None = None) -> list[LogEntry]:
    """What the journal holds from `start` to `end` (both included; None: no limit), by time."""
    return _collect(world, host, start, end, lambda piece: True, lambda entry: True)


def written(world: World, place: str) -> tuple[LogEntry, ...]:
    """What was written at a place since the site began; of a switch, that is all there is."""
    return world.logs[place].entries


def kernel_entries(world: World, host: str, start: int | None = None, end: int | None = None) -> list[LogEntry]:
    """The kernel's part of it. Cheap: nothing of the rest is made."""
    return _collect(world, host, start, end, lambda piece: piece.kernel, lambda entry: entry.source == "kernel")


def ring_buffer(world: World, host: str) -> list[LogEntry]:
    """What dmesg shows: the kernel's messages of the current boot; times count from its start."""
    start, log = boots(world, host)[-1].start, world.logs[host]
    key = ("ring buffer", world.seed, host, start, log.boots)
    made = world.inventory.once(key, lambda: tuple(_made(world, host, start)))
    written = [entry for entry in log.entries if entry.source == "kernel" and entry.time >= start]
    return sorted([*made, *written], key=lambda entry: entry.time)


def _made(world: World, host: str, start: int) -> list[LogEntry]:
    """The kernel's messages from `start` on that follow from boots and the past."""
    pieces = [piece for piece in _pieces(world, host) if piece.kernel and piece.end >= start]
    return sorted((e for piece in pieces for e in piece.make() if e.time >= start), key=lambda entry: entry.time)


def boots(world: World, host: str) -> list[Boot]:
    """The boots that the journal knows, oldest first; the last one runs unless the host is down."""
    spans = [(boot.start, boot.end) for boot in past_boots(world, host)[:-1]]
    spans += world.nodes[host].boot_history
    if world.nodes[host].phase in (BootPhase.KERNEL, BootPhase.SERVICES, BootPhase.RUNNING):
        spans.append((world.nodes[host].booted_at, None))
    return [
        Boot(index - len(spans) + 1, kernel_image.boot_id(world, host, start), start, end)
        for index, (start, end) in enumerate(spans)
    ]


def _collect(
    world: World,
    host: str,
    start: int | None,
    end: int | None,
    wanted: Callable[[Piece], bool],
    kept: Callable[[LogEntry], bool],
) -> list[LogEntry]:
    found: list[LogEntry] = []
    for piece in _pieces(world, host):
        if wanted(piece) and (end is None or piece.start <= end) and (start is None or piece.end >= start):
            found += piece.make()
    found += [entry for entry in world.logs[host].entries if kept(entry)]
    found.sort(key=lambda entry: entry.time)
    if start is None and end is None:
        return found
    return [entry for entry in found if (start is None or entry.time >= start) and (end is None or entry.time <= end)]


def _pieces(world: World, host: str) -> Iterator[Piece]:
    yield from past_pieces(world, host)
    for record in world.logs[host].boots:
        yield from boot_pieces(world, host, record)


def _append(simulation: Simulation[World], host: str, entry: LogEntry) -> None:
    before = simulation.world.logs[host].entries
    simulation.world.logs.update(host, entries=(*before, entry))


def _time(simulation: Simulation[World], host: str, at: int | None) -> int:
    """The time of an entry. Two at the same moment are a few microseconds apart, so that their order shows."""
    if at is not None:
        return at
    last = simulation.world.logs[host].entries[-1:]
    return (
        max(simulation.now, last[0].time + _APART)
        if last and last[0].time < simulation.now + 1000 * _APART
        else simulation.now
    )
