"""No words make a perftest program fail in itself."""

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

NAMES = sorted(name for name, module in command_modules().items() if ".perftest." in module)
WORDS = [
    "", "-", "--", "-a", "-b", "-R", "-F", "-e", "-D", "-q", "-s", "-x", "-m", "-n", "-p", "-l", "-u", "-S", "-c", "-d",
    "mlx5_0", "mlx5_2", "0", "1", "5", "010", "0x", "-1", "4K", "RC", "UD", "UC", "é", "1e9", "dgx-01", "nosuch",
    "--report_gbits", "--run_infinitely", "--use_cuda=0", "--use_cuda_bus_id=1b:00.0", "--use_cuda_dmabuf", "--output",
    "--output=latency", "-w", "-y", "-f", "-I", "-o", "-r", "-t", "-Q", "-T", "-A", "--qp=2", "--all", "--mtu=256",
]  # fmt: skip


@pytest.fixture(scope="module")
def site() -> Simulation[World]:
    return open_site("dgx-h100-4", 1)


@pytest.mark.parametrize("name", NAMES)
def test_help_and_declarations(name: str, site: Simulation[World]) -> None:
    command = load_command(name)
    assert command.name == name and command.summary and not command.summary.endswith(".")
    assert name in run_command(site.fork(), "dgx-01", "alex", f"{name} --help").stdout


@settings(max_examples=40)
@given(data=st.data())
@pytest.mark.parametrize("name", NAMES)
def test_any_words_are_answered(name: str, site: Simulation[World], data: st.DataObject) -> None:
    line = shlex.join([name, *data.draw(st.lists(st.sampled_from(WORDS), max_size=6))])
    result = run_command(
        site.fork(), "dgx-01", data.draw(st.sampled_from(["alex", "root"])), line, interrupt_after=9 * SECOND
    )
    assert 0 <= result.status <= 255 and "Traceback" not in result.stderr
