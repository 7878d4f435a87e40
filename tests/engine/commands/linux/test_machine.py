"""sysctl, numactl, dmidecode, ethtool, mpstat: what they show follows from the host's tree and the inventory."""

from __future__ import annotations

import pytest

from engine.control import network, sysctl
from engine.control.network import SetInterface


def test_sysctl_and_its_files_agree(run, simulation) -> None:
    known = sysctl.settings(simulation.world, "dgx-01")
    lines = run("sysctl -a", host="dgx-01", user="root").lines
    shown = dict(line.partition(" = ")[::2] for line in lines)
    assert {name: sysctl.value(simulation.world, "dgx-01", name) for name in known} == shown
    assert run("sysctl -n vm/swappiness", host="dgx-01").stdout == "60\n"


def test_root_sets_what_the_kernel_takes(run, simulation) -> None:
    refused = run("sysctl -w vm.swappiness=10", host="dgx-01")
    assert (refused.stderr, refused.status) == ('sysctl: permission denied on key "vm.swappiness"\n', 1)
    assert run("sysctl -w vm.swappiness=10", host="dgx-01", user="root").stdout == "vm.swappiness = 10\n"
    assert sysctl.value(simulation.world, "dgx-01", "vm.swappiness") == "10"
    wrong = run("sysctl vm.swappiness=abc", host="dgx-01", user="root")
    assert (wrong.stderr, wrong.status) == ('sysctl: setting key "vm.swappiness": Invalid argument\n', 1)


def test_sysctl_reads_files(run, simulation) -> None:
    told = run("sysctl -p /etc/sysctl.d/99-cluster.conf", host="dgx-01", user="root")
    assert told.status == 0 and "vm.max_map_count = 1048576" in told.lines
    assert run("sysctl -p /nosuch").stderr == 'sysctl: cannot open "/nosuch": No such file or directory\n'


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("sysctl nosuch.x", "sysctl: cannot stat /proc/sys/nosuch/x: No such file or directory\n"),
        ("sysctl -w vm.swappiness", "sysctl: command line(0): invalid syntax, continuing...\n"),
        ("sysctl -w", "sysctl: no variables specified\nTry `sysctl --help' for more information.\n"),
    ],
)
def test_sysctl_refuses(run, line: str, words: str) -> None:
    told = run(line)
    assert (told.stderr, told.status) == (words, 1)


def test_numactl_shows_every_cpu_once(run, simulation) -> None:
    lines = run("numactl -H", host="dgx-01").lines
    cpus = [int(word) for line in lines if " cpus: " in line for word in line.partition(": ")[2].split()]
    cpu = simulation.world.node("dgx-01").cpu
    assert lines[0] == "available: 2 nodes (0-1)" and sorted(cpus) == list(range(cpu.sockets * cpu.cores * cpu.threads))
    assert lines[-3:] == ["node    0    1 ", "   0:   10   21 ", "   1:   21   10 "]
    assert run("numactl -N 0 -m 0 hostname", host="dgx-01").stdout == "dgx-01\n"
    assert run("numactl -N 7 hostname", host="dgx-01").stderr.startswith(
        "libnuma: Warning: node argument 7 is out of range\n"
    )


def test_dmidecode_is_for_root(run, simulation) -> None:
    node = simulation.world.node("dgx-01")
    refused = run("dmidecode -s system-serial-number", host="dgx-01")
    assert refused.stderr.endswith("/dev/mem: Permission denied\n") and refused.status == 1 and refused.stdout == ""
    assert run("dmidecode -s system-serial-number", host="dgx-01", user="root").stdout == f"{node.serial}\n"
    assert run("dmidecode -s bios-version", host="dgx-01", user="root").stdout == f"{node.bios}\n"
    modules = run("dmidecode -t 17", host="dgx-01", user="root").stdout
    sizes = [int(line.split()[1]) for line in modules.splitlines() if line.startswith("\tSize: ")]
    assert len(sizes) == node.dimms and sum(sizes) << 30 == node.memory_bytes
    assert "Product Name: DGXH100" in run("dmidecode -t system", host="dgx-01", user="root").stdout
    assert run("dmidecode -t slot", host="dgx-01", user="root").status == 125
    assert run("dmidecode -t foo", host="dgx-01", user="root").stderr.startswith("Invalid type keyword: foo\n")


def test_ethtool_follows_the_link(run, simulation) -> None:
    assert "\tSpeed: 10000Mb/s" in run("ethtool eno3", host="dgx-01").lines
    simulation.apply(SetInterface("dgx-01", "eno3", False))
    down = run("ethtool eno3", host="dgx-01").lines
    assert "\tSpeed: Unknown!" in down and down[-1] == "\tLink detected: no"
    hca = simulation.world.node("dgx-01").hcas[0]
    told = run(f"ethtool -i {hca.netdev}", host="dgx-01").lines
    assert f"firmware-version: {hca.firmware} ({hca.board_id})" in told and f"bus-info: {hca.address}" in told
    speeds = {each.name: each.speed for each in network.interfaces(simulation.world, "dgx-01")}
    bond = next(each for each in network.interfaces(simulation.world, "dgx-01") if each.members)
    together = sum(speeds[member] for member in bond.members)
    assert f"\tSpeed: {together}Mb/s" in run(f"ethtool {bond.name}", host="dgx-01").lines
    missing = run("ethtool nosuch", host="dgx-01")
    assert missing.stdout == "No data available\n" and missing.status == 75
    assert run("ethtool -S eno3", host="dgx-01").status == 125


def test_mpstat_sees_the_load(run) -> None:
    busy, idle = (run("mpstat 1 3", host=host).lines[-1] for host in ("dgx-01", "dgx-04"))
    assert busy.startswith("Average:     all") and float(busy.split()[-1]) < float(idle.split()[-1]) <= 100
    shares = [float(word) for word in busy.split()[2:]]
    assert abs(sum(shares) - 100) < 0.1
    assert run("mpstat -P ALL", host="head-01").lines[3].split()[2] == "all" or len(run("mpstat -P ALL").lines) > 100
