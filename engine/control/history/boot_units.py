"""What systemd and the services wrote in the boots and shutdowns before the site's start, when everything went well."""

from __future__ import annotations

from collections.abc import Callable

from engine.control import kernel_image, service_state
from engine.control.history.past import PastBoot
from engine.control.unit_messages import Line, Surroundings, settled, started, stopped, systemd_line
from engine.control.units import BOOT_ENDS, Unit
from engine.kernel.units import MICROSECOND, MILLISECOND, SECOND
from engine.world.records import LogEntry
from engine.world.world import World

SHUTDOWN = 12 * SECOND
"""How long a system takes to go down in good order (a guess)."""

QUIET = ("systemd-journald.service", "systemd-udevd.service", "systemd-modules-load.service")
"""Units whose start the kernel's log tells."""
_STOP_FIRST = (
    "slurmd.service",
    "slurmctld.service",
    "slurmdbd.service",
    "nvidia-dcgm.service",
    "nvidia-fabricmanager.service",
    "nvidia-persistenced.service",
    "opensm.service",
    "ssh.service",
    "chrony.service",
    "cron.service",
    "munge.service",
    "rsyslog.service",
)


def boot_lines(world: World, host: str, boot: PastBoot) -> tuple[LogEntry, ...]:
    """The units of a boot come up."""
    gpus = [gpu.address for gpu in world.node(host).gpus]
    entries: list[LogEntry] = []
    for unit in service_state.units_of(world.node(host)):
        if unit.ready_at and unit.name not in QUIET and (unit.enabled_on(world.node(host)) or unit.static):
            pid = service_state.first_pid(world, host, unit, boot.start)
            around = Surroundings(world.inventory, pid, gpus, boot.start)
            entries += entries_at(
                unit, [*started(unit, around), *settled(unit, around)], boot.start + unit.ready_at * MILLISECOND
            )
    entries += entries_at(None, [startup_finished(world, host)], boot.start + BOOT_ENDS * MILLISECOND)
    return tuple(sorted(entries, key=lambda entry: entry.time))


def shutdown_lines(
    world: World, host: str, boot: PastBoot, verb: str = "reboot", running: Callable[[str], bool] = lambda name: True
) -> tuple[LogEntry, ...]:
    """The system goes down within SHUTDOWN before the boot's end, to reboot or to power off; `running` says which units
    there were.
    """
    assert boot.end is not None
    said = {"reboot": "The system will reboot now!", "poweroff": "The system will power off now!"}[verb]
    entries = entries_at(None, [Line("systemd-logind", None, said)], boot.end - SHUTDOWN)
    time, gpus = boot.end - SHUTDOWN + SECOND, [gpu.address for gpu in world.node(host).gpus]
    for unit in (service_state.find(world, host, name) for name in _STOP_FIRST if running(name)):
        if unit:
            pid = service_state.first_pid(world, host, unit, boot.start)
            entries += entries_at(
                unit, stopped(unit, Surroundings(world.inventory, pid, gpus, time), time - boot.start), time
            )
            time += 130 * MILLISECOND
    target = {"reboot": "reboot.target - System Reboot", "poweroff": "poweroff.target - System Power Off"}[verb]
    lines = [systemd_line(f"Reached target {target}."), systemd_line("Shutting down.")]
    return (
        *entries,
        *entries_at(None, lines, boot.end - SECOND),
        *entries_at(None, [_journal_stopped(world, host)], boot.end),
    )


def entries_at(unit: Unit | None, lines: list[Line], time: int) -> list[LogEntry]:
    """Lines as journal entries that end at `time`, a fraction of a millisecond apart."""
    first = time - 240 * MICROSECOND * (len(lines) - 1)
    return [entry_of(unit, line, first + 240 * MICROSECOND * number) for number, line in enumerate(lines)]


def entry_of(unit: Unit | None, line: Line, time: int) -> LogEntry:
    """A line as a journal entry."""
    return LogEntry(time, line.text, line.source, line.priority, line.pid, unit.name if unit else None, "daemon")


def startup_finished(world: World, host: str) -> Line:
    """systemd's summary of a boot."""
    firmware = (
        "3min 24.318s (firmware) + 6.204s (loader) + "
        if world.node(host).gpus
        else "1min 41.905s (firmware) + 5.870s (loader) + "
    )
    total = "4min 8.522s" if world.node(host).gpus else "2min 25.775s"
    return systemd_line(f"Startup finished in {firmware}10.220s (kernel) + 27.780s (userspace) = {total}.")


def _journal_stopped(world: World, host: str) -> Line:
    return Line("systemd-journald", kernel_image.first_user_pid(world.node(host)), "Journal stopped")
