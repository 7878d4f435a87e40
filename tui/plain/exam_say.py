"""Sentences of plain mode, wrapped at words where a terminal shows them."""

from __future__ import annotations

import shutil
import sys
from textwrap import wrap

from exams.item_text import WIDTH

NARROWEST = 20


def text_width() -> int:
    """How wide an item is told: as everywhere, or less where the terminal is narrower."""
    return max(min(WIDTH, shutil.get_terminal_size().columns), NARROWEST) if sys.stdout.isatty() else WIDTH


def say(text: object) -> None:
    """Print sentences; at a terminal no word of them is cut at its edge. What is read by programs stays as it is."""
    lines = str(text)
    print(wrapped(lines, shutil.get_terminal_size().columns) if sys.stdout.isatty() else lines, flush=True)


def wrapped(text: str, width: int) -> str:
    """The text with its own line breaks, and more where a line is too long."""
    rows = (
        wrap(line, max(width, NARROWEST), break_long_words=False, break_on_hyphens=False) or [""]
        for line in text.split("\n")
    )
    return "\n".join(row for found in rows for row in found)
