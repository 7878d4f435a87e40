"""Moves as a script writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernel.units import MINUTE
from scenarios.script import (
    Answer,
    Diagnose,
    Hands,
    Hint,
    Line,
    MoveError,
    Note,
    Pin,
    Submit,
    Wait,
    parse_move,
    script_lines,
)


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("ls -l", Line("ls -l")),
        (": nothing", Line(": nothing")),
        (":", Line(":")),
        ("  :pin x", Line("  :pin x")),
        (":diagnose component=dgx-02/gpu5 cause=gpu.fell_off_bus", Diagnose("dgx-02/gpu5", "gpu.fell_off_bus")),
        (":diagnose cause=a component=b", Diagnose("b", "a")),
        (":pin Xid 79,  pid=1", Pin("Xid 79,  pid=1")),
        (":note it is gpu5", Note("it is gpu5")),
        (":hint", Hint()),
        (":answer q1 42 GPUs", Answer("q1", "42 GPUs")),
        (":hands reseat target=dgx-02/gpu5", Hands("reseat", "dgx-02/gpu5")),
        (":wait 1h30m", Wait(90 * MINUTE)),
        (":submit", Submit()),
    ],
)
def test_moves_are_read(text: str, move: object) -> None:
    assert parse_move(text) == move


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (":diagnse component=a cause=b", 'unknown move ":diagnse"; did you mean ":diagnose"'),
        (":diagnose dgx-02", "write :diagnose component=... cause=..."),
        (":diagnose component=a", "write :diagnose component=... cause=..."),
        (":diagnose component= cause=b", "write :diagnose component=... cause=..."),
        (":diagnose component=a cause=b reason=c", 'found "reason=c"'),
        (":pin", "write :pin TEXT"),
        (":answer q1", "write :answer QUESTION TEXT"),
        (":hands reseat", "write :hands ACTION target=..."),
        (":wait a while", "write :wait 10m"),
        (":wait -5m", "write :wait 10m"),
        (":wait 40d", "longer than 30d"),
        (":submit now", ":submit takes nothing"),
    ],
)
def test_mistakes_are_told(text: str, words: str) -> None:
    with pytest.raises(MoveError) as caught:
        parse_move(text)
    assert words in caught.value.message


def test_empty_lines_of_a_script_are_left_out_and_the_others_keep_their_numbers() -> None:
    assert list(script_lines("a\n\n  \n  b  \n")) == [(1, "a"), (4, "  b")]


@given(st.text(max_size=40))
def test_any_line_is_a_move_or_refused(text: str) -> None:
    try:
        parse_move(":" + text)
    except MoveError as error:
        assert error.message
