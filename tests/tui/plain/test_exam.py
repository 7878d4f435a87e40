"""Exams and study sessions in plain mode, with a clock of the test's own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.kernel.errors import BreakfixError
from exams.answer_text import written_answer
from exams.answers import right_answer
from exams.paper import Terms
from exams.rendered import Choice, Rendered
from exams.report import Report
from tests.exams import bank
from tui.exam_history import load_history, past_results
from tui.live.exam import Sitting, Wall, Wish, begin_exam, begin_study, resume
from tui.plain import exam_reading
from tui.plain.exam import ExamConversation, tell_opening
from tui.plain.exam_reading import INTERRUPTED, BareLines, TimedReader
from tui.plain.exam_result import review_items, selected
from tui.plain.exam_study import StudyConversation
from tui.plain.exam_told import passed_warning, told_time
from tui.plain.exam_words import EXAM_WORDS, Typed, read_typed
from tui.store import saved_sessions

SOURCE = str(bank.BLUEPRINT)
NEVER = "\x00 never comes"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    monkeypatch.setattr(exam_reading, "TICK_SECONDS", 0.005)
    return tmp_path


class Clock:
    """A wall's clock that the test moves."""

    def __init__(self) -> None:
        self.now = 1_790_000_000.0

    @property
    def wall(self) -> Wall:
        return Wall(lambda: self.now, lambda: self.now)


class Script:
    """Lines of somebody who takes so many seconds for each; in the end their input is over."""

    def __init__(self, clock: Clock, lines: Iterable[str], seconds: float = 0) -> None:
        self.clock, self.lines, self.seconds = clock, list(lines), seconds
        self.prompts: list[str] = []

    async def read(self, prompt: str) -> str | None:
        self.prompts.append(prompt)
        self.clock.now += self.seconds
        line = self.lines.pop(0) if self.lines else None
        while line == NEVER:
            self.clock.now += 1
            await asyncio.sleep(0.001)
        return line

    def printing(self) -> Any:
        return nullcontext()


def sit(clock: Clock, **terms: Any) -> Sitting:
    wanted = Terms(**({"labs": 0} | terms))
    return asyncio.run(begin_exam(SOURCE, 5, wanted, fresh=False, wall=clock.wall))


def talk(sitting: Sitting, clock: Clock, lines: Iterable[str], seconds: float = 0) -> Report | None:
    return asyncio.run(ExamConversation(sitting, Script(clock, lines, seconds)).run())


def key(item: Rendered) -> str:
    return written_answer(item, right_answer(item))


def options(count: int, kind: Any = "single") -> Rendered:
    choices = tuple(Choice(str(number), "text") for number in range(count))
    return Rendered(kind, "item", "uuid", 1, "seeing", "outputs", 1, "Which?", choices=choices, key=("0",))


@pytest.mark.parametrize(
    ("item", "text", "word", "rest"),
    [
        (options(5), "f", "flag", ""),
        (options(6), "F", "", "F"),
        (options(6), "flag", "flag", ""),
        (options(6), "A F", "", "A F"),
        (options(8, "ordering"), "f", "flag", ""),
        (options(4), "N", "next", ""),
        (options(4), "go 12", "go", "12"),
        (options(4), "note what [is] this", "note", "what [is] this"),
        (options(4), "time is up", "", "time is up"),
        (options(4), "  ", "again", ""),
        (options(4), "b", "", "b"),
    ],
)
def test_what_a_line_means(item: Rendered, text: str, word: str, rest: str) -> None:
    assert read_typed(item, text, EXAM_WORDS) == Typed(word, rest)


def test_f_that_may_be_an_option_does_nothing() -> None:
    with pytest.raises(BreakfixError, match="write F for the option, `flag` for the flag"):
        read_typed(options(6), "f", EXAM_WORDS)


def test_right_answers_one_after_the_other_are_all_points() -> None:
    clock = Clock()
    sitting = sit(clock)
    found = talk(sitting, clock, [*map(key, sitting.attempt.items), "submit", "y"], seconds=7)
    assert found and found.total.points == found.total.of == len(sitting.attempt.items) > 5
    assert sitting.attempt.spent == 7000 * (len(sitting.attempt.items) + 2)
    assert [one.attempt().ended for one in past_results()] == ["submitted"]
    assert saved_sessions() == []


