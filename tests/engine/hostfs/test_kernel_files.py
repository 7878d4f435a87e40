"""/proc and /sys: what the kernel refuses even to root, and what writing does. Answers were tried on a running Linux
6.18.
"""

from __future__ import annotations

import pytest

from engine.control.accounts import identity
from engine.hostfs.host_tree import HostTree
from engine.hostfs.tree import ErrorCode, FileError
from engine.kernel.simulation import Simulation, replay
from engine.simulation import open_site
from engine.world.records import BootPhase
from engine.world.world import World
from tests.engine.hostfs.conftest import Seen


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("write", ("/proc/x", b""), ErrorCode.NOT_FOUND),
        ("make_directory", ("/proc/x", False), ErrorCode.NOT_FOUND),
        ("symlink", ("a", "/proc/x"), ErrorCode.NOT_FOUND),
        ("write", ("/proc/sys/vm/x", b""), ErrorCode.NOT_FOUND),
        ("rename", ("/proc/uptime", "/proc/other"), ErrorCode.NOT_FOUND),
        ("remove", ("/proc/uptime", False), ErrorCode.NOT_PERMITTED),
        ("write", ("/proc/uptime", b"1\n"), ErrorCode.IO),
        ("write", ("/proc/1/status", b"1\n"), ErrorCode.INVALID),
        ("write", ("/proc/sys/kernel/osrelease", b"1\n"), ErrorCode.PERMISSION),
        ("write", ("/proc/sys/vm/swappiness", b"abc\n"), ErrorCode.INVALID),
        ("write", ("/proc/sys/vm/swappiness", b"201\n"), ErrorCode.INVALID),
        ("write", ("/proc/sys/vm/drop_caches", b"9\n"), ErrorCode.INVALID),
        ("write", ("/proc", b""), ErrorCode.IS_DIRECTORY),
        ("write", ("/sys/x", b""), ErrorCode.PERMISSION),
        ("make_directory", ("/sys/x", False), ErrorCode.NOT_PERMITTED),
        ("symlink", ("a", "/sys/x"), ErrorCode.NOT_PERMITTED),
        ("remove", ("/sys/class", False), ErrorCode.NOT_PERMITTED),
        ("remove", ("/sys/class/net", True), ErrorCode.NOT_PERMITTED),
        ("write", ("/sys/class/infiniband/mlx5_0/ports/1/state", b"1\n"), ErrorCode.PERMISSION),
        ("read", ("/sys/bus/pci/devices/0000:1b:00.0/reset",), ErrorCode.PERMISSION),
        ("write", ("/sys/bus/pci/devices/0000:1b:00.0/reset", b"1\n"), ErrorCode.NOT_MODELLED),
        ("write", ("/sys/class/net/bond0/mtu", b"9000\n"), ErrorCode.NOT_MODELLED),
        ("read", ("/sys/class/net/lo/speed",), ErrorCode.INVALID),
        ("set_mode", ("/proc/uptime", 0o600), ErrorCode.NOT_PERMITTED),
        ("write", ("/dev/nvidia0", b"x"), ErrorCode.INVALID),
        ("write", ("/dev/nvme0n1", b"x"), ErrorCode.NOT_MODELLED),
        ("rename", ("/dev/nvidia0", "/dev/other"), ErrorCode.NOT_MODELLED),
    ],
)
def test_root_is_refused(seen: Seen, name: str, arguments: tuple[object, ...], expected: ErrorCode) -> None:
    root = seen("dgx-01", "root")
    with pytest.raises(FileError) as refused:
        getattr(root, name)(*arguments)
    assert refused.value.code is expected


def test_nothing_that_is_refused_changes_the_world(seen: Seen, simulation: Simulation[World]) -> None:
    before = simulation.state_digest()
    for path in ("/proc/uptime", "/sys/class/infiniband/mlx5_0/ports/1/state", "/proc/x", "/sys/x"):
        with pytest.raises(FileError):
            seen("dgx-01", "root").write(path, b"1\n")
    assert simulation.state_digest() == before


def test_opening_a_proc_file_without_writing_does_nothing(seen: Seen) -> None:
    seen("dgx-01", "root").write("/proc/sys/vm/swappiness", b"")
    assert seen("dgx-01", "root").read("/proc/sys/vm/swappiness") == b"60\n"


def test_sysctl_is_set_until_the_next_boot(simulation: Simulation[World]) -> None:
    root = HostTree(simulation, "dgx-04", identity(simulation.world.inventory, "root"))
    root.write("/proc/sys/vm/swappiness", b"10\n")
    root.append("/proc/sys/net/ipv4/tcp_rmem", b"4096 87380\n")
    assert root.read("/proc/sys/vm/swappiness") == b"10\n"
    assert root.read("/proc/sys/net/ipv4/tcp_rmem") == b"4096\t87380\t6291456\n"
    root.write("/proc/sysrq-trigger", b"b")
    assert simulation.world.nodes["dgx-04"].phase is not BootPhase.RUNNING
    simulation.advance(600 * 10**9)
    assert root.read("/proc/sys/vm/swappiness") == b"60\n"


def test_sysctl_replays(site: Simulation[World], simulation: Simulation[World]) -> None:
    root = HostTree(simulation, "dgx-01", identity(simulation.world.inventory, "root"))
    for _ in range(2):
        root.write("/proc/sys/kernel/numa_balancing", b"0\n")
    again = replay(open_site("dgx-h100-4", 1), simulation.recorded)
    assert again.state_digest() == simulation.state_digest()


def test_proc_self_is_the_shell(simulation: Simulation[World]) -> None:
    alex = identity(simulation.world.inventory, "alex")
    tree = HostTree(simulation, "head-01", alex, shell=4711)
    assert tree.read_link("/proc/self") == "4711"
    assert tree.read("/proc/self/comm") == b"bash\n"
    assert b"Uid:\t1001\t" in tree.read("/proc/4711/status")
    assert tree.real_path("/proc/self/fd/../status") == "/proc/4711/status"


def test_each_identity_has_a_proc_self_of_its_own(simulation: Simulation[World]) -> None:
    inventory = simulation.world.inventory
    alex = HostTree(simulation, "head-01", identity(inventory, "alex"), shell=4711)
    root = alex.seen_by(identity(inventory, "root"), shell=4712)
    again = alex.seen_by(identity(inventory, "alex"))
    assert [tree.read_link("/proc/self") for tree in (alex, root)] == ["4711", "4712"]
    assert [tree.read("/proc/self/status").split(b"Uid:\t")[1][:4] for tree in (alex, root, again)] == [
        b"1001", b"0\t0\t", b"1001",
    ]  # fmt: skip
    assert not root.exists("/proc/4711")
