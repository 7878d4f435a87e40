"""What is kept of exams that ended, and what home offers of it."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from exams.progress import Outcome, outcomes
from tests.support.exams import handed_in, new_exam
from tui.exam_history import load_history, new_seed, past_results, remember
from tui.home_exams import exam_entries, review_entries
from tui.home_list import EXAMS, GO_ON, REVIEW, load_entries
from tui.paths import exam_history_file, exam_results_folder


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    return tmp_path


def some(at: int = 1000, blueprint: str = "small") -> list[Outcome]:
    return [replace(one, blueprint=blueprint) for one in outcomes(handed_in().attempt, at)]


def test_outcomes_are_read_again_in_order_of_time_each_once() -> None:
    remember(some(2000))
    remember(some(1000))
    remember(some(2000))
    history = load_history()
    assert history == some(1000) + some(2000)
    assert load_history("other") == []


def test_damaged_lines_are_passed_over() -> None:
    remember(some())
    with exam_history_file().open("a") as file:
        file.write('{"at": 1}\nnonsense\n[]\n')
    assert load_history() == some()


def test_a_disk_that_takes_nothing_is_told(home: Path) -> None:
    exam_history_file().mkdir(parents=True)
    assert "can't be kept" in str(remember(some()))
    assert load_history() == []


def test_results_of_the_same_name_are_all_kept_and_damaged_ones_passed_over() -> None:
    for _ in range(2):
        sitting = new_exam()
        sitting.goto(1)
        sitting.finish()
    (exam_results_folder() / "broken.jsonl").write_text("nonsense\nmore\n")
    assert [one.mode for one in past_results()] == ["exam", "exam"]
    assert new_seed("small") == 4
    assert new_seed("nca-aiio") == 1


def test_home_offers_exams_that_have_items_and_says_that_no_pass_mark_is_published() -> None:
    found = list(exam_entries())
    assert "nca-aiio" in [entry.exam for entry in found]
    for entry in found:
        assert "No pass mark is published." in " ".join(text for _, text in entry.details)
    assert {entry.section for entry in found} == {EXAMS}


def test_home_offers_todays_review_once_something_is_due() -> None:
    assert list(review_entries()) == []
    remember(some(int(time.time()) - 40 * 86_400, "nca-aiio"))
    found = list(review_entries())
    assert [(entry.section, entry.review) for entry in found] == [(REVIEW, "nca-aiio")]
    assert found[0].right == f"{len(some())} due"
    sections = [entry.section for entry in load_entries(new_here=True)]
    assert sections.index(REVIEW) < sections.index(EXAMS)


def test_an_exam_that_was_left_is_the_first_thing_at_home() -> None:
    new_exam().close()
    first = load_entries(new_here=False)[0]
    assert (first.section, first.title) == (GO_ON, "A small exam (exam)")
    assert "time that was left" in " ".join(text for _, text in first.details)
