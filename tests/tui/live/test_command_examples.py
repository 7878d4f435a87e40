"""Every ready line runs on a healthy site, on the host itself and from another; every command that does something has
some.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from engine.commands.command import command_modules, installed, load_command
from engine.commands.context import Screen
from engine.kernel.simulation import Simulation
from engine.shell.play import Play
from engine.simulation import open_site
from engine.world.world import World
from tests.support.worlds import inventory
from tui.live.command_examples import (
    SHELL_SUMMARIES,
    Example,
    examples,
    is_from_here,
    on_host,
    reason_text,
    searched,
    topics,
)

VALUES = {"host": ["dgx-03"], "job": ["48287"], "reason": ["it's slow, see 'dmesg'"], "interface": ["eno1"]}
FAMILIES = ("gpu", "dcgm", "cuda", "slurm", "infiniband", "mellanox", "perftest", "bmc", "pci", "hands", "linux",
            "nccl", "mpi", "containers", "docker", "kubernetes", "ethernet")  # fmt: skip


def family(name: str) -> str:
    return command_modules().get(name, "engine.commands.linux.x").split(".")[2]


def lines_for(host: str) -> Iterator[str]:
    """Lines that are typed on a host itself."""
    has_gpus = bool(inventory().node(host).gpus)
    for name, found in examples().items():
        if name in SHELL_SUMMARIES or installed(inventory(), host, name):
            for one in found:
                if has_gpus or not one.needs_gpus:
                    yield from one.filled({**VALUES, "interface": [inventory().node(host).addresses[0].interface]})


def lines_for_another() -> Iterator[str]:
    """Lines that are typed on the login host for another."""
    for name, found in examples().items():
        if not is_from_here(name, family(name)):
            for one in found:
                for line in one.filled({**VALUES, "interface": ["bond0"]}):
                    yield on_host(line, "dgx-03")


async def ask(prompt: str, hidden: bool) -> str | None:
    return "n"


async def show(screen: Screen, refresh: int | None) -> int | None:
    assert screen.render(80, 24)
    return 0


async def wrong_lines(start: Simulation[World], host: str, lines: Iterator[str]) -> list[str]:
    """The lines that a shell or a command did not understand, each run in a world of its own."""
    wrong = []
    for line in lines:
        play = Play(start.fork())
        terminal = play.open_terminal(host, "alex", interactive=True, shower=show, asker=ask)
        try:
            result = await asyncio.wait_for(play.run_line(terminal, line), 20)
        finally:
            play.close()
        if result.status in (2, 125, 126, 127) or b"not modelled" in result.output:
            wrong.append(f"{line}: {result.status} {result.output.decode()[:100]}")
    return wrong


@pytest.mark.parametrize("host", ["head-01", "dgx-04"])
def test_every_ready_line_runs(host: str) -> None:
    lines = list(lines_for(host))
    assert len(lines) > 180
    assert asyncio.run(wrong_lines(open_site("dgx-h100-4", 1, {}), host, iter(lines))) == []


def test_every_ready_line_runs_from_the_login_host() -> None:
    lines = list(lines_for_another())
    assert len(lines) > 140 and all(line.startswith("ssh ") for line in lines)
    assert asyncio.run(wrong_lines(open_site("dgx-h100-4", 1, {}), "head-01", iter(lines))) == []


def test_ready_lines_of_a_kubernetes_site() -> None:
    found = examples()["kubectl"] + examples()["helm"]
    lines = [line for one in found for line in one.filled({"host": ["gpu-02"]})]
    assert len(lines) == len(found) and is_from_here("kubectl", "kubernetes")
    assert asyncio.run(wrong_lines(open_site("k8s-ib-3", 1, {}), "head-01", iter(lines))) == []


def test_every_command_has_ready_lines_unless_it_is_not_modelled() -> None:
    without = set(command_modules()) - set(examples())
    assert all("not model" in load_command(name).manual for name in without)
    assert set(examples()) - set(command_modules()) == set(SHELL_SUMMARIES)


def test_no_area_is_left_out_and_no_line_comes_twice() -> None:
    assert {family(name) for name in examples()} == set(FAMILIES)
    lines = [one.line for commands in topics().values() for found in commands.values() for one in found]
    assert len(lines) == len(set(lines))
    assert not any(host in line for line in lines for host in inventory().host_names)


def test_marks_and_names_are_read() -> None:
    restart = next(one for one in examples()["systemctl"] if "restart" in one.line)
    assert restart == Example("sudo systemctl restart slurmd", "start a service again", True, True)
    assert examples()["dshbak"][0].line.startswith("pdsh ")
    assert examples()["awk"][0].filled({}) == ["awk '{print $1}' /etc/hosts | head"]


def test_each_value_gives_a_line() -> None:
    example = Example("scancel {job}", "")
    assert example.filled({"job": ["1", "2"]}) == ["scancel 1", "scancel 2"]
    assert example.filled({}) == []


@pytest.mark.parametrize(
    ("line", "there"),
    [
        ("nvidia-smi -L", "ssh dgx-02 nvidia-smi -L"),
        ("sudo dmesg -T | tail -50", "ssh dgx-02 sudo dmesg -T | tail -50"),
        ("top", "ssh -t dgx-02 top"),
        ("sudo less /var/log/syslog", "ssh -t dgx-02 sudo less /var/log/syslog"),
        ('logger "a | b"', "ssh dgx-02 'logger \"a | b\"'"),
        ("dmesg | grep -E 'a|b'", "ssh dgx-02 dmesg | grep -E 'a|b'"),
        ("getent passwd $USER", "ssh dgx-02 'getent passwd $USER'"),
    ],
)
def test_a_line_for_another_host(line: str, there: str) -> None:
    assert on_host(line, "dgx-02") == there


def test_a_reason_can_stand_between_quotes() -> None:
    assert reason_text('  "Xid 79"\n$(reboot) `x` \\ !!') == "'Xid 79' (reboot) x"
    assert len(reason_text("word " * 100)) <= 100


def test_search_looks_at_names_summaries_and_lines() -> None:
    names, summaries = list(examples()), {"free": "show how much memory is free"}
    assert searched(names, "ib", summaries)[0].startswith("ib")
    assert searched(names, "how much memory", summaries) == ["free"]
    assert {"nvidia-smi", "ipmitool"} <= set(searched(names, "temperatures", summaries))
    assert searched(names, "no such thing", summaries) == []
