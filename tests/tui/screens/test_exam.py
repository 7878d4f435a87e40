"""An exam and a study session on the screen: going from item to item, time, leaving, the end; study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from exams.report_text import clock
from tests.support.exam_screen import answer, at_exam, exam_of
from tests.support.exams import Clocks, new_exam, new_study, place_of, right
from tests.support.frame import shown
from tui.app import Breakfix
from tui.exam_history import load_history, past_results
from tui.live.exam import Sitting, Wish
from tui.screens.exam_result import ExamResult
from tui.screens.exam_review import ExamReview
from tui.screens.home import Home
from tui.store import saved_sessions


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    return tmp_path


# Around the answer


def test_an_exam_tells_nothing_before_it_is_handed_in() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        because = [text for choice in sitting.item.choices if (text := choice.because)]
        await pilot.press("a", "ctrl+b", "v", "f3")
        painted = shown(app)
        await pilot.press("escape", "f9")
        painted += shown(app)
        assert not any(text in painted for text in because)
        assert "right" not in painted
        assert not sitting.response.revealed

    at_exam(work, new_exam(), kind="single")


def test_flags_notes_and_states_are_in_the_overview() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        await pilot.press("f2", "f4", *"look [again]", "enter")
        await pilot.pause()
        assert sitting.response.note == "look [again]"
        assert "look [again]" in shown(app)
        assert "◆ flagged" in shown(app)
        await pilot.press("a", "f3")
        assert "1 ● answered ◆" in shown(app)
        assert "2 ○ open" in shown(app)
        await pilot.press("o", "enter")
        await pilot.pause()
        assert sitting.number == 1
        await pilot.press("f3", "f", "enter")
        await pilot.pause()
        assert sitting.number == 0
        await pilot.press("f2")
        assert not sitting.response.flagged

    at_exam(work, new_exam(), kind="single")


@pytest.mark.parametrize("kind", ["single", "point", "numeric"])
def test_at_the_smallest_size_exhibit_and_answers_are_seen_together(kind: str) -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        for number, item in enumerate(sitting.attempt.items):
            if item.exhibit and item.kind == kind:
                await exam_of(app)._goto(number)
                await pilot.pause()
                painted = shown(app)
                assert item.exhibit[0].rstrip()[:70] in painted
                for choice in item.choices:
                    assert choice.text[:60] in painted
                assert "Enter" in painted.splitlines()[-1]

    at_exam(work, new_exam())


def test_a_long_exhibit_is_scrolled_without_leaving_the_item() -> None:
    sitting = new_exam()
    number = place_of(sitting, "single")
    item = replace(sitting.attempt.items[number], exhibit=("$ long", *(f"line {n}" for n in range(2, 61))), typed=(1,))
    sitting.attempt.items[number] = item

    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        assert "lines 1 to " in shown(app)
        assert all(choice.text in shown(app) for choice in item.choices)
        await pilot.press("tab", "down", "pagedown")
        assert "$ long" not in shown(app)
        for _ in range(8):
            await pilot.press("pagedown")
        assert "to 60 of 60" in shown(app)
        assert "line 60" in shown(app)
        assert "Tab Answers" in shown(app)
        await pilot.press("b")
        assert answer(sitting) == [item.choices[1].id]
        await pilot.press("enter")
        await pilot.pause()
        assert sitting.number == number + 1
        await exam_of(app)._goto(number)
        await pilot.pause()
        await pilot.press("tab", "tab", "c")
        assert "Tab Exhibit" in shown(app)
        assert answer(sitting) == [item.choices[2].id]

    at_exam(work, sitting, kind="single")


def test_a_line_that_is_too_long_goes_on_in_the_next_row_as_on_a_terminal() -> None:
    sitting = new_exam()
    number = place_of(sitting, "single")
    line = "$ " + "".join(str(n % 10) for n in range(90)) + "END"
    sitting.attempt.items[number] = replace(sitting.attempt.items[number], exhibit=(line, "short"), typed=(1,))

    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        rows = shown(app).splitlines()
        first = rows.index(line[:80])
        assert rows[first + 1] == line[80:]
        assert rows[first + 2] == "short"

    at_exam(work, sitting, kind="single")


def test_the_calculator_reckons_and_refuses() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        await pilot.press("f6", *"2*(3+4)", "enter")
        assert "2*(3+4) = 14" in shown(app)
        await pilot.press(*"/0", "enter")
        assert "divided by zero" in shown(app)
        await pilot.press("escape")
        assert exam_of(app) is app.screen

    at_exam(work, new_exam())


# Time


def test_when_the_time_is_over_it_is_handed_in_from_wherever_one_is() -> None:
    clocks = Clocks()

    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        exam, tenth = exam_of(app), (sitting.time_left or 0) // 10_000
        assert tenth < 200
        await pilot.press("a", "f3")
        clocks.go((sitting.time_left or 0) / 1000 - 200)
        exam._tick()
        await pilot.pause()
        assert "only" not in shown(app)
        clocks.go(200 - tenth)
        exam._tick()
        await pilot.pause()
        await pilot.press("escape")
        assert f"only {clock(tenth * 1000)} left" in shown(app).splitlines()[0]
        await pilot.press("f4", *"unfinished")
        clocks.go(tenth)
        exam._tick()
        await pilot.pause()
        assert isinstance(app.screen, ExamResult)
        assert "The time is over" in shown(app)
        assert len(past_results()) == 1

    at_exam(work, new_exam(clocks), kind="single")


def test_leaving_keeps_everything_and_home_goes_on_with_it() -> None:
    clocks = Clocks()

    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        await pilot.press("b", "f8")
        clocks.go(30)
        exam_of(app)._tick()
        await pilot.press("ctrl+b", "q")
        screen = app.screen
        assert isinstance(screen, Home)
        while screen.entries is None:
            await pilot.pause(0.05)
        await pilot.pause()
        assert "A small exam (exam)" in shown(app)
        assert f" of 9, {clock((sitting.attempt.paper.time or 0) - 30_000)} left" in shown(app)
        await pilot.press("enter")
        await pilot.pause(0.2)
        again = exam_of(app).sitting
        assert again.attempt.responses[0].answer == sitting.attempt.responses[0].answer
        assert (again.number, again.attempt.spent) == (1, 30_000)
        again.close()

    at_exam(work, new_exam(clocks))


# The end


def test_handing_in_tells_what_is_open_then_the_result_then_each_item() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        for number, item in enumerate(sitting.attempt.items):
            sitting.goto(number)
            if item.kind != "numeric":
                sitting.answer(right(item))
        await pilot.press("f9")
        assert "2 open" in shown(app)
        await pilot.press("enter")
        await pilot.pause()
        assert sitting.item.kind == "numeric"
        await pilot.press("f9", "shift+tab", "enter")
        await pilot.pause()
        assert isinstance(app.screen, ExamResult)
        painted = shown(app)
        assert "7 of 9 points" in painted
        assert "too few" in painted
        assert "Readiness" in painted
        await pilot.press("w")
        await pilot.pause()
        assert isinstance(app.screen, ExamReview)
        assert "wrong ones: 1 of 2" in shown(app)
        assert "not answered" in shown(app)
        assert saved_sessions() == []

    at_exam(work, new_exam())


def test_enter_twice_on_the_last_item_does_not_hand_in_what_is_open() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        sitting.goto(len(sitting.attempt.items) - 1)
        await pilot.press("f9")
        assert "○ 0 of 9 answered" in shown(app)
        await pilot.press("enter")
        await pilot.pause()
        assert app.screen is exam_of(app)
        assert not sitting.over
        assert sitting.number == 0

    at_exam(work, new_exam())


def test_answered_in_part_is_told_apart_everywhere() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        await pilot.press("a")
        assert "0 answered, 1 in part" in shown(app).splitlines()[0]
        await pilot.press("f3")
        assert shown(app).count("0 answered, 1 in part") == 2

    at_exam(work, new_exam(), kind="multiple")


# Study


def test_study_asks_how_sure_and_then_explains() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        item = sitting.item
        letter = "abc"[[choice.id for choice in item.choices].index(item.key[0])]
        await pilot.press("enter")
        assert "How sure" not in shown(app)
        await pilot.press(letter, "enter")
        assert "How sure are you?" in shown(app)
        await pilot.press("escape")
        assert not sitting.response.revealed
        assert "How sure" not in shown(app)
        await pilot.press("enter", "u")
        await pilot.pause()
        painted = shown(app)
        assert sitting.response.confidence == "unsure"
        assert "✓ right" in painted
        for choice in item.choices:
            assert choice.because in painted
        assert item.sources[0].title in painted
        assert [one.right for one in load_history()] == [True]
        await pilot.press("enter")
        await pilot.pause(0.2)
        assert sitting.number == 1

    at_exam(work, new_study(wish=Wish(domain="seeing", objective="outputs")), (80, 40), kind="single")


def test_the_answer_can_be_shown_and_the_end_tells_what_was_studied() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        await pilot.press("ctrl+b", "v")
        await pilot.pause()
        assert "not answered" in shown(app)
        await pilot.press("enter")
        await pilot.pause()
        assert "1 of 1 items studied" in shown(app)
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, ExamResult)
        assert "0 of 1 points" in shown(app)

    at_exam(work, new_study(wish=Wish(items=1)))


def test_from_an_item_one_gets_to_a_drill_that_trains_it(monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = new_study(wish=Wish(items=2))
    sitting.attempt.items[0] = replace(sitting.item, practise=("gpu-off-the-bus",))
    opened: list[str] = []

    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        async def open_drill(name: str, seed: int | None = None) -> None:
            opened.append(name)

        monkeypatch.setattr(app, "open_drill", open_drill)
        await pilot.press("ctrl+b", "d")
        assert opened == []  # only once it is explained
        await pilot.press("ctrl+b", "v", "ctrl+b", "d")
        await pilot.pause()
        assert opened == ["gpu-off-the-bus"]
        assert isinstance(app.screen, Home)
        assert len(saved_sessions("study")) == 1

    at_exam(work, sitting)
