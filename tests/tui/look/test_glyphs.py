"""Both sets of glyphs: one column each, and states that differ without colour."""

from __future__ import annotations

from dataclasses import fields

import pytest
from rich.cells import cell_len

from tui.look.ascii_signs import SIGNS
from tui.look.glyphs import ASCII, UNICODE, Glyphs, State

SIGN_NAMES = [field.name for field in fields(Glyphs) if field.name != "border"]


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_each_glyph_is_one_column_and_each_state_has_its_own(glyphs: Glyphs) -> None:
    for name in SIGN_NAMES:
        assert cell_len(getattr(glyphs, name)) == 1, name
    assert len({glyphs.of(state) for state in State}) == len(State)
    assert len({state.value for state in State}) == len(State)
    assert glyphs.checked != glyphs.unchecked and glyphs.chosen != glyphs.unchosen


def test_the_ascii_set_is_ascii_and_every_unicode_glyph_has_a_likeness() -> None:
    for name in SIGN_NAMES:
        assert getattr(ASCII, name).isascii(), name
        assert getattr(UNICODE, name) in SIGNS, name


def test_likenesses_are_single_ascii_characters() -> None:
    for sign, likeness in SIGNS.items():
        assert len(likeness) == 1 and likeness.isascii() and likeness.isprintable(), sign
