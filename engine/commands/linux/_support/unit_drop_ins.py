"""Drop-ins of systemd's units, as `systemctl cat` shows and `systemctl revert` removes them, and the two slices that
people look at (systemd.special(7); texts of the unit files: systemd 255, without their comments).

That `revert` names the drop-in and then its folder is what systemd's unit_file_revert writes.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.control import cpu_sets
from engine.control.systemd import full_name
from engine.hostfs.tree import FileError

FOLDER = "/etc/systemd/system"
_SLICES = {
    "user.slice": ("User and Session Slice", ("Before=slices.target",)),
    "system.slice": ("System Slice", ("DefaultDependencies=no", "Before=slices.target")),
}


def is_slice(name: str) -> bool:
    """Whether a name is that of a slice that is always there."""
    return name in _SLICES


def slice_text(name: str) -> list[str]:
    """The lines of a slice's unit file."""
    description, more = _SLICES[name]
    return ["[Unit]", f"Description={description}", "Documentation=man:systemd.special(7)", *more]


def slice_path(name: str) -> str:
    """Where a slice's unit file lies; system.slice is made by the manager itself."""
    return f"/usr/lib/systemd/system/{name}" if name == "user.slice" else f"/run/systemd/transient/{name}"


def slice_properties(ctx: Context, name: str) -> dict[str, str]:
    """What `systemctl show` tells of a slice."""
    allowed = cpu_sets.of_sessions(ctx.world, ctx.host) if name == "user.slice" else ""
    return {
        "Id": name,
        "Names": name,
        "Description": _SLICES[name][0],
        "LoadState": "loaded",
        "ActiveState": "active",
        "SubState": "active",
        "FragmentPath": slice_path(name),
        "DropInPaths": " ".join(drop_ins(ctx, name)),
        "AllowedCPUs": allowed.replace(",", " "),
    }


def drop_ins(ctx: Context, name: str) -> list[str]:
    """Paths of a unit's drop-ins that people wrote, in the order in which they are read."""
    folder = f"{FOLDER}/{full_name(name)}.d"
    try:
        found = paths.tree(ctx).entries(folder)
    except FileError:
        return []
    return sorted(f"{folder}/{entry}" for entry, _ in found if entry.endswith(".conf"))


def drop_in_lines(ctx: Context, name: str) -> list[str]:
    """Drop-ins as `systemctl cat` shows them, behind the unit's own file."""
    lines: list[str] = []
    for path in drop_ins(ctx, name):
        lines += ["", f"# {path}", *paths.tree(ctx).read(path).decode("utf-8", "replace").splitlines()]
    return lines


def revert(ctx: Context, names: Sequence[str]) -> int:
    """Remove the drop-ins of units. Units as the vendor ships them have nothing else to go back from."""
    tree = paths.tree(ctx)
    for name in names:
        folder = f"{FOLDER}/{full_name(name)}.d"
        found = drop_ins(ctx, name)
        try:
            for path in found:
                tree.remove(path, recursive=False)
                ctx.error(f'Removed "{path}".')
            if found and not tree.entries(folder):
                tree.remove(folder, recursive=True)
                ctx.error(f'Removed "{folder}".')
        except FileError as error:
            ctx.error(f"Failed to revert unit file {full_name(name)}: {error.text}")
            return 1
    return 0
