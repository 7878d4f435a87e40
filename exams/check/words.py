"""Texts as words, and how much two of them are alike."""

from __future__ import annotations

import re
from collections.abc import Iterable

SHINGLE = 3
"""Words in a row that are compared as one."""

_WORD = re.compile(r"\w+(?:[.\-'/]\w+)*")

_EMPTY = """
a an and are as be because been being but by correct false for from has have in is it its of on one option answer or
right so than that the their them then there these they this those to true was were which with wrong
"""
EMPTY = frozenset(_EMPTY.split())
"""Words that explain nothing by themselves."""


def words(text: str) -> list[str]:
    """The words of a text, in small letters."""
    return _WORD.findall(text.casefold())


def telling_words(text: str) -> set[str]:
    """The words of a text that say something."""
    return set(words(text)) - EMPTY


def shingles(texts: Iterable[str]) -> frozenset[object]:
    """Every run of words in the texts; a shorter text is one run."""
    found: set[object] = set()
    for text in texts:
        these = words(text)
        found |= {tuple(these[start : start + SHINGLE]) for start in range(max(len(these) - SHINGLE + 1, 1))}
    return frozenset(found)


def likeness(one: frozenset[object], other: frozenset[object]) -> float:
    """The share of both together that both have (Jaccard), 0 to 1."""
    return len(one & other) / len(one | other) if one and other else 0.0
