"""systemd's unit files: what the table of units says, in the form of systemd.unit(5)."""

from __future__ import annotations

from engine.control.service_state import is_enabled, units_of
from engine.control.units import Unit
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, file, link

SYSTEM_FOLDER = "/usr/lib/systemd/system"
ALIASES = {"ssh.service": "sshd.service"}


def units_on_disk(machine: Machine) -> Children:
    """/usr/lib/systemd/system."""
    own = [unit for unit in units_of(machine.node) if unit.folder == SYSTEM_FOLDER]
    found: dict[str, Node] = {unit.name: file(unit_file(unit)) for unit in own}
    return found | {alias: link(name) for name, alias in ALIASES.items() if name in found}


def links_to_wanted(machine: Machine) -> dict[str, Node]:
    """/etc/systemd/system: which units are started by which target, and unit files that lie there."""
    found: dict[str, Node] = {}
    for unit in units_of(machine.node):
        if unit.folder != SYSTEM_FOLDER:
            found[unit.name] = file(unit_file(unit))
        if unit.wanted_by and not unit.static and is_enabled(machine.world, machine.host, unit):
            found[f"{unit.wanted_by}.wants/{unit.name}"] = link(f"{unit.folder}/{unit.name}")
    return found


def unit_file(unit: Unit) -> str:
    """One unit file."""
    head = [f"Description={unit.description}"]
    head += [f"Documentation={' '.join(unit.documentation)}"] if unit.documentation else []
    head += [f"After={' '.join(unit.after)}"] if unit.after else []
    head += [f"Requires={' '.join(unit.requires)}"] if unit.requires else []
    sections = [("Unit", head), *_own_section(unit)]
    if unit.wanted_by and not unit.static:
        sections.append(("Install", [f"WantedBy={unit.wanted_by}"]))
    return "\n\n".join("\n".join([f"[{name}]", *lines]) for name, lines in sections) + "\n"


def _own_section(unit: Unit) -> list[tuple[str, list[str]]]:
    if unit.kind == "target":
        return []
    if unit.kind == "timer":
        return [("Timer", [f"OnCalendar={'weekly' if unit.name == 'fstrim.timer' else 'daily'}", "Persistent=true"])]
    lines = [f"Type={unit.kind}", *([f"ExecStart={unit.command}"] if unit.command else [])]
    lines += ["RemainAfterExit=yes"] if unit.kind == "oneshot" else []
    lines += [f"Restart={unit.restart}"] if unit.restart != "no" else []
    lines += [f"User={unit.user}"] if unit.user != "root" else []
    lines += [f"Limit{limit}" for limit in unit.limits]
    return [("Service", lines)]
