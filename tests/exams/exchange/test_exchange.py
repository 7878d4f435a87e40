"""Items for other programs and back: what a format holds comes back as it was, what it cannot hold is told."""

from __future__ import annotations

import asyncio
import io
import sqlite3
import zipfile
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernel.errors import BreakfixError
from exams.catalogue import find
from exams.exchange import aiken, anki, gift, moodle, table
from exams.exchange.bank import UNSAID, bank_text
from exams.exchange.question import Answer, Question, questions_of
from exams.load import load_bank
from exams.rendered import Choice, Citation, Rendered
from exams.rendering import render_near

COMMON = {"uuid": "", "seed": 1, "domain": "d", "objective": "o", "difficulty": 2, "sources": (Citation("A manual"),)}
OPTIONS = (Choice("a", "A {brace} = 50%", "Because ~ and #."), Choice("b", "B: no", "x"), Choice("c", "C", "y"))
SINGLE = Rendered("single", "one", stem="Which\nof these?", exhibit=("$ nvidia-smi", "", "a  b"), choices=OPTIONS,
                  key=("b",), **COMMON)  # fmt: skip
MULTIPLE = Rendered(
    "multiple", "two", stem="Which?", choices=(*OPTIONS, Choice("d", "D", "z")), key=("a", "b"), **COMMON
)
NUMERIC = Rendered(
    "numeric", "three", stem="How much?", number="155/3", tolerance="0.1", unit="GB/s", because="So.", **COMMON
)
MATCHING = Rendered("matching", "four", stem="Match.", choices=OPTIONS, rights=(Choice("a", "ra"), Choice("z", "none")),
                    pairs=(("a", "a"), ("b", "a"), ("c", "a")), **COMMON)  # fmt: skip
ORDERING = Rendered("ordering", "five", stem="Order.", choices=OPTIONS, key=("c", "a", "b"), **COMMON)
POINT = Rendered("point", "six", stem="Point.", exhibit=("ok", "bad", "bad"), lines=(2, 3), because="It is.", **COMMON)
LAB = Rendered("hands-on", "seven", stem="Do.", scenario="x", **COMMON)
ALL = (SINGLE, MULTIPLE, NUMERIC, MATCHING, ORDERING, POINT, LAB)

FORMATS = {"gift": (gift.write, gift.read), "moodle": (moodle.write, moodle.read), "csv": (table.write, table.read)}


def questions() -> list[Question]:
    return questions_of(ALL).questions


def test_what_becomes_of_each_kind() -> None:
    made = questions_of(ALL)
    assert [one.kind for one in made.questions] == ["single", "multiple", "numeric", "matching", "matching", "numeric"]
    assert [loss.item for loss in made.losses] == ["five", "six", "seven"]
    single, _, numeric, matching, ordering, point = made.questions
    assert [one.right for one in single.answers] == [False, True, False]
    assert (numeric.number, numeric.unit, numeric.told) == ("51.666667", "GB/s", "So.\nSource: A manual")
    assert matching.decoys == ("none",)
    assert ordering.pairs[0] == ("Step 1", "C")
    assert (point.number, point.exhibit[1]) == ("2", "2  bad")


@pytest.mark.parametrize("name", FORMATS)
def test_there_and_back_again(name: str) -> None:
    write, read = FORMATS[name]
    asked = questions()
    assert read(write(asked), "file") == asked


@pytest.mark.parametrize("name", ["gift", "csv"])
def test_an_arrow_in_a_pair_becomes_another_where_arrows_join(name: str) -> None:
    write, read = FORMATS[name]
    (back,) = read(write([Question("q", "matching", "M", pairs=(("a -> b", "x"), ("c", "y"), ("d", "z")))]), "file")
    assert back.pairs == (("a \N{RIGHTWARDS ARROW} b", "x"), ("c", "y"), ("d", "z"))


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["C"], exclude_characters="\xa0\u2028\u2029\x85"),
                min_size=1, max_size=40)  # fmt: skip
PLAIN = TEXTS.map(lambda text: " ".join(text.split())).filter(bool)


@pytest.mark.parametrize("name", FORMATS)
@given(stem=PLAIN, texts=st.lists(PLAIN, min_size=3, max_size=6, unique=True), reason=PLAIN, right=st.integers(0, 2))
def test_any_text_survives(name: str, stem: str, texts: list[str], reason: str, right: int) -> None:
    write, read = FORMATS[name]
    if any("->" in text for text in texts):
        texts = [text.replace("->", "to") for text in texts]
    answers = tuple(Answer(text, place == right, reason) for place, text in enumerate(texts))
    asked = [Question("q", "single", stem, answers=answers)]
    assert read(write(asked), "file") == asked


def test_aiken_holds_single_answers_alone_and_says_so() -> None:
    plain = Question(
        "q", "single", "Which?", answers=(Answer("x", True, "why"), Answer("y", False), Answer("z", False))
    )
    text, losses = aiken.write([plain, *questions()])
    assert text == "Which?\nA. x\nB. y\nC. z\nANSWER: A\n"
    assert [loss.item for loss in losses] == ["one", "two", "three", "four", "five", "six", ""]
    (back,) = aiken.read(text, "file")
    assert [(one.text, one.right) for one in back.answers] == [("x", True), ("y", False), ("z", False)]


