"""A sandbox on the screen: its seats, its time, and taking it up again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.units import MINUTE
from tui.live import sandbox
from tui.live.sandbox import LiveSandbox
from tui.opening import Opening
from tui.store import saved_sessions


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


class View:
    """A pane that only remembers what was printed."""

    size_in_cells = (100, 30)

    def __init__(self) -> None:
        self.printed = ""

    def print(self, data: bytes, is_error: bool) -> None:
        self.printed += data.decode()

    async def ask(self, prompt: str, hidden: bool) -> str | None:
        return None

    async def show(self, screen: object, refresh: int | None) -> int | None:
        return None


def seated(live: LiveSandbox, number: int = 1) -> View:
    view = View()
    live.seat(number).view = view
    return view


async def opened(*faults: str) -> LiveSandbox:
    return await sandbox.begin(Opening("dgx-h100-4", 1, faults))


def test_lines_print_in_their_own_seat_with_its_size() -> None:
    async def run() -> tuple[str, str]:
        live = await opened()
        first, second = seated(live), seated(live, 2)
        await live.seat(1).run_line("echo one; tput cols")
        await live.seat(2).run_line("hostname")
        live.close()
        return first.printed, second.printed

    first, second = asyncio.run(run())
    assert first.splitlines()[0] == "one"
    assert second == "head-01\n"


def test_a_login_elsewhere_is_the_seats_host() -> None:
    async def run() -> list[str]:
        live = await opened()
        seated(live)
        hosts = [live.seat(1).host]
        for line in ("ssh dgx-02", "exit"):
            await live.seat(1).run_line(line)
            hosts.append(live.seat(1).host)
        live.close()
        return hosts

    assert asyncio.run(run()) == ["head-01", "dgx-02", "head-01"]


def test_waiting_is_a_move() -> None:
    async def run() -> tuple[int, str]:
        live = await opened()
        view = seated(live)
        before = live.simulation.now
        await live.seat(1).run_line(":wait 10m")
        passed = live.simulation.now - before
        await live.seat(1).run_line(":wait tomorrow")
        live.close()
        return passed, view.printed

    passed, printed = asyncio.run(run())
    assert passed == 10 * MINUTE
    assert "10m" in printed
    assert "tomorrow" in printed


def test_taken_up_again_it_stands_where_it_was_left() -> None:
    async def play() -> tuple[str, int]:
        live = await opened("cooling.fan_failed target=dgx-02/fan1")
        seated(live), seated(live, 2)
        await live.seat(1).run_line("echo kept > note.txt; cd /tmp")
        await live.seat(2).run_line("ssh dgx-02")
        live.close()
        return live.simulation.state_digest(), live.simulation.now

    async def again() -> tuple[str, int, list[int], str, str, list[str]]:
        live = await sandbox.resume(saved_sessions("sandbox")[0])
        view = seated(live)
        state = live.simulation.state_digest(), live.simulation.now
        numbers, host = live.known_terminals(), live.seat(2).host
        await live.seat(1).run_line("cat ~/note.txt; pwd")
        past = [line.text for line in live.seat(1).past]
        live.close()
        return *state, numbers, host, view.printed, past

    before = asyncio.run(play())
    digest, now, numbers, host, printed, past = asyncio.run(again())
    assert (digest, now) == before
    assert numbers == [1, 2]
    assert host == "dgx-02"
    assert printed == "kept\n/tmp\n"
    assert past == ["echo kept > note.txt; cd /tmp"]


def test_a_seat_whose_shell_was_left_has_ended_and_begins_anew_when_used() -> None:
    async def run() -> tuple[bool, str, bool]:
        live = await opened()
        view = seated(live)
        await live.seat(1).run_line("exit")
        ended = live.seat(1).ended
        await live.seat(1).run_line("hostname")
        state = ended, view.printed, live.seat(1).ended
        live.close()
        return state

    ended, printed, later = asyncio.run(run())
    assert ended
    assert printed.endswith("head-01\n")
    assert not later


def test_time_on_the_wall_passes_in_the_world_while_nobody_types() -> None:
    async def run() -> int:
        live = await opened()
        live.terminal(1)
        before = live.simulation.now
        live.clock._unspent = 3 * MINUTE
        await live.keep_time()
        passed = live.simulation.now - before
        live.close()
        return passed

    assert 3 * MINUTE <= asyncio.run(run()) < 3 * MINUTE + MINUTE


def test_what_a_full_screen_program_showed_has_been_seen() -> None:
    class Pressing(View):
        """Looks at a full-screen program once and leaves it."""

        async def show(self, screen: Any, refresh: int | None) -> int | None:
            screen.render(100, 30)
            return await screen.key("q")

    async def run() -> str | None:
        live = await opened()
        live.seat(1).view = Pressing()
        await live.seat(1).run_line("watch sinfo")
        known = live.knowledge.value("dgx-04", "Slurm")
        live.close()
        return known

    assert asyncio.run(run()) is not None


def test_a_sandbox_in_which_nothing_was_done_is_not_kept() -> None:
    async def run(*lines: str) -> int:
        live = await opened()
        seated(live)
        live.terminal(1)
        for line in lines:
            await live.seat(1).run_line(line)
        live.close()
        return len(saved_sessions())

    assert asyncio.run(run()) == 0
    assert asyncio.run(run("sinfo")) == 1
