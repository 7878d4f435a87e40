"""URLs taken apart."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.commands.linux._support.urls import BadUrl, Url, split


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("dgx-02", Url("http", "dgx-02", None, "")),
        ("HTTPS://Head-01:8443/a/b?c#d", Url("https", "head-01", 8443, "/a/b")),
        ("ftp://user:secret@x/", Url("ftp", "x", None, "/")),
        ("http://[::1]:80/", Url("http", "::1", 80, "/")),
        ("x:", Url("http", "x", None, "")),
        ("file:///etc/hostname", Url("file", "", None, "/etc/hostname")),
    ],
)
def test_parts(text: str, url: Url) -> None:
    assert split(text) == url


@pytest.mark.parametrize("text", ["http://a b", "http://x:99999", "http://x:80:80", "://x", "http://x:ab"])
def test_what_is_no_url(text: str) -> None:
    with pytest.raises(BadUrl):
        split(text)


@given(st.text(max_size=40))
def test_any_text_is_a_url_or_refused(text: str) -> None:
    with suppress(BadUrl):
        assert split(text).scheme
