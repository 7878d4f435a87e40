"""Reports, as data, as text and as a page."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from exams.answers import answer_data, answer_from, right_answer
from exams.attempt import Attempt
from exams.feedback import feedback
from exams.html import result_page
from exams.item_text import item_text, paper_text, review_text
from exams.report import Report, as_data, report, worst_first
from exams.report_text import report_text
from exams.scores import Readiness
from exams.unattended import handed_in
from tests.exams import bank

PAPER = bank.paper(5)
ALL = st.tuples(*(st.none() | bank.answers(item) for item in PAPER.items))


def told(*events: dict[str, Any], paper: Any = PAPER) -> Report:
    attempt = Attempt.begin(paper)
    for event in events:
        attempt.apply(event)
    return report(attempt)


def number(id: str) -> int:
    return [item.item for item in PAPER.items].index(id)


@settings(deadline=None, max_examples=50)
@given(ALL)
def test_domains_and_objectives_sum_to_the_total_and_all_is_in_range(answers: Any) -> None:
    found = report(handed_in(PAPER, answers))
    for groups in (found.domains, found.objectives):
        assert sum((group.score.points for group in groups), Fraction(0)) == found.total.points
        assert sum(group.score.n for group in groups) == found.total.n == len(PAPER.items)
    assert 0 <= found.total.points <= found.total.of == len(PAPER.items)
    answered = sum(answer is not None for answer in answers)
    assert found.missing == 10 - answered and (found.readiness is None) == (answered < 10)
    assert not found.readiness or 0 <= found.readiness.low <= found.readiness.high <= 1
    assert json.loads(json.dumps(as_data(found)))["answered"] == answered
    assert as_data(report(handed_in(PAPER, answers))) == as_data(found)


def test_nothing_answered_is_nothing_and_everything_right_is_everything() -> None:
    nothing = report(handed_in(PAPER, [None] * len(PAPER.items)))
    everything = report(handed_in(PAPER, [right_answer(item) for item in PAPER.items]))
    assert as_data(nothing)["total"] == {"points": 0, "of": 10, "n": 10, "percent": 0.0, "note": ""}
    assert as_data(everything)["total"]["percent"] == 100.0
    assert as_data(everything)["readiness"]["estimate"] == 1.0
    assert len(nothing.select("wrong")) == 10 and everything.select("wrong") == ()


def test_changes_are_what_an_item_was_left_with_and_what_it_ended_with() -> None:
    at = number("letters")
    answer = {"event": "answer", "item": at}
    found = told(
        {"event": "goto", "item": at},
        {**answer, "answer": ["last"]},
        {"event": "goto", "item": 0 if at else 1},
        {"event": "goto", "item": at},
        {**answer, "answer": ["second"]},
        {**answer, "answer": ["first"]},
        {"event": "submit"},
    )
    assert found.changes == {"wrong to right": 1, "right to wrong": 0, "wrong to wrong": 0, "right to right": 0}
    assert "Answers changed: 1 wrong to right" in report_text(found)


def test_confidence_time_and_flags() -> None:
    at, other = number("letters"), number("bandwidth")
    found = told(
        {"event": "goto", "item": at},
        {"event": "answer", "item": at, "answer": ["last"]},
        {"event": "confidence", "item": at, "level": "sure"},
        {"event": "spent", "ms": 61_000},
        {"event": "goto", "item": other},
        {"event": "answer", "item": other, "answer": "51.6"},
        {"event": "confidence", "item": other, "level": "guess"},
        {"event": "flag", "item": other, "on": True},
        {"event": "spent", "ms": 5000},
        {"event": "submit"},
    )
    levels = {group.id: (group.score.points, group.score.n) for group in found.confidence}
    assert levels == {"sure": (Fraction(0), 1), "unsure": (Fraction(0), 0), "guess": (Fraction(1), 1)}
    assert [line.item for line in found.select("flagged")] == [line.item for line in found.select("unsure")]
    assert {line.item for line in found.select("wrong", "seeing")} >= {"letters"}
    text = " ".join(report_text(found).split())
    assert f"sure and wrong: {at + 1}" in text and f"longest: item {at + 1} took 1:01" in text
    assert "Time: 1:06 of 21:00 longest" in text and "only 6 items: too few to tell" in text


def test_what_has_to_be_known_is_noted() -> None:
    found = told({"event": "spent", "ms": 10**8, "at": 500}, paper=bank.paper(5, assigned=True, extra=25))
    notes = " ".join(found.notes)
    assert "The time ran out" in notes and "set back by 500 s" in notes and "With 25 % extra time." in notes
    assert "Seeing what is there: 6 of the 7 items" in notes
    assert all(note.split()[0] in report_text(found) for note in found.notes)


def test_domains_without_items_are_told() -> None:
    only = replace(PAPER, items=tuple(item for item in PAPER.items if item.domain == "seeing"))
    found = report(handed_in(only, [None] * len(only.items)))
    found = replace(found, readiness=Readiness(0.0, 0.0, 0.4, 60))
    assert "Domains with 40 % of the exam's weight had no items." in found.notes
    assert "no items" in report_text(found) and as_data(found)["domains"][1]["percent"] is None
    assert not any("of the exam's weight had" in note for note in told({"event": "submit"}).notes)


def test_what_to_study_first_stands_first() -> None:
    at = number("letters")
    found = told({"event": "answer", "item": at, "answer": ["first"]}, {"event": "submit"})
    assert [group.id for group in worst_first(found.objectives)][-1] == "outputs"


def test_items_are_told_by_what_was_answered_and_what_is_right() -> None:
    at = number("letters")
    found = as_data(told({"event": "answer", "item": at, "answer": ["last"]}, {"event": "submit"}))
    item = found["items"][at]
    assert (item["told"], item["right"], item["points"]) == (["The letter omega"], ["The letter alpha"], 0)
    assert item["answer"] == ["last"] and item["written"] in "ABC"


class Reader(HTMLParser):
    """Collects tags and text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_is_whole_fetches_nothing_and_escapes_everything() -> None:
    at = number("fixed-exhibit")
    attempt = handed_in(PAPER, [right_answer(item) for item in PAPER.items])
    attempt.apply({"event": "note", "item": at, "text": "<img src=x onerror=y>"})
    page = result_page(report(attempt), "30 November 2026", "<b>Robin</b>")
    reader = Reader()
    reader.feed(page)
    names = {tag for tag, _ in reader.tags}
    assert names <= {"html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "table", "tr", "th", "td",
                     "div", "pre", "b", "ul", "li", "br", "span", "code"}  # fmt: skip
    assert not any({"src", "href", "onclick"} & set(found) for _, found in reader.tags)
    text = "".join(reader.texts)
    for shown in (
        "<script>alert({name})</script>",
        "<b>Robin</b>",
        "<img src=x onerror=y>",
        "A & B",
        "30 November 2026",
    ):
        assert shown in text
    assert all(item.stem in text for item in PAPER.items)
    assert "url(" not in page and "@import" not in page


