"""/usr/share: time zones' names, and what packages keep there; texts from `texts/usr/share`."""

from __future__ import annotations

from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file
from engine.hostfs.views._programs import brought_by, package_files
from engine.hostfs.views._texts import names, text


def _table(machine: Machine) -> Children:
    brought = package_files(machine, "/usr/share")
    known = set(names("usr/share"))
    files: dict[str, Node] = {
        path: file(text("usr/share", path) if path in known else "", modified=brought_by(package))
        for path, package in brought.items()
    }
    plain = {name: directory() for name in ("bash-completion", "doc", "man", "misc", "zoneinfo")}
    return {**plain, f"zoneinfo/{machine.inventory.timezone}": file(b"TZif2"), **files}


DIRECTORY = directory(_table)
