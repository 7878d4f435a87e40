"""No words make a command fail in itself: every Linux command answers any line with output, an error of its tool, and
a status.
"""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.commands.command import command_modules, load_command
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command

NAMES = sorted(name for name, module in command_modules().items() if ".linux." in module or ".hands." in module)
WORDS = [
    "", "-", "--", "-a", "-l", "-n", "-f", "-u", "-b", "-1", "+1", "--help", "--version", "--foo", "-x", "-o", "pid",
    "/",
    "/etc/hostname", "nosuch", "dgx-01", "dgx-[01-02]", "root", "alex", "status", "ssh", "show", "5", "1.5", "0", "-t",
    "=", "a=b", "é", "\n", "*", "[", "(", "!", ";", "{}", "-exec", "-name", "-p", "-c", "-w", "date", "10", "now", "-r",
    "-s", "-k", "2026-11-30", "%", "-i", "-h", "-v", "-e", "link", "addr", "lo", "up", "down", "TERM", "-9", "list",
]  # fmt: skip


@pytest.fixture(scope="module")
def site() -> Simulation[World]:
    return open_site("dgx-h100-4", 1)


@pytest.mark.parametrize("name", NAMES)
def test_help_and_declarations(name: str, site: Simulation[World]) -> None:
    command = load_command(name)
    assert command.name == name and command.summary and not command.summary.endswith(".")
    answer = run_command(site.fork(), "head-01", "alex", f"{name} --help", stdin=b"")
    text = answer.stdout + answer.stderr
    assert name in text.lower()
    assert answer.status in (0, 1, 2, 255)


@settings(max_examples=12)
@given(data=st.data())
@pytest.mark.parametrize("name", NAMES)
def test_any_words_are_answered(name: str, site: Simulation[World], data: st.DataObject) -> None:
    words = data.draw(st.lists(st.sampled_from(WORDS), max_size=5))
    user = data.draw(st.sampled_from(["alex", "priya", "root"]))
    line = shlex.join([name, *words])
    result = run_command(site.fork(), "dgx-01", user, line, stdin=b"one\ntwo\n", interrupt_after=20 * SECOND, head=2000)
    assert 0 <= result.status <= 255
    assert "Traceback" not in result.stderr