def test_a_deck_has_a_note_for_each_question_and_stays_itself(tmp_path: Path) -> None:
    def notes(data: bytes) -> list[tuple[str, str]]:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            (tmp_path / "deck").write_bytes(package.read("collection.anki2"))
        with sqlite3.connect(tmp_path / "deck") as deck:
            return deck.execute("select guid, flds from notes order by id").fetchall()

    first, again = notes(anki.write(questions(), "SMALL")), notes(anki.write(questions(), "SMALL"))
    assert len(first) == 6 and [guid for guid, _ in first] == [guid for guid, _ in again]
    assert "A {brace} = 50%" in first[0][1] and "Because ~ and #." in first[0][1]


@pytest.mark.parametrize(
    ("read", "text", "told"),
    [
        (gift.read, "::a:: What {\n~x\n~y\n}", "file:1: no answer is right"),
        (gift.read, "\n\nWhat is this?", "file:3: a question has its answers in braces"),
        (gift.read, "N {#five}", "file:1: 'five' is no number"),
        (aiken.read, "Q?\nA. x\nB. y\nANSWER: C", "file:4: ANSWER: C names none"),
        (aiken.read, "Q?\nA. x\nhm", "file:3: an answer is"),
        (aiken.read, "Q?\nA. x", "the last question has no line"),
        (moodle.read, "<quiz><question", "file:1: this is no XML"),
        (moodle.read, "<html/>", "the outermost element is <html>"),
        (moodle.read, "<quiz><question type='essay'/></quiz>", "type 'essay' cannot be read"),
        (table.read, "a,b\n1,2\n", "file:1: the header lacks"),
        (table.read, "name,kind,stem,option 1,right,exhibit\nq,odd,s,x,A,\n", "file:2: the kind 'odd' is none"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(read: object, text: str, told: str) -> None:
    with pytest.raises(BreakfixError) as caught:
        read(text, "file")  # type: ignore[operator]
    assert told in str(caught.value)


def test_xml_that_would_explode_or_read_files_is_refused() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY b "cc"><!ENTITY d "&b;&b;">]><quiz><question>&d;</question></quiz>'
    outside = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><quiz>&b;</quiz>'
    for text in (bomb, outside):
        with pytest.raises(BreakfixError, match="declares entities"):
            moodle.read(text, "file")


def test_other_peoples_gift_is_read() -> None:
    text = """// a comment
$CATEGORY: networks/cables

Is copper longer than glass? {F}

::two:: [html]Which are speeds? {
  ~%50%HDR#yes
  ~%50%NDR
  ~%-100%CDR#no such thing
  ~%-100%ZDR
  ####Generations of InfiniBand.
}
"""
    first, second = gift.read(text, "file")
    assert [one.right for one in first.answers] == [False, True]
    assert (second.name, second.kind, second.category) == ("two", "multiple", ("networks", "cables"))
    assert [one.because for one in second.answers] == ["yes", "", "no such thing", ""]
    assert second.told == "Generations of InfiniBand."


def bank_of(asked: list[Question], objective: str | None) -> tuple[str, list[str]]:
    ids = iter(f"00000000-0000-4000-8000-{number:012}" for number in range(1, 100))
    blueprint = find("nca-aiio").blueprint
    text, losses = bank_text(asked, blueprint, "taken-in", objective, "quiz.gift", date(2026, 12, 1), ids.__next__)
    return text, [loss.item for loss in losses]


def test_questions_become_a_bank_that_says_what_is_missing() -> None:
    blueprint = find("nca-aiio").blueprint
    objective = blueprint.domains[0].objectives[0].id
    text, lost = bank_of([*questions(), Question("short", "single", "?", answers=(Answer("x", True),))], objective)
    bank = load_bank(text, "taken-in.yaml", lambda name: blueprint, "taken-in")
    assert [item.kind for item in bank.items] == ["single", "multiple", "numeric", "matching", "matching", "numeric"]
    assert lost == ["short"]
    assert {item.objective for item in bank.items} == {objective}
    matching = bank.items[3]
    assert matching.kind == "matching" and matching.pairs[0].because == UNSAID


def test_a_question_without_an_objective_is_not_guessed() -> None:
    with pytest.raises(BreakfixError, match="names no objective of NCA-AIIO"):
        bank_of(questions(), None)
    with pytest.raises(BreakfixError, match="unknown objective of NCA-AIIO"):
        bank_of(questions(), "nonsense")


def test_a_packaged_bank_goes_out_and_comes_back() -> None:
    course = find("nca-aiio")
    bank = next(one for one in course.banks if one.topic == "power-and-cooling")

    async def rendered() -> list[Rendered]:
        return [await render_near(item, 1) for item in bank.items if item.exhibit is None]

    asked = questions_of(asyncio.run(rendered())).questions
    assert len(asked) == 5
    for write, read in FORMATS.values():
        assert read(write(asked), "file") == asked
    text, lost = bank_of(asked, None)
    again = load_bank(text, "taken-in.yaml", lambda name: course.blueprint, "taken-in")
    assert len(again.items) == len(asked) and not lost
