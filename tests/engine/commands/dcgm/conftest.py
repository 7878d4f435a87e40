"""A site with nothing done to it yet, and dcgmi on its idle node."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.shell.play import Play
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import Result, run_command

IDLE, BUSY = "dgx-04", "dgx-01"
"""A node without jobs, and one with a standing job on all GPUs."""

Dcgmi = Callable[..., Result]
Break = Callable[[str], None]
Typed = Callable[[str], str]


@pytest.fixture(scope="session")
def pristine() -> Simulation[World]:
    return open_site("dgx-h100-4")


@pytest.fixture
def site(pristine: Simulation[World]) -> Simulation[World]:
    """A copy of its own for each test."""
    return pristine.fork()


@pytest.fixture
def dcgmi(site: Simulation[World]) -> Dcgmi:
    """Runs `dcgmi WORDS` on the idle node as an ordinary user, unless told otherwise."""

    def run(words: str = "", host: str = IDLE, user: str = "alex", **options: object) -> Result:
        return run_command(site, host, user, f"dcgmi {words}", **options)  # type: ignore[arg-type]

    return run


@pytest.fixture
def root(site: Simulation[World]) -> Callable[[str], Result]:
    """Runs a line on the idle node as root."""
    return lambda line: run_command(site, IDLE, "root", line)


@pytest.fixture
def broken(site: Simulation[World]) -> Break:
    """Injects a fault and lets a minute pass."""

    def inject(text: str) -> None:
        site.apply(parse_fault(text))
        site.advance(MINUTE)

    return inject


@pytest.fixture
def typed(site: Simulation[World]) -> Iterator[Typed]:
    """Types a line of bash into a terminal of root's on the idle node."""
    play = Play(site)
    terminal = play.open_terminal(IDLE, "root")
    with asyncio.Runner() as loop:

        def run(line: str) -> str:
            return loop.run(play.run_line(terminal, line)).output.decode()

        yield run
    play.close()


def older(version: str) -> Simulation[World]:
    """A site with another DCGM."""
    return open_site("dgx-h100-4", overrides={"software.dcgm": version})
