"""The calculator: what it works out, and what it refuses."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernel.errors import BreakfixError
from tui.live.calculator import calculated, result_text


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("1+2*3", "7"),
        ("(1+2)*3", "9"),
        ("8 * (400 - 12.5) / 8", "387.5"),
        ("2--2", "4"),
        ("-(3-5)", "2"),
        ("10/4/5", "0.5"),
        ("0.1+0.2", "0.3"),
        ("1/3", "0.3333333333"),
        ("-1/3", "-0.3333333333"),
        (".5*4.", "2"),
        ("0-0", "0"),
    ],
)
def test_it_works_out(text: str, result: str) -> None:
    assert result_text(calculated(text)) == result


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1+",
        "1/0",
        "(1",
        "1)",
        "2**3",
        "__import__('os')",
        "1e9",
        "a",
        "()",
        "1 2",
        "9" * 300,
        "*1",
        "1..2",
        "1,2",
        "1,000*2",
    ],
)
def test_it_refuses_with_a_sentence(text: str) -> None:
    with pytest.raises(BreakfixError) as error:
        calculated(text)
    assert len(error.value.message) > 10


@given(
    st.recursive(
        st.integers(0, 50).map(str),
        lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(
            lambda found: f"({found[0]}{found[1]}{found[2]})"
        ),
        max_leaves=8,
    )
)
def test_whole_numbers_are_as_python_has_them(text: str) -> None:
    if len(text) <= 200:
        assert calculated(text) == Fraction(eval(text))
