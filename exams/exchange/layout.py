"""Texts in formats with little structure: the exhibit follows the stem after a line of its own, and what joins a pair
does not stand in its texts.
"""

from __future__ import annotations

from collections.abc import Sequence

RULE = "--- shown ---"


ARROW = " -> "


def in_pair(text: str) -> str:
    """A text that can stand on one side of a pair."""
    return text.replace("->", "\N{RIGHTWARDS ARROW}")


def joined(stem: str, exhibit: Sequence[str]) -> str:
    """The stem, and what is shown with it, as one text."""
    return "\n".join([stem, RULE, *exhibit]) if exhibit else stem


def parted(text: str) -> tuple[str, tuple[str, ...]]:
    """The stem and the exhibit of such a text."""
    stem, rule, shown = text.partition(f"\n{RULE}\n")
    return (stem, tuple(shown.split("\n"))) if rule else (text, ())
