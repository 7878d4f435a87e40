"""Log files against the journal that they come from, and what happens to them when time passes or somebody writes."""

from __future__ import annotations

import gzip
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control import journald
from engine.control.accounts import identity
from engine.hostfs.host_tree import HostTree
from engine.hostfs.views._log_files import packed
from engine.kernel.simulation import Simulation
from engine.kernel.units import DAY, SECOND
from engine.world.world import World

NODE = "dgx-01"


def tree_of(simulation: Simulation[World], host: str = NODE) -> HostTree:
    return HostTree(simulation, host, identity(simulation.world.inventory, "root"))


def plain(tree: HostTree, path: str) -> str:
    content = tree.read(path)
    return (gzip.decompress(content) if path.endswith(".gz") else content).decode()


def parts(tree: HostTree, path: str) -> list[str]:
    """The parts of a log, the oldest first."""
    ages = {
        f"{path}{'' if age is None else f'.{age}'}{end}": age for age in (None, *range(1, 9)) for end in ("", ".gz")
    }
    return [part for part in reversed(ages) if tree.exists(part)]


@pytest.mark.parametrize("name", ["syslog", "auth.log", "kern.log"])
def test_the_parts_together_are_the_journals_end(site: Simulation[World], name: str) -> None:
    tree = tree_of(site)
    lines = "".join(plain(tree, path) for path in parts(tree, f"/var/log/{name}")).split("\n")[:-1]
    entries = [
        entry
        for entry in journald.entries(site.world, NODE)
        if {
            "syslog": entry.facility not in ("auth", "authpriv"),
            "auth.log": entry.facility in ("auth", "authpriv"),
            "kern.log": entry.source == "kernel",
        }[name]
        and entry.time <= site.now
    ]
    assert 0 < len(lines) <= len(entries)
    for line, entry in zip(lines, entries[-len(lines) :], strict=True):
        assert line.endswith(f": {entry.text}")
        stamp = datetime.fromisoformat(line.split(" ")[0])
        epoch = site.world.inventory.start + entry.time
        assert stamp == datetime.fromtimestamp(epoch // SECOND, UTC).replace(microsecond=epoch % SECOND // 1000)


def test_logs_are_cut_on_sundays_and_only_if_there_is_something_in_them(site: Simulation[World]) -> None:
    tree = tree_of(site)
    for path in parts(tree, "/var/log/syslog")[:-1]:
        cut = datetime.fromtimestamp(tree.stat(path).modified // SECOND, UTC)
        assert (cut.weekday(), cut.hour) == (6, 0)
    assert all(plain(tree, path) for path in parts(tree, "/var/log/kern.log")[:-1])


def test_a_week_later_the_log_has_moved_on(simulation: Simulation[World]) -> None:
    tree = tree_of(simulation)
    journald.kernel(simulation, NODE, "before sunday")
    simulation.advance(8 * DAY)
    journald.kernel(simulation, NODE, "after sunday")
    assert "before sunday" in plain(tree, "/var/log/kern.log.1")
    assert plain(tree, "/var/log/kern.log").endswith("after sunday\n")
    assert "before sunday" not in plain(tree, "/var/log/kern.log")


def test_an_emptied_log_shows_what_comes_after(simulation: Simulation[World]) -> None:
    tree = tree_of(simulation)
    journald.log(simulation, NODE, "one", source="test")
    simulation.advance(SECOND)
    tree.write("/var/log/syslog", b"")
    assert tree.read("/var/log/syslog") == b""
    simulation.advance(SECOND)
    journald.log(simulation, NODE, "two", source="test")
    lines = plain(tree, "/var/log/syslog").split("\n")
    assert [line.rpartition(": ")[2] for line in lines] == ["two", ""]


def test_a_line_added_by_hand_stands_among_the_others(simulation: Simulation[World]) -> None:
    tree = tree_of(simulation)
    before = plain(tree, "/var/log/syslog")
    tree.append("/var/log/syslog", b"by hand\n")
    simulation.advance(SECOND)
    journald.log(simulation, NODE, "later", source="test")
    after = plain(tree, "/var/log/syslog")
    assert after.startswith(f"{before}by hand\n")
    assert after.endswith("test: later\n")


def test_a_removed_log_stays_away(simulation: Simulation[World]) -> None:
    tree = tree_of(simulation)
    tree.remove("/var/log/kern.log", False)
    journald.kernel(simulation, NODE, "nobody reads this")
    assert not tree.exists("/var/log/kern.log")


def test_dmesg_of_the_boot_counts_from_its_start(site: Simulation[World]) -> None:
    tree = tree_of(site)
    lines = plain(tree, "/var/log/dmesg").split("\n")
    assert lines[0].startswith("[    0.000000] kernel: Linux version ")
    kernel = journald.ring_buffer(site.world, NODE)
    assert [line.partition("kernel: ")[2] for line in lines[:-1]] == [entry.text for entry in kernel[: len(lines) - 1]]
    assert tree.read("/var/log/dmesg.0").startswith(b"[    0.000000] kernel: Linux version ")


def test_daemons_keep_logs_of_their_own(simulation: Simulation[World]) -> None:
    journald.log(simulation, NODE, "slurmd: error: gres/gpu: lost", source="slurmd", unit="slurmd.service")
    last = plain(tree_of(simulation), "/var/log/slurm/slurmd.log").split("\n")[-2]
    assert last == "[2026-11-30T09:00:00.000] error: gres/gpu: lost"
    head = tree_of(simulation, "head-01")
    assert head.exists("/var/log/slurm/slurmctld.log")
    assert "SUBNET UP" in plain(head, "/var/log/opensm.log")
    assert not head.exists("/var/log/slurm/slurmd.log")


def test_package_logs_tell_the_same_story(site: Simulation[World]) -> None:
    tree = tree_of(site)
    history = "".join(plain(tree, path) for path in parts(tree, "/var/log/apt/history.log"))
    dpkg = "".join(plain(tree, path) for path in parts(tree, "/var/log/dpkg.log"))
    assert history.count("Start-Date:") == dpkg.count("startup archives unpack") > 0
    upgraded = re.findall(r"([\w.+-]+:\w+) \([^,()]+, ", history)
    assert upgraded
    assert all(f"upgrade {name} " in dpkg for name in upgraded)


@given(st.binary(max_size=200_000))
def test_packed_bytes_unpack(content: bytes) -> None:
    assert gzip.decompress(packed(content)) == content


def test_a_log_is_as_old_as_its_last_line(site: Simulation[World]) -> None:
    tree = tree_of(site)
    for name in ("syslog", "auth.log", "kern.log", "slurm/slurmd.log", "fabricmanager.log"):
        lines = plain(tree, f"/var/log/{name}").split("\n")[:-1]
        if name in ("syslog", "auth.log") or (name == "kern.log" and lines):
            last = datetime.fromisoformat(lines[-1].split(" ")[0])
            assert tree.stat(f"/var/log/{name}").modified // SECOND == int(last.timestamp()), name
        elif name == "slurm/slurmd.log":
            last = datetime.fromisoformat(lines[-1][1:24]).replace(tzinfo=UTC)
            assert tree.stat(f"/var/log/{name}").modified // SECOND == int(last.timestamp()), name