def test_nothing_is_told_before_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    sitting = sit(clock)
    asks = [line for item in sitting.attempt.items for line in ("help", "list", key(item), "again")]
    assert talk(sitting, clock, asks) is None
    printed = " ".join(capsys.readouterr().out.casefold().split())
    reasons = [one.because for item in sitting.attempt.items for one in item.choices if one.because]
    assert reasons and not any(" ".join(reason.casefold().split()) in printed for reason in reasons)
    assert "wrong" not in printed and "your answer: " in printed


def test_an_answer_that_lacks_something_stays(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    sitting = sit(clock)
    number = next(n for n, item in enumerate(sitting.attempt.items) if item.kind == "multiple")
    talk(sitting, clock, [f"go {number + 1}", "A", "list"])
    told = capsys.readouterr().out
    assert sitting.number == number and f"1 of {len(sitting.item.key)} are chosen" in told
    assert f"{number + 1:>3}  A, not complete, you are here" in told
    assert f"Not complete: {number + 1}." in told


def test_flag_note_clear_and_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    sitting = sit(clock)
    lines = ["flag", "note see [x] again", key(sitting.item), "p", "p", "clear", "go 99", "go", "lab", "zzz", "time"]
    talk(sitting, clock, lines)
    told = capsys.readouterr().out
    first = sitting.attempt.responses[0]
    assert first.flagged and first.note == "see [x] again" and first.answer is None
    assert "Flagged." in told and "Your note: see [x] again" in told and "This is the first item." in told
    assert f"from 1 to {sitting.count}, such as `go 2`" in told and "There is no lab" in told


def test_handing_in_is_asked_for() -> None:
    clock = Clock()
    sitting = sit(clock)
    assert talk(sitting, clock, ["submit", "no", "submit", INTERRUPTED, "submit"]) is None
    assert not sitting.over and saved_sessions("exam")


def test_time_that_is_over_hands_in_though_nobody_types(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    sitting = sit(clock)
    found = talk(sitting, clock, [key(sitting.item), NEVER])
    told = capsys.readouterr().out
    assert found and sitting.attempt.ended == "time" and found.total.points == 1
    assert "The time is over" in told
    assert told.count("5 minutes left.\n") == told.count("\n1 minute left.\n") == 1


def test_what_is_typed_too_late_does_not_count() -> None:
    clock = Clock()
    sitting = sit(clock)
    found = talk(sitting, clock, [key(sitting.item), key(sitting.item)], seconds=3600)
    assert found and found.total.points == 0 and sitting.attempt.answered == 0


def test_leaving_keeps_answers_and_time(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    sitting = sit(clock)
    assert talk(sitting, clock, [key(sitting.item), INTERRUPTED, "n", INTERRUPTED, "y"], seconds=10) is None
    assert "`breakfix exam --resume` goes on with it" in capsys.readouterr().out
    left = sitting.time_left
    clock.now += 100_000
    again = asyncio.run(resume(saved_sessions("exam")[0], wall=clock.wall))
    tell_opening(again, resumed=True)
    assert again.time_left == left == sitting.attempt.paper.time - 50_000  # type: ignore[operator]
    assert "1 of 9 are answered" in capsys.readouterr().out
    again.close()


def test_an_assigned_exam_is_over_when_it_is_taken_up_too_late(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    sitting = sit(clock, assigned=True)
    talk(sitting, clock, [key(sitting.item)])
    assert "The time runs on." in capsys.readouterr().out
    clock.now += 100_000
    again = asyncio.run(resume(saved_sessions("exam")[0], wall=clock.wall))
    found = talk(again, clock, [])
    assert found and found.total.points == 1 and again.attempt.ended == "time"


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from([*EXAM_WORDS, "go 3", "A B", "1A 2B", "12 GB/s", "y"]) | st.text(max_size=12)))
def test_whatever_is_typed_the_score_is_in_range(lines: list[str]) -> None:
    clock = Clock()
    sitting = sit(clock, labs=0, count=6)
    found = talk(sitting, clock, [line for line in lines if "lab" not in line]) or sitting.finish()
    assert 0 <= found.total.points <= found.total.of == 6


def test_items_are_looked_at_again_by_what_came_of_them() -> None:
    clock = Clock()
    sitting = sit(clock)
    first = sitting.item
    found = talk(sitting, clock, [key(first), "flag", "submit", "y"])
    assert found
    assert [line.number for line in selected(found, "flagged")] == [2]
    assert len(selected(found, "wrong")) == len(sitting.attempt.items) - 1
    domain = sitting.attempt.items[1].domain
    assert {line.domain for line in selected(found, f"wrong {domain}")} == {domain}
    [shown] = review_items(found, selected(found, "1"))
    assert first.stem.split()[0] in shown and "(right)" in shown
    for words in ("99", "frog"):
        with pytest.raises(BreakfixError):
            selected(found, words)


def study(clock: Clock, lines: Iterable[str], wish: Wish) -> tuple[Sitting, Report | None]:
    sitting = asyncio.run(begin_study(SOURCE, 1, wish, wall=clock.wall))
    return sitting, asyncio.run(StudyConversation(sitting, Script(clock, lines, 4)).run())


class Knower(Script):
    """Knows the answer to whatever is in view, and is sure of it."""

    sitting: Sitting

    async def read(self, prompt: str) -> str | None:
        await super().read(prompt)
        return {"answer> ": key(self.sitting.item), "Enter goes on> ": ""}.get(prompt, "s")


def test_study_explains_at_once_and_keeps_what_came_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    sitting = asyncio.run(begin_study(SOURCE, 1, Wish(items=4), wall=clock.wall))
    knower = Knower(clock, [], 4)
    knower.sitting = sitting
    found = asyncio.run(StudyConversation(sitting, knower).run())
    told = " ".join(capsys.readouterr().out.split())
    assert found and found.total.points == found.total.of == 4
    assert "4 of 4 points, 100 %." in told and told.count("Right.") == 4
    for item in sitting.attempt.items:
        assert all(" ".join(one.because.split()) in told for one in item.choices)
    assert [one.confidence for one in load_history()] == ["sure"] * 4
    assert [one.ms for one in load_history()] == [8000] * 4


def test_study_can_skip_and_show_and_go_on_later(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    sitting, found = study(clock, ["skip", "flag", "show", "A", "", INTERRUPTED], Wish(items=4))
    told = capsys.readouterr().out
    assert found is None and sitting.attempt.counted == [1]
    assert "Not right." in told and "It is explained already." in told and "`breakfix study --resume`" in told
    again = asyncio.run(resume(saved_sessions("study")[0], wall=clock.wall))
    assert again.number == 2
    done = asyncio.run(StudyConversation(again, Script(clock, ["skip", "show", "q"])).run())
    assert done and done.total.n == 2 and saved_sessions() == []


def test_without_an_answer_to_how_sure_nothing_is_explained() -> None:
    sitting, found = study(Clock(), [], Wish(items=1))
    assert found is None
    sitting = asyncio.run(begin_study(SOURCE, 1, Wish(items=1)))
    lines = Script(Clock(), [key_of_first(sitting), "perhaps", "maybe"])
    asyncio.run(StudyConversation(sitting, lines).run())
    assert lines.prompts.count("How sure? s sure, u unsure, g guess, Enter skips> ") == 3
    assert not sitting.response.revealed


def key_of_first(sitting: Sitting) -> str:
    asyncio.run(sitting.next_item())
    return key(sitting.item)


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [(0, "no time"), (1, "1 second"), (61_000, "1 minute 1 second"), (3_720_000, "1 hour 2 minutes")],
)
def test_time_in_words(milliseconds: int, words: str) -> None:
    assert told_time(milliseconds) == words


def test_warnings_are_told_once() -> None:
    assert passed_warning(301_000, 299_000) == "5 minutes left."
    assert passed_warning(299_000, 298_000) == passed_warning(None, None) == ""
    assert passed_warning(400_000, 50_000) == "1 minute left."


def test_lines_of_a_pipe_leave_the_rest_and_can_be_given_up() -> None:
    async def read() -> tuple[list[str | None], bytes]:
        out, into = os.pipe()
        os.write(into, "first\nzweitё\nrest\n".encode())
        lines = BareLines(out)
        taken = [await lines.read("> "), await lines.read("> ")]
        rest = os.read(out, 100)
        ticks = iter([True, True, False])
        taken.append(await TimedReader(lines, lambda: next(ticks)).read("> "))
        os.write(into, b"no newline")
        os.close(into)
        taken += [await lines.read("> "), await lines.read("> ")]
        os.close(out)
        return taken, rest

    assert asyncio.run(read()) == (["first", "zweitё", None, "no newline", None], b"rest\n")
