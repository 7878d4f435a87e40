"""Papers: what is asked, and in which time."""

from __future__ import annotations

import asyncio
import json

from exams.exhibits import Exhibits
from exams.paper import MINUTE, Paper, Terms, exam_paper, exam_time, study_item, study_paper
from exams.rendered import from_data, to_data
from tests.exams import bank


def test_a_paper_survives_json_and_is_repeated_by_its_seed() -> None:
    paper = bank.paper(5)
    assert from_data(Paper, json.loads(json.dumps(to_data(paper)))) == paper
    assert asyncio.run(exam_paper(bank.course(), 5, started=1000)) == paper
    assert bank.paper(6).items != paper.items


def test_the_time_is_the_blueprints_in_proportion() -> None:
    course, items = bank.course(), bank.paper(5).items
    questions = [item for item in items if item.kind != "hands-on"]
    assert len(questions) == 9 and bank.paper(5).time == (9 + 12) * MINUTE
    assert exam_time(course, questions[:6]) == 6 * MINUTE
    assert exam_time(course, questions[:5], extra=25) == 7 * MINUTE  # 6:15, and a minute begun is given
    assert exam_time(course, items, extra=50) == 32 * MINUTE


def test_a_lab_has_a_pace_of_its_own() -> None:
    paper = bank.paper(5)
    paces = {item.kind: paper.pace(item) for item in paper.items}
    assert paces.pop("hands-on") == 12 * MINUTE and set(paces.values()) == {MINUTE}
    assert study_paper(bank.course(), 1).pace(bank.rendered("letters")) is None


def test_an_assigned_exam_has_a_deadline() -> None:
    assert bank.paper(5).deadline is None
    assert bank.paper(5, assigned=True).deadline == 1000 + 21 * 60


def test_two_exhibits_of_an_exam_are_of_different_seeds() -> None:
    assert len({item.seed for item in bank.paper(5).items}) == len(bank.paper(5).items)


def test_the_rendering_tells_how_far_it_is() -> None:
    told: list[tuple[int, int]] = []
    terms = Terms(count=2, labs=0)
    asyncio.run(exam_paper(bank.course(), 5, terms, told=lambda done, all: told.append((done, all))))
    assert told == [(0, 2), (1, 2)]


def test_study_takes_items_one_by_one() -> None:
    paper = study_paper(bank.course(), 9, started=50)
    assert (paper.mode, paper.items, paper.time) == ("study", (), None)
    item = bank.course().item("power-limit")
    one = asyncio.run(study_item(paper, item, Exhibits()))
    assert one.item == "power-limit" and one == asyncio.run(study_item(paper, item, Exhibits()))
