"""The command line of a managed switch over ssh."""

from __future__ import annotations

import pytest

from engine.commands._switch_os import words
from engine.commands._switch_os.mlnx_os import COMMANDS
from engine.commands.context import Place, Screen
from engine.control.subnet_manager import managers
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import Result, run_command


@pytest.fixture
def simulation() -> Simulation[World]:
    return open_site("dgx-h100-4", 1).fork()


def typed(simulation: Simulation[World], *lines: str, user: str = "admin") -> Result:
    text = ";".join(lines)
    return run_command(simulation, "head-01", "alex", f"ssh {user}@leaf-01 '{text}'")


def test_the_manager_is_switched_on_and_off(simulation: Simulation[World]) -> None:
    assert typed(simulation, "enable", "show ib sm").lines == ["disable"]
    typed(simulation, "en", "conf t", "ib sm", "ib sm sm-priority 15")
    simulation.advance(2 * SECOND)
    found = managers.master(simulation.world)
    assert found and (found.place, found.priority) == ("leaf-01", 15)
    assert typed(simulation, "enable", "show ib sm", "show ib sm sm-priority").lines == ["enable", "15"]
    assert "SUBNET UP" in typed(simulation, "enable", "show log").stdout
    sminfo = run_command(simulation, "head-01", "root", "sminfo").stdout
    assert "priority 15 state 3 SMINFO_MASTER" in sminfo and f"guid 0x{found.guid:x}" in sminfo
    typed(simulation, "en", "conf t", "no ib sm")
    assert [each.place for each in managers.managers(simulation.world)] == ["head-01"]


def test_modes_have_their_commands(simulation: Simulation[World]) -> None:
    assert typed(simulation, "ib sm").stdout.startswith('% Unrecognized command "sm"')
    assert typed(simulation, "enable", "ib sm").stdout.startswith("% Unrecognized")
    assert not simulation.world.managers["leaf-01"].enabled


def test_ports_are_those_of_the_fabric(simulation: Simulation[World]) -> None:
    lines = typed(simulation, "show interfaces ib status").lines
    assert len(lines) == 66 and lines[2].split() == ["IB1/1/1", "ndr", "400.0", "Gbps", "Active", "LinkUp"]
    assert "Physical port state   : LinkUp" in typed(simulation, "show interfaces ib 1/1/1").stdout
    assert typed(simulation, "show interfaces ib 1/99/1").stdout.startswith("% Invalid interface")


def test_who_may_enter(simulation: Simulation[World]) -> None:
    assert typed(simulation, "show version", user="alex").status == 255
    assert typed(simulation, "show version").stdout.startswith("Product name:      MLNX-OS\n")
    assert run_command(simulation, "head-01", "priya", "ssh admin@leaf-01 show version").status == 255


def test_what_is_not_there_says_so(simulation: Simulation[World]) -> None:
    assert "not modelled: the inventory of a switch" in typed(simulation, "show inventory").stderr
    assert typed(simulation, "frobnicate").stdout == '% Unrecognized command "frobnicate".\n% Type "?" for help.\n'


def test_help_lists_what_may_follow() -> None:
    assert [word for word, _ in words.follow(COMMANDS, words.STANDARD, "sho")] == ["show"]
    assert "version" in [word for word, _ in words.follow(COMMANDS, words.STANDARD, "show ")]
    assert [word for word, _ in words.follow(COMMANDS, words.CONFIG, "show ib sm ")] == ["<cr>", "sm-priority"]


class Typist:
    """A terminal at which these lines are typed."""

    columns, rows = 80, 24

    def __init__(self, *lines: str) -> None:
        self.lines, self.prompts = list(lines), list[str]()

    async def ask(self, prompt: str, *, hidden: bool = False) -> str | None:
        self.prompts.append(prompt)
        return self.lines.pop(0) if self.lines else None

    async def show(self, screen: Screen, refresh: int | None = None) -> int | None:
        return None

    async def login(self, place: Place) -> int:
        return 0


def test_lines_are_typed_one_after_another(simulation: Simulation[World]) -> None:
    typist = Typist("enable", "conf t", "ib sm", "exit", "show ib ?", "exit")
    result = run_command(simulation, "head-01", "alex", "ssh admin@leaf-01", terminal=typist)
    assert typist.prompts == [
        "leaf-01 > ", "leaf-01 # ", "leaf-01 (config) # ", "leaf-01 (config) # ", "leaf-01 # ", "leaf-01 # ",
    ]  # fmt: skip
    assert simulation.world.managers["leaf-01"].enabled and "NVIDIA MLNX-OS Switch Management" in result.stdout
    assert result.lines[-1].startswith("sm ") and result.stderr == "Connection to leaf-01 closed.\n"


def test_its_own_parts(simulation: Simulation[World]) -> None:
    fans = typed(simulation, "show fan").lines
    assert fans[1].split() == ["Module", "Device", "Fan", "Speed", "Status"] and len(fans) == 4 + 16
    assert all(5_000 < float(line.split()[3]) < 8_000 for line in fans[4:])
    power = typed(simulation, "show power").lines[4:]
    assert [line.split()[0] for line in power] == ["PS1", "PS2"]
    for _, _, _, watts, volts, amperes, *_ in map(str.split, power):
        assert float(watts) == pytest.approx(float(volts) * float(amperes), abs=3)
    assert "Ports AMB temp" in typed(simulation, "show temperature").stdout
    assert typed(simulation, "show uptime").stdout.startswith("93d 0h ")
