"""Alt with a sign reaches the line editor under the name it knows."""

from __future__ import annotations

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from tui.alt_keys import teach_alt_keys


@pytest.mark.parametrize(
    ("sent", "key"),
    [("\x1b.", "alt+full_stop"), ("\x1b\x7f", "alt+backspace"), ("\x1b<", "alt+less_than_sign")],
)
def test_alt_with_a_sign_is_one_key(sent: str, key: str) -> None:
    teach_alt_keys()
    found = [event for event in XTermParser().feed(sent) if isinstance(event, events.Key)]
    assert [event.key for event in found] == [key]
