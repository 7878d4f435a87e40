"""Exams and study sessions as the front ends hold them: time, the journal, taking up again, the end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine.kernel.errors import BreakfixError
from exams.answers import answer_data
from tests.exams import bank
from tests.support.exams import START, Clocks, new_exam, new_study, place_of, right
from tui.exam_history import load_history, past_results
from tui.live import exam
from tui.live.exam import Sitting, Wish, how_many, wanted_items
from tui.store import Saved, read_journal, saved_sessions


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    return tmp_path


def killed(sitting: Sitting) -> Saved:
    """The session as it stands on disk when its process was killed."""
    sitting.journal.close()
    return saved_sessions(sitting.attempt.paper.mode)[0]


def taken_up(found: Saved, clocks: Clocks) -> Sitting:
    return asyncio.run(exam.resume(found, wall=clocks.wall()))


# Time


def test_time_is_spent_with_each_act_and_every_few_seconds() -> None:
    clocks = Clocks()
    sitting = new_exam(clocks)
    whole = sitting.time_left
    assert whole is not None
    clocks.go(3)
    assert not sitting.tick()
    assert (sitting.attempt.spent, sitting.time_left) == (0, whole - 3000)
    clocks.go(2.5)
    sitting.tick()
    assert sitting.attempt.spent == 5000
    clocks.go(4)
    sitting.goto(1)
    assert sitting.attempt.spent == 9000
    assert [one.milliseconds for one in sitting.attempt.responses[:2]] == [9000, 0]
    sitting.close()


def test_no_second_is_counted_twice_however_often_something_is_done() -> None:
    clocks = Clocks()
    sitting = new_exam(clocks, assigned=True)
    for _ in range(200):
        clocks.go(0.3)
        sitting.flag(True)
    assert 59_000 <= sitting.attempt.spent <= 60_000
    assert abs((sitting.attempt.paper.time or 0) - (sitting.time_left or 0) - 60_000) < 1000
    sitting.close()


def test_the_exam_ends_when_its_time_is_over() -> None:
    clocks = Clocks()
    sitting = new_exam(clocks)
    sitting.answer(right(sitting.item))
    clocks.go((sitting.time_left or 0) / 1000 + 0.5)
    assert sitting.tick()
    assert sitting.over
    assert sitting.attempt.ended == "time"
    sitting.flag(True)  # comes too late
    assert not sitting.response.flagged
    assert sitting.finish().total.points == 1


def test_extra_time_is_on_top() -> None:
    plain, more = new_exam(), new_exam(extra=50)
    assert (more.time_left or 0) == pytest.approx((plain.time_left or 0) * 1.5, abs=60_000)
    plain.close()
    more.close()


def test_in_practice_time_stands_still_while_the_program_is_dead() -> None:
    clocks = Clocks()
    sitting = new_exam(clocks)
    clocks.go(60)
    sitting.goto(2)
    left = sitting.time_left
    found = killed(sitting)
    clocks.go(3600)
    again = taken_up(found, Clocks(now=clocks.now))
    assert (again.number, again.time_left, again.over) == (2, left, False)
    again.close()


def test_in_an_assigned_exam_it_runs_on() -> None:
    clocks = Clocks()
    sitting = new_exam(clocks, assigned=True)
    clocks.go(60)
    sitting.goto(1)
    left = sitting.time_left or 0
    found = killed(sitting)
    again = taken_up(found, Clocks(now=clocks.now + 300))
    assert again.time_left == left - 300_000
    found = killed(again)
    late = taken_up(found, Clocks(now=clocks.now + 36_000))
    assert late.over
    assert late.attempt.ended == "time"


def test_a_clock_that_was_set_back_gains_nothing_and_is_noted() -> None:
    clocks = Clocks()
    sitting = new_exam(clocks, assigned=True)
    clocks.go(100)
    sitting.goto(1)
    left = sitting.time_left
    clocks.now -= 900
    clocks.passed += 10
    sitting.goto(2)
    assert sitting.time_left == (left or 0) - 10_000
    assert any("set back" in note for note in sitting.finish().notes)


# The journal


def test_what_was_done_is_there_after_a_kill() -> None:
    sitting = new_exam()
    sitting.answer(right(sitting.item))
    sitting.flag(True)
    sitting.note("look again")
    sitting.goto(1)
    before = sitting.attempt
    again = taken_up(killed(sitting), Clocks())
    assert again.attempt.responses == before.responses
    assert again.attempt.items == before.items
    assert again.number == 1
    again.close()


def test_a_damaged_journal_is_refused_with_a_sentence() -> None:
    found = killed(new_exam())
    records = found.path.read_text().splitlines()
    found.path.write_text("\n".join([records[0], '{"event": "goto", "item": 1}', ""]))
    with pytest.raises(BreakfixError, match="is damaged"):
        taken_up(found, Clocks())


def test_an_answer_that_is_none_changes_nothing_on_disk() -> None:
    sitting = new_exam()
    sitting.goto(place_of(sitting, "numeric"))
    lines = sum(1 for _ in read_journal(sitting.journal.path))
    with pytest.raises(BreakfixError):
        sitting.answer("a lot")
    assert sum(1 for _ in read_journal(sitting.journal.path)) == lines
    sitting.close()


def test_the_seed_is_a_new_one_each_time() -> None:
    async def seeds() -> list[int]:
        found = []
        for _ in range(2):
            sitting = await exam.begin_exam(str(bank.BLUEPRINT))
            found.append(sitting.attempt.paper.seed)
            sitting.close()
        return found

    first, second = asyncio.run(seeds())
    assert second == first + 1


# The end


def test_handing_in_keeps_the_outcomes_and_the_result() -> None:
    clocks = Clocks()
    sitting = new_exam(clocks)
    for number in range(3):
        sitting.goto(number)
        sitting.answer(right(sitting.item))
    clocks.go(10)
    found = sitting.finish()
    assert found.total.points == 3
    assert sitting.finish().total == found.total
    history = load_history()
    assert [one.right for one in history] == [True] * 3
    assert {one.at for one in history} == {START + 10}
    assert saved_sessions() == []
    kept = past_results()
    assert [one.title for one in kept] == ["SMALL A small exam"]
    assert [answer_data(one.answer) for one in kept[0].attempt().responses] == [
        answer_data(one.answer) for one in sitting.attempt.responses
    ]


def test_an_exam_asks_first_what_was_never_seen() -> None:
    sitting = new_exam()
    for number in range(sitting.count):
        sitting.goto(number)
    seen = {item.uuid for item in sitting.attempt.items}
    sitting.finish()
    items = wanted_items(bank.course(), Wish("unseen"), load_history(), 1, START)
    assert seen.isdisjoint(item.uuid for item in items)


# Study


def test_study_goes_through_its_items_and_counts_each_at_once() -> None:
    sitting = new_study(wish=Wish(items=2))
    assert (sitting.count, sitting.more) == (2, True)
    sitting.answer(right(sitting.item))
    sitting.confidence("sure")
    sitting.reveal()
    assert [(one.right, one.confidence) for one in load_history()] == [(True, "sure")]
    with pytest.raises(BreakfixError):
        sitting.answer(None)
    assert asyncio.run(sitting.next_item())
    assert (sitting.number, sitting.more) == (1, False)
    sitting.reveal()
    assert not asyncio.run(sitting.next_item())
    assert len(load_history()) == 2
    assert sitting.finish().total.n == 2
    assert len(load_history()) == 2


def test_study_is_taken_up_where_it_was_left() -> None:
    sitting = new_study(wish=Wish(items=3))
    sitting.reveal()
    queue = sitting.queue
    again = taken_up(killed(sitting), Clocks())
    assert again.queue == queue
    assert asyncio.run(again.next_item())
    assert again.item.item == queue[1]
    again.close()


def test_study_in_which_nothing_was_done_leaves_nothing() -> None:
    sitting = new_study()
    sitting.close()
    assert saved_sessions() == []


def test_what_was_wrong_can_be_studied_again() -> None:
    sitting = new_study(wish=Wish(items=2))
    wrong = sitting.item.uuid
    sitting.reveal()
    asyncio.run(sitting.next_item())
    sitting.answer(right(sitting.item))
    sitting.reveal()
    sitting.finish()
    history = load_history()
    assert [one.uuid for one in wanted_items(bank.course(), Wish("wrong"), history, 1, START)] == [wrong]
    assert how_many(bank.course(), Wish("wrong"), history) == 1
    assert wrong in [one.uuid for one in wanted_items(bank.course(), Wish("due"), history, 1, START + 86_400 * 2)]


def test_a_part_of_the_exam_can_be_studied_and_labs_are_no_part_of_it() -> None:
    course = bank.course()
    seeing = wanted_items(course, Wish(domain="seeing"), [], 1, START)
    assert seeing
    assert {item.domain for item in seeing} == {"seeing"}
    values = wanted_items(course, Wish(objective="values", items=1), [], 1, START)
    assert [item.objective for item in values] == ["values"]
    assert all(item.kind != "hands-on" for item in wanted_items(course, Wish(items=100), [], 1, START))


def test_a_wish_for_nothing_is_refused() -> None:
    with pytest.raises(BreakfixError, match="no items of that kind"):
        new_study(wish=Wish("flagged"))
