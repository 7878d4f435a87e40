"""The debrief."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.drills import OPENING, SIZES, Played, play
from tui.look.glyphs import ASCII, UNICODE
from tui.screens.debrief import Debrief
from tui.widgets.debrief_sections import LEFT, RIGHT, Debriefing, head, section_rows
from tui.widgets.rows import Rows, laid_out

BAD = [
    ":hint",
    ":diagnose component=dgx-02 cause=cooling.fan_failed",
    ":diagnose component=dgx-01/gpu4 cause=gpu.fell_off_bus",
    "ssh dgx-02 sudo reboot",
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    return tmp_path


async def text_of(played: Played[Any], ascii_only: bool = False) -> str:
    """Everything that a debrief tells, as one text."""
    told = Debriefing(played.live, await played.live.submit(), ASCII if ascii_only else UNICODE)
    rows = [*head(told), *(row for name, section in (*LEFT, *RIGHT) for row in section_rows(name, section, told))]
    return "\n".join("".join(text for text, _ in line) for line in laid_out(rows, 200, "~"))


def test_a_solved_drill_is_told_whole() -> None:
    async def act(played: Played[None]) -> None:
        text = await text_of(played)
        assert "100 / 100   ✓ passed" in text
        assert "A GPU falls off the PCIe bus: dgx-01/gpu4" in text
        assert "✓ You said: A GPU falls off the PCIe bus: dgx-01/gpu4 (right)" in text
        assert "◆ pinned  lspci reads all ones from 9d:00.0 (rev ff)" in text
        assert "9d:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev ff)" in text
        assert "NCCL complains whenever a rank goes away" in text
        assert "Drain first, so that nobody's next job dies there" in text
        assert "10:00:00          you came" in text
        assert "11:20:00  ✓ room" in text
        commands = len(played.live.session.journal.of("line"))
        assert f"{commands} commands; you took {commands} commands in 2h." in text
        assert "+15  component: dgx-01/gpu4 is right" in text
        assert "seen and pinned: lspci reads all ones" in text
        assert "$ ssh dgx-01 nvidia-smi" in text
        assert "• diagnosis: A GPU falls off the PCIe bus: dgx-01/gpu4" in text
        assert "• remote hands: replace dgx-01/gpu4" in text
        assert "• wait 2h" in text
        assert "• hand in" in text
        assert not [line for line in text.splitlines() if line.startswith("• :")]
        assert "The same for somebody else: breakfix drill gpu-off-the-bus --seed" in text and "Next for you: " in text

    play(act, lines=None)


def test_a_healthy_one_says_that_nothing_was_broken() -> None:
    async def act(played: Played[None]) -> None:
        text = await text_of(played)
        assert "✓ You said: Nothing is broken (right)" in text
        assert "A fan module stops: dgx-0" in text

    play(act, name="all-quiet", lines=None)


def test_a_failed_drill_says_why_and_what_was_missed() -> None:
    async def act(played: Played[None]) -> None:
        text = await text_of(played)
        assert "✗ not passed" in text
        assert "hints -3" in text
        assert "✗ You said: A fan module stops: dgx-02 (not it)" in text
        assert "not passed: goal not reached: All GPUs of dgx-01 answer, two hours later too" in text
        assert "✗ missed  lspci reads all ones" in text
        assert "-10  1 revision" in text
        assert "▲ harm" in text

    play(act, lines=OPENING - 1, moves=BAD)


def test_ascii_signs_are_ascii() -> None:
    async def act(played: Played[None]) -> None:
        assert (await text_of(played, ascii_only=True)).isascii()

    play(act, lines=OPENING, moves=BAD)


@pytest.mark.parametrize("size", SIZES)
def test_it_is_shown_at_every_size_and_every_section_is_reached_by_key(size: tuple[int, int]) -> None:
    async def act(played: Played[str | None]) -> None:
        await played.open(Debrief(played.live, await played.live.submit()))
        assert "not passed" in played.screen
        assert "What was wrong" in played.screen
        seen = played.screen
        for _ in (*LEFT, *RIGHT):
            await played.press("n")
            seen += played.screen
        for name, _ in (*LEFT, *RIGHT):
            assert name in seen
        await played.press("end")
        assert "handed in" in played.screen
        for _ in (*LEFT, *RIGHT):
            await played.press("p")
        assert "What was wrong" in played.screen

    play(act, size=size, moves=BAD)


def test_two_columns_where_there_is_room_and_one_where_there_is_none() -> None:
    async def act(played: Played[str | None]) -> None:
        await played.open(Debrief(played.live, await played.live.submit()))
        left, right = played.app.screen.query_one("#left"), played.app.screen.query_one("#right")
        assert left.region.y == right.region.y
        assert left.region.right <= right.region.x
        await played.pilot.resize_terminal(80, 24)
        await played.settle()
        assert left.region.x == right.region.x
        assert right.region.y >= left.region.bottom
        assert all(rows.size.width <= 80 for rows in played.app.screen.query(Rows))

    play(act, size=(160, 40), moves=BAD)


@pytest.mark.parametrize(("key", "answer"), [("s", "again"), ("h", "home"), ("escape", "home"), ("t", None)])
def test_ways_on(key: str, answer: str | None) -> None:
    async def act(played: Played[str | None]) -> None:
        await played.open(Debrief(played.live, await played.live.submit()))
        await played.press(key)
        assert played.results == [answer]

    play(act)


def test_it_is_saved_as_text_each_time_under_a_name_of_its_own(home: Path) -> None:
    async def act(played: Played[str | None]) -> None:
        await played.open(Debrief(played.live, await played.live.submit()))
        await played.press("w", "w")

    play(act)
    files = sorted(path.name for path in home.glob("saved/*.txt"))
    assert files == ["debrief-gpu-off-the-bus-1-2.txt", "debrief-gpu-off-the-bus-1.txt"]
    assert "What was wrong: dgx-01/gpu4" in (home / "saved" / files[0]).read_text("utf-8")
