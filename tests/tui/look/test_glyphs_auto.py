"""Which signs a terminal is thought to show."""

from __future__ import annotations

import pytest

from tui.look.glyphs import shows_unicode


@pytest.mark.parametrize(
    ("environment", "shows"),
    [
        ({}, True),
        ({"LANG": "de_DE.UTF-8"}, True),
        ({"LANG": "C.utf8"}, True),
        ({"LANG": "C"}, False),
        ({"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, False),
        ({"LC_ALL": "", "LANG": "en_US.UTF-8"}, True),
        ({"LANG": "en_US.ISO-8859-1"}, False),
        ({"TERM": "linux", "LANG": "en_US.UTF-8"}, False),
        ({"TERM": "vt100", "LANG": "en_US.UTF-8"}, False),
        ({"TERM": "xterm-256color", "LANG": "en_US.UTF-8"}, True),
    ],
)
def test_auto_follows_the_locale(environment: dict[str, str], shows: bool) -> None:
    assert shows_unicode(environment) is shows
