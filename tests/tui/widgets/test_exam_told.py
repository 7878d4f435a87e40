"""What there is to say about an item, as rows: signs and words, never colour alone."""

from __future__ import annotations

from fractions import Fraction

from exams.answers import answer_from
from exams.attempt import Response
from exams.marking import mark
from exams.report import report
from tests.exams import bank
from tests.support.exams import handed_in
from tui.look.glyphs import ASCII, UNICODE
from tui.widgets.exam_told import item_told, mark_pieces, result_rows
from tui.widgets.rows import Row


def texts(rows: list[Row]) -> list[str]:
    return ["".join(text for text, _ in row.lead) + row.text for row in rows]


def told(id: str, data: object, **more: str) -> list[str]:
    item = bank.rendered(id)
    response = Response(answer=answer_from(item, data), **more)  # type: ignore[arg-type]
    return texts(item_told(item, response, mark(item, response.answer), UNICODE))


def test_a_wrong_choice_and_the_right_one_are_told_apart_by_sign_and_word() -> None:
    lines = told("letters", ["last"])
    assert lines[0] == "✗ wrong  "
    assert [line[0] for line in lines if "[" in line] == [
        "✓" if choice.id == "first" else "✗"
        for choice in bank.rendered("letters").choices
        if choice.id in ("first", "last")
    ]
    assert any("[wrong, chosen] The letter omega" in line for line in lines)
    assert any("[right] The letter alpha" in line for line in lines)
    assert any(line.strip() == "It stands at the beginning." for line in lines)
    assert lines[-1].startswith("Source: An alphabet, page 1")


def test_steps_that_stand_elsewhere_in_the_answer_have_another_sign() -> None:
    lines = told("power-up", ["one", "two", "four", "three"])
    assert lines[0].startswith("▲ in part, ")
    assert [line[0] for line in lines if "[right in your answer]" in line] == ["✓", "✓"]
    assert [line[0] for line in lines if "[you put another step here]" in line] == ["▲", "▲"]
    assert "  3. delta" in lines


def test_nothing_answered_is_told_as_such_and_a_note_is_shown() -> None:
    lines = told("bandwidth", None, note="half of it")
    assert lines[0] == "✗ not answered  "
    assert "Your note: half of it" in lines


def test_marks_are_words_in_every_set_of_signs() -> None:
    item = bank.rendered("letters")
    right = mark(item, answer_from(item, ["first"]))
    assert right.points == Fraction(1)
    assert mark_pieces(right, ASCII)[0][0] == "+ right  "


def test_a_result_has_its_sections_and_says_where_items_are_few() -> None:
    rows = texts(result_rows(report(handed_in().attempt), UNICODE))
    for heading in ("By domain", "Readiness", "To study first", "Time"):
        assert heading in rows
    assert any("too few to tell" in row for row in rows)
    assert any("No pass mark is published" in row for row in rows)
    assert "How sure you were, and how right" not in rows  # nobody said
