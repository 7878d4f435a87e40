"""A simulation of the small site for each test, and how tests name commands, hosts and terminals."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import Result, run_command

Run = Callable[..., Result]


@pytest.fixture(scope="session")
def opened() -> Simulation[World]:
    return open_site("dgx-h100-4", 1)


@pytest.fixture
def simulation(opened: Simulation[World]) -> Simulation[World]:
    return opened.fork()


@pytest.fixture
def run(simulation: Simulation[World]) -> Run:
    """run("df -h", host="dgx-01", user="root"); the learner on the login host if not said otherwise."""

    def run_line(line: str, host: str = "head-01", user: str = "alex", **options) -> Result:
        return run_command(simulation, host, user, line, **options)

    return run_line


class FakeTerminal:
    """A terminal of a size; what is shown full-screen and who logs in is remembered."""

    def __init__(self, columns: int = 80, rows: int = 24, keys: tuple[str, ...] = (), has_screen: bool = True) -> None:
        self.columns, self.rows, self.keys, self.has_screen = columns, rows, keys, has_screen
        self.pictures: list[list[str]] = []
        self.logins = []

    async def ask(self, prompt: str, *, hidden: bool = False) -> str | None:
        return "secret"

    async def show(self, screen, refresh: int | None = None) -> int | None:
        if not self.has_screen:
            return None
        self.pictures.append(screen.render(self.columns, self.rows))
        for key in self.keys:
            ended = await screen.key(key)
            if ended is not None:
                return ended
            self.pictures.append(screen.render(self.columns, self.rows))
        return 0

    async def login(self, place) -> int:
        self.logins.append(place)
        return 3


@pytest.fixture
def terminal() -> FakeTerminal:
    return FakeTerminal()
