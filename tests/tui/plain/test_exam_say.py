"""Sentences of plain mode."""

from __future__ import annotations

from tui.plain.exam_say import wrapped


def test_long_lines_are_wrapped_at_words_and_line_breaks_stay() -> None:
    text = "The exam has no option of that letter here.\n\nshort\n  1  not-answered, flagged"
    rows = wrapped(text, 24).split("\n")
    assert rows == ["The exam has no option", "of that letter here.", "", "short", "  1  not-answered,", "flagged"]
    assert wrapped(text, 80) == text
