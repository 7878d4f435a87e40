"""The past of a host's journal in pieces, each made when somebody looks at its time; and the messages of any boot from
its record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from engine.control import firmware, service_state
from engine.control.history import boot_devices, boot_driver, boot_kernel, boot_nouveau, boot_units, incidents, routine
from engine.control.history.past import PastBoot, past_boots
from engine.control.history.scene import BootScene
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.units import DAY, MINUTE
from engine.world.records import BootRecord, LogEntry
from engine.world.world import World


@dataclass(frozen=True, slots=True)
class Piece:
    """Entries from `start` to `end` (both included), given by `make`; `kernel`: they are the kernel's."""

    start: int
    end: int
    kernel: bool
    make: Callable[[], tuple[LogEntry, ...]]


def past_pieces(world: World, host: str) -> Iterator[Piece]:
    """Everything from before the site's start."""
    boots = past_boots(world, host)
    for boot in boots:
        if boot.whole:
            yield from boot_pieces(world, host, past_record(world, host, boot))
            yield _units(world, host, boot)
        if boot.end is not None:
            yield _shutdown(world, host, boot)
    yield Piece(boots[-1].start, 0, True, lambda: incidents.incidents(world, host))
    yield Piece(boots[0].kept_from, 0, False, lambda: _scheduler(world, host, boots))
    for day in routine.days(world, host):
        midnight = day * DAY - world.inventory.start
        yield Piece(midnight, midnight + DAY, False, lambda day=day: routine.day_entries(world, host, day))  # type: ignore[misc]


def boot_pieces(world: World, host: str, record: BootRecord) -> Iterator[Piece]:
    """The kernel's messages of a boot."""
    yield Piece(record.start, record.start + MINUTE, True, lambda: kernel_messages(world, host, record))


def kernel_messages(world: World, host: str, record: BootRecord) -> tuple[LogEntry, ...]:
    """What the kernel wrote during a boot, by time."""
    inventory, seed = world.inventory, world.seed
    return inventory.once(
        ("boot", seed, host, record), lambda: _kernel_messages(BootScene(inventory, seed, host, record))
    )


def past_record(world: World, host: str, boot: PastBoot) -> BootRecord:
    """What a boot before the site's start found: everything in its place."""
    linked = tuple(hca.name for hca in world.node(host).hcas if hca.port in world.inventory.cables)
    return BootRecord(boot.start, boot.driver, (), linked, bios=firmware.other_bios(world, host))


def _scheduler(world: World, host: str, boots: tuple[PastBoot, ...]) -> tuple[LogEntry, ...]:
    """What the Slurm daemons wrote, under the process ids that they had in their boots."""
    from engine.control.slurm import past_log

    key = ("scheduler's past", world.seed, host, past_log.source(world))
    return world.inventory.once(key, lambda: _scheduler_lines(world, host, boots))


def _scheduler_lines(world: World, host: str, boots: tuple[PastBoot, ...]) -> tuple[LogEntry, ...]:
    from engine.control.slurm import past_log

    known = past_log.entries(world, host)
    unit = service_state.find(world, host, known[0].source) if known else None
    if unit is None:
        return ()
    pids = [(boot, service_state.first_pid(world, host, unit, boot.start)) for boot in boots]
    return tuple(
        replace(entry, pid=pid)
        for entry in known
        for boot, pid in pids
        if boot.kept_from <= entry.time < (boot.end or 0)
    )


def _kernel_messages(scene: BootScene) -> tuple[LogEntry, ...]:
    parts = (
        boot_kernel.kernel_messages,
        boot_devices.device_messages,
        boot_nouveau.nouveau_messages,
        boot_driver.driver_messages,
    )
    return tuple(sorted((entry for part in parts for entry in part(scene)), key=lambda entry: entry.time))


def _units(world: World, host: str, boot: PastBoot) -> Piece:
    key = ("boot units", world.seed, host, boot.start)
    return Piece(
        boot.start,
        boot.start + 2 * MINUTE,
        False,
        lambda: world.inventory.once(key, lambda: boot_units.boot_lines(world, host, boot)),
    )


def _shutdown(world: World, host: str, boot: PastBoot) -> Piece:
    assert boot.end is not None
    key = ("shutdown", world.seed, host, boot.start)
    return Piece(
        boot.end - MINUTE,
        boot.end,
        False,
        lambda: world.inventory.once(key, lambda: boot_units.shutdown_lines(world, host, boot)),
    )