def test_items_on_paper_and_afterwards() -> None:
    letters = PAPER.items[number("letters")]
    assert item_text(letters, 7).startswith("7. Which letter comes first")
    assert all(f"  {mark}  " in item_text(letters) for mark in "ABC")
    assert item_text(PAPER.items[number("vowels")]).endswith("Choose 3.")
    sinfo = item_text(PAPER.items[number("idle-node")])
    assert "\n  2  PARTITION AVAIL" in sinfo
    review = review_text(letters, None, "not answered")
    assert "[right] The letter alpha" in review and "It is the last." in review
    assert "Source: An alphabet, page 1, https://example.org/alphabet, checked 2026-11-30" in review
    assert all(item.stem.split()[0] in paper_text(PAPER.items) for item in PAPER.items)


def test_afterwards_every_possible_answer_is_explained() -> None:
    for item in PAPER.items:
        text = " ".join(review_text(item, right_answer(item)).split())
        assert all(choice.because in text for choice in item.choices)
        assert item.because in text
    wrong = PAPER.items[number("power-up")]
    given_answer = [choice.id for choice in wrong.choices]
    attempt = handed_in(PAPER, [None] * len(PAPER.items))
    assert answer_data(attempt.responses[0].answer) is None
    assert "[you put another step here]" in review_text(wrong, answer_from(wrong, given_answer))
    assert "in your answer]" not in review_text(wrong, None)


def test_texts_that_are_matched_otherwise_or_not_at_all_say_so() -> None:
    item = next(one for one in PAPER.items if one.kind == "matching")
    (first, right), (second, other), *_ = item.pairs
    told = {one.text.split(" - ")[0]: one.word for one in feedback(item, answer_from(item, {first: other}))}
    assert told[item.choice(first).text] == "you matched another text"
    assert told[item.choice(second).text] == "you matched none"
    told = {one.text.split(" - ")[0]: one.word for one in feedback(item, answer_from(item, {first: right}))}
    assert told[item.choice(first).text] == "right in your answer"


def test_readiness_is_told_from_ten_answers_on() -> None:
    right = [right_answer(item) for item in PAPER.items]
    assert "Readiness: 100 %, likely between" in report_text(report(handed_in(PAPER, right)))
    few = report(handed_in(PAPER, [*right[:8], None, None]))
    assert "Readiness: It is told once 10 items are answered; 2 are missing. No pass mark" in report_text(few)
    assert as_data(few)["readiness"] is None and as_data(few)["missing_for_readiness"] == 2


def test_half_of_the_items_is_told_from_four_items_on() -> None:
    looks = [({"event": "goto", "item": at}, {"event": "spent", "ms": 4000}) for at in range(4)]
    three, four = (told(*(event for look in looks[:count] for event in look)) for count in (3, 4))
    assert "half of the items" not in report_text(three) + result_page(three)
    assert "half of the items took less than 0:04" in report_text(four)
    assert "half of the items took less than 0:04" in result_page(four)
    assert ". not answered, took 0:04</h3>" in result_page(four)


def test_the_page_says_of_each_item_how_it_went() -> None:
    matching = next(at for at, one in enumerate(PAPER.items) if one.kind == "matching")
    pairs = PAPER.items[matching].pairs
    answers: list[Any] = [None] * len(PAPER.items)
    answers[number("letters")] = answer_from(PAPER.items[number("letters")], ["last"])
    answers[number("bandwidth")] = right_answer(PAPER.items[number("bandwidth")])
    answers[matching] = answer_from(PAPER.items[matching], dict(pairs[:1]))
    page = result_page(report(handed_in(PAPER, answers)))
    share = round(100 / len(pairs))
    assert f"<h3>{number('letters') + 1}. wrong</h3>" in page
    assert f"<h3>{number('bandwidth') + 1}. right</h3>" in page
    assert f"<h3>{matching + 1}. partly right ({share} %): 1 of {len(pairs)} pairs right</h3>" in page
    assert page.count(". not answered</h3>") == len(PAPER.items) - 3


def test_the_page_explains_the_marking_of_the_kinds_that_there_are_and_shows_code() -> None:
    item = replace(PAPER.items[number("letters")], stem="What does `ls <x>` print?")
    page = result_page(report(handed_in(replace(PAPER, items=(item,)), [None])))
    rules = page.partition("How it is marked</h2>")[2].partition("</ul>")[0]
    assert rules.count("<li>") == 2 and "<li>single: " in rules and "<li>not answered: " in rules
    assert "What does <code>ls &lt;x&gt;</code> print?" in page
