"""A host's tree under bashkit's shell: lines that people type, with the answers of a Linux host."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.control.accounts import identity
from engine.hostfs.bridge import BridgeUnavailable, Mount
from engine.hostfs.host_tree import HostTree
from engine.kernel.simulation import Simulation
from engine.world.world import World

bashkit = pytest.importorskip("bashkit")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(simulation: Simulation[World]) -> Run:
    """Runs a line as a user on dgx-01: exit status, output, errors."""

    def line(text: str, user: str = "root") -> tuple[int, str, str]:
        failures: list[BaseException] = []
        tree = HostTree(
            simulation, "dgx-01", identity(simulation.world.inventory, user), programs=lambda: ("nvidia-smi",)
        )
        try:
            mount = Mount(tree, failures.append)
        except BridgeUnavailable as missing:
            pytest.skip(str(missing))
        shell = bashkit.Bash(cwd="/")
        shell.mount("/", mount.file_system)
        done = shell.execute_sync(text)
        mount.close()
        assert failures == []
        return done.exit_code, done.stdout, done.stderr.replace("bash: line 1: ", "")

    return line


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("cat /etc/hostname", "dgx-01\n"),
        ("cat /sys/class/infiniband/mlx5_0/ports/1/{state,phys_state}", "4: ACTIVE\n5: LinkUp\n"),
        (
            "cat /sys/class/infiniband/*/ports/1/link_layer | sort | uniq -c | tr -s ' '",
            " 2 Ethernet\n 10 InfiniBand\n",
        ),
        ("ls /sys/class/infiniband | wc -l", "12\n"),
        ("cd /sys/class/net/bond0 && cat mtu", "1500\n"),
        ("echo 10 > /proc/sys/vm/swappiness; cat /proc/sys/vm/swappiness", "10\n"),
        (
            "cd /etc/slurm; sed -i 's/^SlurmdTimeout=.*/SlurmdTimeout=60/' slurm.conf; grep SlurmdTimeout slurm.conf",
            "SlurmdTimeout=60\n",
        ),
        ("echo a > /tmp/x; echo b >> /tmp/x; cat /tmp/x; rm /tmp/x; ls /tmp", "a\nb\n"),
        ("gunzip -c /var/log/syslog.2.gz | grep -c dgx-01 | grep -q '[1-9]' && echo found", "found\n"),
        ("dd if=/dev/zero of=/tmp/z bs=1k count=10 2>/dev/null; wc -c < /tmp/z", "10240\n"),
        ("head -c 100 /dev/urandom | wc -c", "100\n"),
        ("[ -d /proc/1 ] && [ -e /dev/nvidia7 ] && [ ! -e /dev/nvidia8 ] && echo yes", "yes\n"),
        ("which nvidia-smi", "/usr/bin/nvidia-smi\n"),
        ("mkdir -p /tmp/a/b/c && mv /tmp/a /tmp/d && ls -d /tmp/d/b/c", "/tmp/d/b/c\n"),
        ("cp /etc/hostname /tmp/h && cat /tmp/h", "dgx-01\n"),
        ("echo gone > /dev/null; cat /dev/null", ""),
    ],
)
def test_lines(run: Run, line: str, output: str) -> None:
    assert run(line) == (0, output, "")


@pytest.mark.parametrize(
    ("user", "line", "words"),
    [
        ("alex", "cat /etc/shadow", "cat: /etc/shadow: Permission denied"),
        ("alex", "echo x > /etc/hosts", "/etc/hosts: Permission denied"),
        ("alex", "ls /root", "Permission denied"),
        ("root", "echo abc > /proc/sys/vm/swappiness", "/proc/sys/vm/swappiness: Invalid argument"),
        ("root", "echo 1 > /proc/uptime", "/proc/uptime: Input/output error"),
        ("root", "mkdir /proc/x", "mkdir: cannot create directory '/proc/x': No such file or directory"),
        ("root", "echo 1 > /sys/class/infiniband/mlx5_0/ports/1/state", "Permission denied"),
        ("root", "cat /dev/nvme0n1", "cat: /dev/nvme0n1: breakfix: not modelled"),
    ],
)
def test_refusals(run: Run, user: str, line: str, words: str) -> None:
    status, output, errors = run(line, user)
    assert (status != 0, output) == (True, "")
    assert words in errors


def test_sed_in_place_is_recorded_without_its_temporary_name(run: Run, simulation: Simulation[World]) -> None:
    run("sed -i s/dgx-01/dgx-99/ /etc/hostname")
    assert [type(entry.action).__name__ for entry in simulation.recorded] == ["WriteFile"]
