"""What people write stays, replaces what the site gives, is shared where it is shared, and is bounded."""

from __future__ import annotations

import pytest

from engine.control import files, harm
from engine.control.accounts import identity
from engine.hostfs import limits
from engine.hostfs.host_tree import HostTree
from engine.hostfs.tree import ErrorCode, FileError, FileKind
from engine.kernel.actions import decode, encode
from engine.kernel.simulation import Recorded, Simulation, replay
from engine.simulation import open_site
from engine.world.events import NodeStopping
from engine.world.world import World
from tests.engine.hostfs.conftest import Seen

SLURM_CONF = "/etc/slurm/slurm.conf"


def test_a_written_file_replaces_what_the_site_gives(seen: Seen, simulation: Simulation[World]) -> None:
    root = seen("dgx-01", "root")
    before = root.stat(SLURM_CONF)
    root.write(SLURM_CONF, b"ClusterName=other\n")
    assert root.read(SLURM_CONF) == b"ClusterName=other\n"
    assert files.text(simulation.world, "dgx-01", SLURM_CONF, "default") == "ClusterName=other\n"
    assert files.text(simulation.world, "dgx-02", SLURM_CONF, "default") == "default"
    after = root.stat(SLURM_CONF)
    assert (after.mode, after.uid, after.gid, after.size) == (before.mode, before.uid, before.gid, 18)
    assert after.modified == simulation.world.inventory.start + simulation.now


def test_removing_hides_and_making_anew_starts_empty(seen: Seen, simulation: Simulation[World]) -> None:
    root = seen("dgx-01", "root")
    root.remove("/etc/slurm", True)
    assert not root.exists(SLURM_CONF)
    assert files.removed(simulation.world, "dgx-01", SLURM_CONF)
    assert files.text(simulation.world, "dgx-01", SLURM_CONF, "default") == ""
    root.make_directory("/etc/slurm", False)
    assert root.entries("/etc/slurm") == []
    assert files.removed(simulation.world, "dgx-01", SLURM_CONF)
    root.write(SLURM_CONF, b"x")
    assert not files.removed(simulation.world, "dgx-01", SLURM_CONF)


def test_a_directory_that_was_moved_keeps_what_was_in_it(seen: Seen, simulation: Simulation[World]) -> None:
    root = seen("dgx-01", "root")
    default = root.read(SLURM_CONF)
    root.write("/etc/slurm/topology.conf", b"new\n")
    root.remove("/etc/slurm/cgroup.conf", False)
    root.set_mode("/etc/slurm/gres.conf", 0o600)
    root.rename("/etc/slurm", "/opt/slurm")
    assert root.stat("/opt/slurm/gres.conf").mode == 0o600
    assert root.read("/opt/slurm/gres.conf") == seen("dgx-02", "root").read("/etc/slurm/gres.conf")
    assert [name for name, _ in root.entries("/opt/slurm")] == ["gres.conf", "slurm.conf", "topology.conf"]
    assert root.read("/opt/slurm/slurm.conf") == default
    assert not root.exists("/etc/slurm")
    root.symlink("/opt/slurm", "/etc/slurm")
    assert root.read("/etc/slurm/topology.conf") == b"new\n"
    assert files.text(simulation.world, "dgx-01", SLURM_CONF, "?").encode() == default


def test_a_file_may_move_between_local_and_shared(seen: Seen) -> None:
    alex = seen("dgx-01", "alex")
    alex.make_directory("/tmp/run/out", True)
    alex.write("/tmp/run/out/log", b"1\n")
    alex.rename("/tmp/run", "/home/alex/run")
    assert seen("dgx-02", "alex").read("/home/alex/run/out/log") == b"1\n"
    assert not alex.exists("/tmp/run")
    alex.rename("/home/alex/run", "/tmp/back")
    assert alex.read("/tmp/back/out/log") == b"1\n"
    assert not seen("dgx-02", "alex").exists("/home/alex/run")


