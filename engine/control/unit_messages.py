"""What a unit and its programs write to the journal when it starts and stops: systemd 255's own lines, and those of the
programs.

Program lines after the manuals and sources of OpenSSH 9.6, chrony 4.5, Slurm 24.11, DCGM 4 and captures of the
persistence daemon and the fabric manager; the table is tables/unit_lines.txt.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from engine.control.tables import rows
from engine.control.units import Unit
from engine.kernel.calendar import local
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.units import MICROSECOND
from engine.world.inventory import Inventory
from engine.world.records import Priority


@cache
def _texts(unit: str, moment: str) -> tuple[str, ...]:
    """The templates of a unit's own lines at its start or stop, or (settled) a while after its start."""
    return tuple(text for name, when, text in rows("unit_lines") if (name, when) == (unit, moment))


@dataclass(frozen=True, slots=True)
class Line:
    """A journal line about a unit: from systemd (pid 1) or from its own program."""

    source: str
    pid: int | None
    text: str
    priority: Priority = Priority.INFO


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the lines of a program may name."""

    inventory: Inventory
    pid: int
    gpus: Sequence[str]
    time: int

    def fill(self, templates: Iterable[str]) -> list[str]:
        """The templates with their fields; neighbours that name `{gpu}` are said together, for each GPU."""
        texts: list[str] = []
        group: list[str] = []
        for template in [*templates, ""]:
            if "{gpu}" in template:
                group.append(template)
                continue
            texts += [self._text(each, gpu) for gpu in self.gpus for each in group]
            group = []
            texts += [self._text(template, "")] if template else []
        return texts

    def _text(self, template: str, gpu: str) -> str:
        if "{" not in template:
            return template
        date = local(self.inventory.timezone, self.inventory.start + self.time)
        words = {**self.inventory.software, "cluster": self.inventory.cluster, "pid": self.pid, "gpu": gpu}
        stamps = {"date": f"{date:%a, %d %b %Y %H:%M:%S %z}", "klog": f"{date:%m%d %H:%M:%S.%f}"}
        return template.format_map({**words, **stamps})


def systemd_line(text: str, priority: Priority = Priority.INFO) -> Line:
    """A line of the service manager."""
    return Line("systemd", 1, text, priority)


def started(unit: Unit, around: Surroundings) -> list[Line]:
    """A start that succeeds."""
    if unit.kind == "target":
        return [systemd_line(f"Reached target {unit.name} - {unit.description}.")]
    if unit.kind == "timer":
        return [systemd_line(f"Started {unit.name} - {unit.description}.")]
    own = [Line(unit.source, around.pid, text) for text in around.fill(_texts(unit.name, "start"))]
    first = [] if unit.kind in ("simple", "idle") else [starting(unit)]
    done = "Finished" if unit.kind == "oneshot" else "Started"
    last = systemd_line(f"{done} {unit.name} - {unit.description}.")
    return [*first, last, *own] if unit.kind in ("simple", "idle") else [*first, *own, last]


def settled(unit: Unit, around: Surroundings) -> list[Line]:
    """What a program writes when it has found its place after a start; its model does so now, the past did so too."""
    return [Line(unit.source, around.pid, text) for text in around.fill(_texts(unit.name, "settled"))]


def starting(unit: Unit) -> Line:
    """A start begins."""
    return systemd_line(f"Starting {unit.name} - {unit.description}...")


def failed_start(unit: Unit, around: Surroundings, own: Iterable[str], status: int) -> list[Line]:
    """A start whose program ends with `status` after writing `own`."""
    process = "Control" if unit.control_fails else "Main"
    said = [Line(unit.source, around.pid, text, Priority.ERR) for text in own]
    return [
        starting(unit),
        *said,
        systemd_line(
            f"{unit.name}: {process} process exited, code=exited, status={status}/{exit_name(status)}", Priority.NOTICE
        ),
        systemd_line(f"{unit.name}: Failed with result 'exit-code'.", Priority.WARNING),
        systemd_line(f"Failed to start {unit.name} - {unit.description}.", Priority.ERR),
    ]


def stopped(unit: Unit, around: Surroundings, ran: int) -> list[Line]:
    """A stop that somebody asked for, after the unit ran for `ran` ns."""
    if unit.kind in ("target", "timer"):
        verb = "Stopped target" if unit.kind == "target" else "Stopped"
        return [systemd_line(f"{verb} {unit.name} - {unit.description}.")]
    own = [Line(unit.source, around.pid, text) for text in around.fill(_texts(unit.name, "stop"))]
    lines = [
        systemd_line(f"Stopping {unit.name} - {unit.description}..."),
        *own,
        systemd_line(f"{unit.name}: Deactivated successfully."),
        systemd_line(f"Stopped {unit.name} - {unit.description}."),
    ]
    used = cpu_time(unit, ran)
    if used > 50_000 * MICROSECOND and unit.runs_process:
        lines.append(systemd_line(f"{unit.name}: Consumed {span(used)} CPU time."))
    return lines


def died(unit: Unit, how: str, result: str) -> list[Line]:
    """The main process ended by itself: `how` is `code=killed, status=9/KILL`."""
    return [
        systemd_line(f"{unit.name}: Main process exited, {how}", Priority.NOTICE),
        systemd_line(f"{unit.name}: Failed with result '{result}'.", Priority.WARNING),
    ]


def restarting(unit: Unit, counter: int) -> Line:
    """systemd's announcement before it starts a unit again by itself."""
    return systemd_line(f"{unit.name}: Scheduled restart job, restart counter is at {counter}.")


def exit_name(status: int) -> str:
    """How systemd names an exit status (src/shared/exit-status.c)."""
    return {0: "SUCCESS", 1: "FAILURE", 2: "INVALIDARGUMENT"}.get(status, "n/a")


def cpu_time(unit: Unit, ran: int) -> int:
    """CPU time (ns) that a unit's processes have used in `ran` ns: 20 ms to start, and then what such a daemon needs:
    the more, the bigger it is, unless the table says. A guess.
    """
    millionths = unit.cpu_permille * 1000 or max(0, unit.memory - 2_000) * (1 + hash64(unit.name, "cpu") % 7) // 2_000
    return 20_000 * MICROSECOND + ran * millionths // 1_000_000


def span(nanoseconds: int) -> str:
    """A time span as systemd writes it with a precision of ms: `3min 12.045s`, `845ms`."""
    milliseconds = nanoseconds // (1000 * MICROSECOND)
    parts = []
    for name, size in (("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("min", 60_000)):
        count, milliseconds = divmod(milliseconds, size)
        parts += [f"{count}{name}"] if count else []
    if milliseconds >= 1000 or (parts and milliseconds):
        parts.append(f"{milliseconds // 1000}.{milliseconds % 1000:03d}s")
    elif milliseconds or not parts:
        parts.append(f"{milliseconds}ms")
    return " ".join(parts)
