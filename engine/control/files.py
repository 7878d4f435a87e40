"""Files as the software of a host finds them: what people wrote, or else the default that the site gives.

The host's file tree stands above; control software must not ask it, and needs only this: the text of a configuration
file by its path, and whether somebody removed one. /home and /data are one NFS export of the head node, the same on
every host, so their written files are kept once. What lies in memory or in /tmp is gone when the system stops
(devtmpfs, /run; /tmp is emptied at boot by systemd-tmpfiles, as Ubuntu's tmp.conf asks).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.events import FileWritten, NodeStopping
from engine.world.records import WrittenFile
from engine.world.world import World

SHARED = "shared"
"""The entry of `world.files` that holds what was written below the shared directories."""

SHARED_DIRECTORIES = ("/home", "/data")
_IN_SHARED = tuple(f"{directory}/" for directory in SHARED_DIRECTORIES)
VOLATILE_DIRECTORIES = ("/dev", "/proc", "/run", "/sys", "/tmp")
LINKS_FOLLOWED = 40  # MAXSYMLINKS of the Linux kernel


def below(path: str, directories: tuple[str, ...]) -> bool:
    """Whether `path` is one of `directories` or lies in one."""
    return path in directories or path.startswith(tuple(f"{directory}/" for directory in directories))


def files_key(host: str, path: str) -> str:
    """The entry of `world.files` in which a change of `path` on `host` is kept."""
    return SHARED if path.startswith(_IN_SHARED) or path in SHARED_DIRECTORIES else host


def normal(path: str) -> str:
    """An absolute path without empty, `.` and `..` parts."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def text(world: World, host: str, path: str, default: str) -> str:
    """The effective text of a file: what was written, `default` where nobody changed it, "" where it was removed."""
    standing = _standing(world, host, path)
    if standing.untouched:
        return default
    content = standing.file.content if standing.file else None
    return (content or b"").decode("utf-8", "replace")


def removed(world: World, host: str, path: str) -> bool:
    """Whether somebody removed the file or a directory above it."""
    standing = _standing(world, host, path)
    return standing.file is None and not standing.untouched


def changed(world: World, host: str, path: str) -> bool:
    """Whether the file is another one than the site gives: written, or removed."""
    return not _standing(world, host, path).untouched


def content(world: World, host: str, path: str, default: bytes) -> bytes | None:
    """What stands in a file: what was written, `default` where nobody changed it, None where there is no file."""
    standing = _standing(world, host, path)
    return default if standing.untouched else standing.file.content if standing.file else None


def written(world: World, host: str, path: str) -> WrittenFile | None:
    """What somebody made of a file or of its owner and mode; None where it is as the site gives it, or gone."""
    return _standing(world, host, path).file


@dataclass(frozen=True, slots=True)
class _Standing:
    """What became of a file: as the site gives it, or as somebody left it (None: it is gone)."""

    untouched: bool
    file: WrittenFile | None = None


_GONE = _Standing(untouched=False)


def _standing(world: World, host: str, path: str) -> _Standing:
    for _ in range(LINKS_FOLLOWED):
        files = world.files[files_key(host, path)].files
        link = _first_link(files, path)
        if link is None:
            return _without_links(files, path)
        path = normal(_target(files, link) + path.removeprefix(link))
    return _GONE


def _first_link(files: Mapping[str, WrittenFile | None], path: str) -> str | None:
    """The shortest beginning of `path` at which somebody put a symbolic link."""
    return next((part for part in _beginnings(path) if (file := files.get(part)) and file.target is not None), None)


def _target(files: Mapping[str, WrittenFile | None], link: str) -> str:
    file = files[link]
    target = file.target if file else None
    assert target is not None
    return target if target.startswith("/") else f"{link.rpartition('/')[0]}/{target}"


def _without_links(files: Mapping[str, WrittenFile | None], path: str) -> _Standing:
    if path in files:
        file = files[path]
        return _Standing(untouched=file is not None and file.live, file=file)
    above = [files[part] for part in _beginnings(path) if part in files]
    made_anew = any(file is None or not file.live for file in above)
    return _GONE if made_anew else _Standing(untouched=True)


def _beginnings(path: str) -> list[str]:
    parts = path.strip("/").split("/")
    return ["/" + "/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


def put(
    simulation: Simulation[Any], host: str, entries: Mapping[str, WrittenFile | None], gone: str | None = None
) -> None:
    """Write entries, all below one of the shared directories or none, after forgetting what is at and below `gone`.

    An entry of None hides what the site gives. Entries are kept in the order of their paths; everybody hears of them.
    """
    paths = [*entries, *([gone] if gone and gone not in entries else [])]
    if not paths:
        return
    key = files_key(host, paths[0])
    before = simulation.world.files[key].files
    kept = before if gone is None else {path: file for path, file in before.items() if not below(path, (gone,))}
    merged = {**kept, **entries}
    if any(path not in kept for path in entries):
        merged = dict(sorted(merged.items()))
    simulation.world.files.update(key, files=MappingProxyType(merged))
    for path in paths:
        simulation.publish(FileWritten(host, path))


def write(
    simulation: Simulation[Any], host: str, path: str, content: bytes, *, uid: int, gid: int, mode: int = 0o644
) -> None:
    """A program of the host writes a file."""
    put(simulation, host, {path: WrittenFile(content, mode, uid, gid, simulation.now)})


def _forget_volatile(simulation: Simulation[Any], event: NodeStopping) -> None:
    """What was only in memory does not outlive the system."""
    files = simulation.world.files[event.node].files
    kept = {path: file for path, file in files.items() if not below(path, VOLATILE_DIRECTORIES)}
    simulation.world.files.update(event.node, files=MappingProxyType(kept))


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((NodeStopping, _forget_volatile),)