def test_home_and_data_are_the_same_everywhere_and_tmp_is_not(seen: Seen) -> None:
    here, there = seen("dgx-01", "alex"), seen("head-01", "alex")
    for path in ("/home/alex/note", "/data/note", "/tmp/note"):
        here.write(path, b"x")
    assert [there.exists(path) for path in ("/home/alex/note", "/data/note", "/tmp/note")] == [True, True, False]


def test_changing_mode_owner_or_time_leaves_the_content_live(seen: Seen, simulation: Simulation[World]) -> None:
    root = seen("dgx-01", "root")
    root.set_mode("/var/log/syslog", 0o644)
    root.set_owner("/var/log/kern.log", 0, 0)
    root.set_modified("/etc/slurm/slurm.conf", simulation.world.inventory.start)
    root.set_mode("/dev/nvidia0", 0o660)
    assert root.stat("/var/log/syslog").mode == 0o644
    assert root.stat("/var/log/kern.log").uid == 0
    assert root.stat(SLURM_CONF).modified == simulation.world.inventory.start
    assert files.text(simulation.world, "dgx-01", SLURM_CONF, "default") == "default"
    device = root.stat("/dev/nvidia0")
    assert (device.kind, device.mode, device.device) == (FileKind.CHARACTER_DEVICE, 0o660, (195, 0))


def test_sed_in_place_leaves_no_trace_of_its_temporary_file(seen: Seen, simulation: Simulation[World]) -> None:
    root = seen("dgx-01", "root")
    draft = "/etc/slurm/.bashkit-sed-0f3a9c.tmp"
    root.write(draft, b"one\n")
    root.append(draft, b"two\n")
    root.set_mode(draft, 0o640)
    assert root.read(draft) == b"one\ntwo\n"
    assert root.stat(draft).mode == 0o640
    root.rename(draft, SLURM_CONF)
    assert root.read(SLURM_CONF) == b"one\ntwo\n"
    assert root.stat(SLURM_CONF).mode == 0o640
    assert "bashkit" not in repr([encode(entry.action) for entry in simulation.recorded])
    with pytest.raises(FileError, match="Permission denied"):
        seen("dgx-01", "alex").write(draft, b"")


def test_a_replay_repeats_changes_of_what_the_site_gives(simulation: Simulation[World]) -> None:
    inventory = simulation.world.inventory
    root = HostTree(simulation, "dgx-01", identity(inventory, "root"))
    root.append("/etc/hosts", b"10.0.0.1 extra\n")
    root.append("/etc/hosts", b"10.0.0.2 more\n")
    simulation.advance(10**9)
    root.rename("/etc/slurm", "/etc/slurm.old")
    root.set_mode("/etc/motd", 0o600)
    root.remove("/etc/crontab", False)
    root.write("/var/log/syslog", b"")
    journal = [Recorded(entry.time, decode(encode(entry.action))) for entry in simulation.recorded]
    again = replay(open_site("dgx-h100-4", 1), journal)
    assert again.state_digest() == simulation.state_digest()
    assert HostTree(again, "dgx-01", root.identity).read("/etc/hosts").endswith(b"extra\n10.0.0.2 more\n")


def test_the_order_of_changes_does_not_name_the_state(simulation: Simulation[World]) -> None:
    names = ("b", "a", "c")
    digests = set()
    for order in (names, names[::-1]):
        twin = simulation.fork()
        tree = HostTree(twin, "dgx-01", identity(twin.world.inventory, "root"))
        for name in order:
            tree.write(f"/tmp/{name}", b"")
        digests.add(twin.world.digest())
    assert len(digests) == 1


