"""Logs of the package manager: /var/log/dpkg.log, /var/log/apt and /var/log/unattended-upgrades, rotated by month as
Ubuntu 24.04 does.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.control import packages
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Node, directory, file
from engine.hostfs.views._log_files import ADM, packed
from engine.kernel.units import MILLISECOND, SECOND
from engine.world.records import PackageChange

UNATTENDED = "unattended-upgrade"
_TAKES = 6 * SECOND

Month = tuple[int, int]
Written = Callable[[Machine, Month], str]


def files(machine: Machine) -> dict[str, Node]:
    """All of them."""
    return {
        "apt": directory({}),
        "unattended-upgrades": directory({}, 0o750, gid=ADM),
        **_by_month(machine, "dpkg.log", dpkg_log, 0o644, plain=1),
        **_by_month(machine, "apt/history.log", history_log, 0o644),
        **_by_month(machine, "apt/term.log", term_log, 0o640),
        **_by_month(machine, "unattended-upgrades/unattended-upgrades.log", unattended_log, 0o644),
    }


def history_log(machine: Machine, month: Month) -> str:
    """apt/history.log."""
    return "".join(_transaction(machine, change) for change in _changes(machine, month))


def dpkg_log(machine: Machine, month: Month) -> str:
    """dpkg.log."""
    lines = packages.dpkg_log(machine.world, machine.host)
    return "".join(f"{_stamp(machine, time)} {line}\n" for time, line in lines if _month(machine, time) == month)


def term_log(machine: Machine, month: Month) -> str:
    """apt/term.log: what dpkg said on the terminal."""
    text = []
    for change in _changes(machine, month):
        lines = [line for name, old, new in change.upgrades for line in _unpacking(name, old, new)]
        lines += [f"Setting up {name} ({new}) ..." for name, _, new in change.upgrades if new]
        start, end = _stamp(machine, change.time, "  "), _stamp(machine, change.time + _TAKES, "  ")
        text.append("\n".join(["", f"Log started: {start}", *lines, f"Log ended: {end}", ""]))
    return "\n".join(text)


def unattended_log(machine: Machine, month: Month) -> str:
    """unattended-upgrades.log."""
    text = ""
    for change in _changes(machine, month):
        if UNATTENDED in change.command:
            names = " ".join(name for name, _, _ in change.upgrades)
            said = (
                "Starting unattended upgrades script",
                f"Packages that will be upgraded: {names}",
                "Writing dpkg log to /var/log/unattended-upgrades/unattended-upgrades-dpkg.log",
                "All upgrades installed",
            )
            text += "".join(
                _said(machine, change.time + number * 811 * MILLISECOND, line) for number, line in enumerate(said)
            )
    return text


def _by_month(machine: Machine, name: str, written: Written, mode: int, plain: int = 0) -> dict[str, Node]:
    """The log of this month and of earlier ones; empty logs are not rotated. So many of the latest older ones are
    `plain`.
    """
    this = _month(machine, machine.now)
    changed = {_month(machine, change.time) for change in packages.history(machine.world, machine.host)}
    found = {name: _file(written, this, mode, compressed=False)}
    for age, month in enumerate(sorted(changed - {this}, reverse=True), 1):
        compressed = age > plain
        found[f"{name}.{age}{'.gz' if compressed else ''}"] = _file(written, month, mode, compressed)
    return found


def _file(written: Written, month: Month, mode: int, compressed: bool) -> Node:
    def content(machine: Machine) -> str | bytes:
        text = written(machine, month)
        return packed(text.encode()) if compressed else text

    def modified(machine: Machine) -> int:
        times = [change.time for change in _changes(machine, month)]
        return max(times, default=machine.booted)

    return file(content, mode, gid=ADM, modified=modified)


def _changes(machine: Machine, month: Month) -> list[PackageChange]:
    return [change for change in packages.history(machine.world, machine.host) if _month(machine, change.time) == month]


def _month(machine: Machine, time: int) -> Month:
    moment = machine.calendar(time)
    return moment.year, moment.month


def _stamp(machine: Machine, time: int, apart: str = " ") -> str:
    return machine.calendar(time).strftime(f"%Y-%m-%d{apart}%H:%M:%S")


def _said(machine: Machine, time: int, line: str) -> str:
    moment = machine.calendar(time)
    return f"{moment.strftime('%Y-%m-%d %H:%M:%S')},{moment.microsecond // 1000:03d} INFO {line}\n"


def _transaction(machine: Machine, change: PackageChange) -> str:
    """One block of history.log; `requested_by` is there where somebody used sudo."""
    lines = ["", f"Start-Date: {_stamp(machine, change.time, '  ')}", f"Commandline: {change.command}"]
    if change.requested_by:
        lines.append(f"Requested-By: {change.requested_by}")
    kinds = {
        "Install": [f"{_full(machine, name)} ({new})" for name, old, new in change.upgrades if new and not old],
        "Upgrade": [f"{_full(machine, name)} ({old}, {new})" for name, old, new in change.upgrades if new and old],
        "Remove": [f"{_full(machine, name)} ({old})" for name, old, new in change.upgrades if not new],
    }
    lines += [f"{kind}: {', '.join(names)}" for kind, names in kinds.items() if names]
    return "\n".join([*lines, f"End-Date: {_stamp(machine, change.time + _TAKES, '  ')}", ""])


def _full(machine: Machine, name: str) -> str:
    package = packages.installed(machine.world, machine.host).get(name)
    return f"{name}:{package.architecture if package else 'amd64'}"


def _unpacking(name: str, old: str, new: str) -> list[str]:
    if not new:
        return [f"Removing {name} ({old}) ..."]
    archive = f".../{name}_{new.replace(':', '%3a')}_amd64.deb"
    over = f" over ({old})" if old else ""
    return [f"Preparing to unpack {archive} ...", f"Unpacking {name} ({new}){over} ..."]
