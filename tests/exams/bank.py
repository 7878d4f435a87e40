"""A small bank with every kind of item, its papers, and answers to them."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from exams.answers import Answer, Chosen, Matched, Number, Ordered, Pointed, Worked
from exams.catalogue import Course, find
from exams.exhibits import Exhibits
from exams.paper import Paper, Terms, exam_paper
from exams.rendered import Rendered
from exams.rendering import render

DATA = Path(__file__).parent / "data"
BLUEPRINT = DATA / "small.yaml"
BANK = DATA / "small" / "all-kinds.yaml"

_EXHIBITS = Exhibits(keep=64)


@cache
def course() -> Course:
    """The exam of the tests."""
    return find(str(BLUEPRINT))


@cache
def rendered(id: str, seed: int = 1) -> Rendered:
    """An item of it at a seed."""
    return asyncio.run(render(course().item(id), seed, _EXHIBITS))


@cache
def paper(seed: int = 1, **terms: Any) -> Paper:
    """An exam of it."""
    return asyncio.run(exam_paper(course(), seed, Terms(**terms), started=1000, exhibits=_EXHIBITS))


def answers(item: Rendered) -> st.SearchStrategy[Answer]:
    """Any answer to an item."""
    ids = [choice.id for choice in item.choices]
    if item.kind in ("single", "multiple"):
        some = st.lists(st.sampled_from(ids), min_size=1, max_size=len(item.key), unique=True)
        return some.map(lambda chosen: Chosen(tuple(sorted(chosen))))
    if item.kind == "ordering":
        return st.permutations(ids).map(lambda order: Ordered(tuple(order)))
    if item.kind == "matching":
        rights = st.sampled_from([choice.id for choice in item.rights])
        pairs = st.dictionaries(st.sampled_from(ids), rights, min_size=1)
        return pairs.map(lambda found: Matched(tuple(sorted(found.items()))))
    if item.kind == "numeric":
        numbers = st.decimals(-10_000, 10_000, allow_nan=False, places=2)
        return numbers.map(lambda number: Number(str(number), item.unit))
    if item.kind == "point":
        return st.sampled_from(item.output_lines).map(Pointed)
    return st.fractions(0, 1, max_denominator=20).map(Worked)
