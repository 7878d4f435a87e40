"""Resource limits as pam_limits and systemd give them."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from engine.control import limits
from engine.control.limits import Limit
from engine.world.records import WrittenFile
from engine.world.world import World
from tests.support.worlds import bare_simulation

HOST, FOLDER = "dgx-01", limits.LIMITS_FOLDER


def world_with(**texts: str | None) -> World:
    """A world in which files of limits.d were written (None: removed)."""
    world = bare_simulation().world
    entries = {
        f"{FOLDER}{name}.conf": None if text is None else WrittenFile(text.encode(), 0o644, 0, 0, 0)
        for name, text in texts.items()
    }
    world.files.update(HOST, files=MappingProxyType(entries))
    return world


def test_the_sites_image_lets_everybody_lock_memory() -> None:
    world = bare_simulation().world
    assert limits.memory_lock(world, HOST, "priya") is None
    assert limits.of_login(world, HOST, "priya")["n"] == Limit(1_048_576, 1_048_576)


def test_without_lines_an_eighth_of_the_memory_can_be_locked() -> None:
    world = world_with(rdma=None)
    total = world.node(HOST).memory_bytes // 1024
    locked = limits.memory_lock(world, HOST, "priya")
    assert locked is not None and total * 95 // 800 < locked < total // 8
    assert limits.of_login(world, HOST, "priya")["n"] == Limit(1_024, 1_048_576)


@pytest.mark.parametrize(
    ("lines", "soft", "hard"),
    [
        ("* - memlock 64", 64, 64),
        ("* hard memlock 64", 64, 64),  # the soft limit never passes the hard one
        ("* soft memlock 64", 64, None),
        ("* soft memlock 64\n* soft memlock 128", 128, None),
        ("priya - memlock 256\n* - memlock 64", 256, 256),
        ("@research - memlock 512\n* - memlock 64", 512, 512),
        ("priya - memlock 256\n@research - memlock 512", 256, 256),
        ("jonas - memlock 64\n@operators - memlock 64", None, None),
        ("# * - memlock 64\n* - memlock\n* both memlock 64\n* - memlock many", None, None),
        ("* - MEMLOCK 64 # for all", 64, 64),
    ],
)
def test_lines_are_read_as_pam_limits_reads_them(lines: str, soft: int | None, hard: int | None) -> None:
    assert limits.of_login(world_with(zz=lines), HOST, "priya")["l"] == Limit(soft, hard)


def test_files_count_in_the_order_of_their_names() -> None:
    assert limits.memory_lock(world_with(aa="* - memlock 64"), HOST, "priya") is None
    assert limits.memory_lock(world_with(aa="* - memlock 64", rdma=None), HOST, "priya") == 64


def test_wildcards_and_groups_are_not_for_root() -> None:
    world = world_with(zz="* - memlock 64\n@root - memlock 32")
    assert limits.memory_lock(world, HOST, "root") == limits.memory_lock(world_with(rdma=None), HOST, "priya")
    assert limits.memory_lock(world_with(zz="root - memlock 16"), HOST, "root") == 16


def test_units_of_minutes_and_nice_are_turned_into_ulimits() -> None:
    found = limits.of_login(world_with(zz="* - cpu 10\n* - nice -5\n* - nofile unlimited"), HOST, "priya")
    assert (found["t"], found["e"], found["n"]) == (Limit(600, 600), Limit(25, 25), Limit(1_048_576, 1_048_576))


def test_services_have_systemds_limits_and_slurmd_its_own() -> None:
    world = world_with(zz="* - memlock 64")
    assert limits.of_unit(world, HOST, "cron.service")["l"] == Limit(8_192, 8_192)
    slurmd = limits.of_unit(world, HOST, "slurmd.service")
    assert (slurmd["l"], slurmd["n"], slurmd["s"]) == (Limit(None, None), Limit(131_072, 131_072), Limit(None, None))
