"""Host lists, there and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand, fold


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("dgx-[01-03]", ["dgx-01", "dgx-02", "dgx-03"]),
        ("dgx-[01,03-04],head-01", ["dgx-01", "dgx-03", "dgx-04", "head-01"]),
        ("r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"]),
        ("a, b a", ["a", "b"]),
        ("n[8-11]", ["n8", "n9", "n10", "n11"]),
        ("", []),
    ],
)
def test_expand(text: str, names: list[str]) -> None:
    assert expand(text) == names


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["dgx-01", "dgx-02", "dgx-03"], "dgx-[01-03]"),
        (["dgx-03", "dgx-01"], "dgx-[01,03]"),
        (["dgx-07"], "dgx-07"),
        (["head-01", "dgx-01", "dgx-02"], "head-01,dgx-[01-02]"),
        (["n9", "n10"], "n9,n10"),
        (["login", "n1", "n2"], "login,n[1-2]"),
    ],
)
def test_fold(names: list[str], text: str) -> None:
    assert fold(names) == text


@given(st.lists(st.builds(lambda n, w: f"n{n:0{w}d}", st.integers(0, 3000), st.integers(1, 4)), unique=True))
def test_fold_and_expand_keep_the_names(names: list[str]) -> None:
    assert sorted(expand(fold(names))) == sorted(names)


@pytest.mark.parametrize("text", ["dgx-[01-", "dgx-[3-1]", "dgx-[a-b]", "n[1-99999999]", "n[1-60000]m[1-60000]", "]"])
def test_bad_lists_are_refused_quickly(text: str) -> None:
    with pytest.raises(BreakfixError, match="host list"):
        expand(text)
