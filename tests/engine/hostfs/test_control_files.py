"""What control software sees of files: the text that holds, and whether one is gone."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from engine.control import files
from engine.kernel.simulation import Simulation
from engine.world.records import WrittenFile
from engine.world.world import World

HOST = "dgx-01"


def lay(simulation: Simulation[World], entries: dict[str, WrittenFile | None]) -> World:
    world = simulation.world
    for path, entry in entries.items():
        key = files.files_key(HOST, path)
        world.files.update(key, files=MappingProxyType({**world.files[key].files, path: entry}))
    return world


def written(content: bytes | None, target: str | None = None, live: bool = False) -> WrittenFile:
    return WrittenFile(content, 0o644, 0, 0, 0, target, live)


@pytest.mark.parametrize(
    ("entries", "text", "gone"),
    [
        ({}, "default", False),
        ({"/etc/a/b": written(b"new")}, "new", False),
        ({"/etc/a/b": None}, "", True),
        ({"/etc/a": None}, "", True),
        ({"/etc/a": written(None)}, "", True),  # made anew, empty
        ({"/etc/a": written(None), "/etc/a/b": written(b"new")}, "new", False),
        ({"/etc/a": written(None, live=True)}, "default", False),
        ({"/etc/a/b": written(None, live=True)}, "default", False),
        ({"/etc/a/b": written(None, "../c")}, "default", False),  # to /etc/c, which nobody has written
        ({"/etc/a/b": written(None, "../c"), "/etc/c": written(b"far")}, "far", False),
        ({"/etc/a": written(None, "/opt/a"), "/opt/a/b": written(b"moved")}, "moved", False),
        ({"/etc/a/b": written(None, "b")}, "", True),  # a loop
        ({"/etc/a/b": written(None, "/home/alex/b"), "/home/alex/b": written(b"shared")}, "shared", False),
        ({"/etc/a/b": written(b"\xff")}, "\ufffd", False),
    ],
)
def test_the_text_that_holds(
    simulation: Simulation[World], entries: dict[str, WrittenFile | None], text: str, gone: bool
) -> None:
    world = lay(simulation, entries)
    assert files.text(world, HOST, "/etc/a/b", "default") == text
    assert files.removed(world, HOST, "/etc/a/b") is gone


def test_where_a_change_is_kept() -> None:
    paths = ("/home", "/home/alex/x", "/data/x", "/homes/x", "/etc/x", "/database")
    assert [files.files_key(HOST, path) for path in paths] == [files.SHARED] * 3 + [HOST] * 3


def test_what_a_program_writes_is_there(simulation: Simulation[World]) -> None:
    simulation.advance(5)
    files.write(simulation, HOST, "/var/lib/x", b"1", uid=7, gid=8)
    assert simulation.world.files[HOST].files["/var/lib/x"] == WrittenFile(b"1", 0o644, 7, 8, 5)