def test_room_is_bounded(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FILE_BYTES", 100)
    monkeypatch.setattr(limits, "HOST_BYTES", 150)
    monkeypatch.setattr(limits, "HOST_FILES", 4)
    alex = seen("dgx-01", "alex")

    def refused(path: str, size: int) -> bool:
        try:
            alex.write(path, b"x" * size)
        except FileError as error:
            assert error.code is ErrorCode.NO_SPACE
            return True
        return False

    assert [refused("/tmp/big", 101), refused("/tmp/a", 100), refused("/tmp/b", 51), refused("/tmp/b", 50)] == [
        True, False, True, False,
    ]  # fmt: skip
    assert refused("/home/alex/c", 100) is False  # the shared directories have room of their own
    with pytest.raises(FileError, match="No space left"):
        alex.append("/tmp/b", b"x")
    alex.remove("/tmp/a", False)
    alex.append("/tmp/b", b"x" * 50)
    assert [refused(f"/tmp/{number}", 0) for number in range(4)] == [False, False, False, True]


def test_what_was_in_memory_ends_with_the_system(simulation: Simulation[World]) -> None:
    root = HostTree(simulation, "dgx-04", identity(simulation.world.inventory, "root"))
    for path in ("/tmp/x", "/run/x", "/dev/shm/x", "/var/tmp/x", "/raid/x", "/home/alex/x"):
        root.write(path, b"")
    simulation.publish(NodeStopping("dgx-04", "reboot", True))
    left = [
        path
        for path in ("/tmp/x", "/run/x", "/dev/shm/x", "/var/tmp/x", "/raid/x", "/home/alex/x")
        if root.exists(path)
    ]
    assert left == ["/var/tmp/x", "/raid/x", "/home/alex/x"]


def test_a_link_that_leads_nowhere_can_be_read_replaced_and_written_through(seen: Seen) -> None:
    alex = seen("dgx-01", "alex")
    alex.symlink("target", "/tmp/link")
    assert not alex.exists("/tmp/link")
    assert alex.lstat("/tmp/link").kind is FileKind.SYMLINK
    alex.write("/tmp/link", b"through")
    assert alex.read("/tmp/target") == b"through"
    alex.rename("/tmp/target", "/tmp/link")
    assert alex.lstat("/tmp/link").kind is FileKind.FILE


def test_names_are_limited_as_on_ext4(seen: Seen) -> None:
    alex = seen("dgx-01", "alex")
    alex.write("/tmp/" + "é" * 127, b"")
    for path in ("/tmp/" + "é" * 128, "/tmp/" + "a/" * 2100):
        with pytest.raises(FileError) as refused:
            alex.write(path, b"")
        assert refused.value.code is ErrorCode.NAME_TOO_LONG


def test_a_loop_of_links_ends(seen: Seen) -> None:
    alex = seen("dgx-01", "alex")
    alex.symlink("b", "/tmp/a")
    alex.symlink("a", "/tmp/b")
    with pytest.raises(FileError) as refused:
        alex.read("/tmp/a/file")
    assert refused.value.code is ErrorCode.LOOP
    for number in range(45):
        alex.symlink(f"l{number + 1}", f"/tmp/l{number}")
    alex.write("/tmp/l45", b"end")
    assert alex.read("/tmp/l5") == b"end"
    with pytest.raises(FileError) as refused:
        seen("dgx-01", "alex").read("/tmp/l4")
    assert refused.value.code is ErrorCode.LOOP


def test_removing_what_is_anothers_is_harm(seen: Seen, simulation: Simulation[World]) -> None:
    root, alex, priya = (seen("dgx-01", user) for user in ("root", "alex", "priya"))
    alex.write("/home/alex/own", b"")
    priya.write("/data/scratch/model", b"")
    priya.write("/data/scratch/old", b"")
    priya.remove("/data/scratch/old", False)
    root.remove("/home/alex/own", False)
    root.remove("/etc/crontab", False)
    assert harm.harms(simulation.world) == ()
    root.remove("/data/scratch/model", False)
    root.remove("/home/priya", True)
    assert [(each.kind, each.what) for each in harm.harms(simulation.world)] == [
        ("data_lost", "/data/scratch/model of priya"),
        ("data_lost", "/home/priya of priya"),
    ]
