"""Answers: as data, as people write them, and in files."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.documents import DocumentError
from exams.answer_file import read_answers
from exams.answer_text import read_answer, told_answer, written_answer
from exams.answers import AnswerError, Chosen, Matched, Number, Pointed, Worked, answer_data, answer_from, is_complete
from exams.rendered import LETTERS
from tests.exams import bank

ITEMS = [bank.rendered(item.id) for item in bank.course().items]


@settings(deadline=None)
@given(st.sampled_from(ITEMS).flatmap(lambda item: st.tuples(st.just(item), bank.answers(item))))
def test_an_answer_survives_as_data_and_as_text(found: Any) -> None:
    item, answer = found
    assert answer_from(item, json.loads(json.dumps(answer_data(answer)))) == answer
    again = read_answer(item, written_answer(item, answer))
    assert again == answer or (isinstance(again, Number) and again.value == answer.value)
    assert all(told_answer(item, answer))


@settings(deadline=None)
@given(st.sampled_from(ITEMS), st.text(max_size=30))
def test_any_text_is_an_answer_or_is_refused_with_a_sentence(item: Any, text: str) -> None:
    try:
        read_answer(item, text)
    except AnswerError as error:
        assert len(error.message) > 10


@settings(deadline=None)
@given(
    st.sampled_from(ITEMS),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=5,
    ),
)
def test_any_data_is_an_answer_or_is_refused(item: Any, data: Any) -> None:
    try:
        answer_from(item, data)
    except AnswerError as error:
        assert error.message


def letters(id: str, *ids: str) -> str:
    choices = [choice.id for choice in bank.rendered(id).choices]
    return " ".join(LETTERS[choices.index(one)] for one in ids)


@pytest.mark.parametrize("between", [" ", ", ", ",", "", " ; "])
def test_letters_are_read_however_they_are_set(between: str) -> None:
    text = letters("vowels", "o", "a").replace(" ", between)
    assert read_answer(bank.rendered("vowels"), text) == Chosen(("a", "o"))
    assert read_answer(bank.rendered("vowels"), text.lower()) == Chosen(("a", "o"))


def test_pairs_numbers_lines_and_shares_are_read() -> None:
    tools = bank.rendered("tools")
    assert read_answer(tools, "1C, 2-a") == Matched(
        tuple(sorted([(tools.choices[0].id, tools.rights[2].id), (tools.choices[1].id, tools.rights[0].id)]))
    )
    assert read_answer(bank.rendered("bandwidth"), "51.6GB/s") == Number("51.6", "GB/s")
    assert read_answer(bank.rendered("idle-node"), "line 5") == Pointed(5)
    assert {read_answer(bank.rendered("lab"), text) for text in ("75%", "3/4", "0.75")} == {Worked(Fraction(3, 4))}


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.item)
def test_nothing_is_a_state_of_its_own(item: Any) -> None:
    assert read_answer(item, "-") is read_answer(item, " ") is answer_from(item, None) is answer_from(item, []) is None
    assert answer_data(None) is None and told_answer(item, None) == ("not answered",)
    assert not is_complete(item, None)


@pytest.mark.parametrize(
    ("id", "text", "sentence"),
    [
        ("letters", "D", "write letters from A to C"),
        ("letters", "A B", "2 options are chosen; choose 1"),
        ("vowels", "A B C D", "4 options are chosen; choose 3"),
        ("vowels", "A A", "one of them is given twice"),
        ("power-up", "A B", "2 of 4 steps are put in order; give all of them"),
        ("tools", "9A", "there is no 9 on the left; write numbers from 1 to 4"),
        ("tools", "1A 1B", "1 is matched twice"),
        ("tools", "A", "write pairs such as 1C 2A"),
        ("bandwidth", "51.6 W", '"W" is not the unit here; write the number in GB/s'),
        ("idle-node", "99", "the exhibit has no line 99; it has 6"),
        ("idle-node", "1", "line 1 was typed; point at a line of the output"),
        ("lab", "120%", "from 0 to 1, such as 0.75 or 3/4"),
    ],
)
def test_mistakes_are_told_in_sentences(id: str, text: str, sentence: str) -> None:
    with pytest.raises(AnswerError) as caught:
        read_answer(bank.rendered(id), text)
    assert sentence in caught.value.message


def test_whether_something_is_missing() -> None:
    vowels, tools = bank.rendered("vowels"), bank.rendered("tools")
    assert [is_complete(vowels, Chosen(ids)) for ids in (("a",), ("a", "e", "b"))] == [False, True]
    assert not is_complete(tools, Matched((("p", "p"),)))


def test_a_file_of_lines() -> None:
    text = "# mine\n1 A\n\n 3. B A C D # in order\n2\n8 5\n"
    answers = read_answers(text, "answers.txt", ITEMS)
    assert [number for number, answer in enumerate(answers, 1) if answer is not None] == [1, 3, 8]
    assert answers[0] == read_answer(ITEMS[0], "A")


def test_a_file_of_json_by_item() -> None:
    data = {"letters": "first", "vowels": ["a", "e", "o"], "tools": {"p": "p"}, "bandwidth": 51.6, "idle-node": 5,
            "lab": 0.5, "power-up": None}  # fmt: skip
    answers = dict(zip([item.item for item in ITEMS], read_answers(json.dumps(data), "a.json", ITEMS), strict=True))
    assert answers["letters"] == Chosen(("first",)) and answers["bandwidth"] == Number("51.6")
    assert answers["lab"] == Worked(Fraction(1, 2)) and answers["power-up"] is answers["lost-gpu"] is None


def test_all_mistakes_of_a_file_are_told_with_their_lines() -> None:
    with pytest.raises(DocumentError) as caught:
        read_answers("1 Z\n2 A\n\nB\n99 A\n2 A\n", "a.txt", ITEMS)
    assert [str(problem).split(":")[1] for problem in caught.value.problems] == ["1", "4", "5", "6"]
    with pytest.raises(DocumentError) as caught:
        read_answers('{\n"letters": "fist",\n"leters": "first"}', "a.json", ITEMS)
    assert [str(problem).split(":")[1] for problem in caught.value.problems] == ["2", "3"]
    with pytest.raises(DocumentError, match=r"a\.json:2: this is not JSON"):
        read_answers('{"letters":\n "first"', "a.json", ITEMS)
