"""Visitors of the web server: who somebody is, where their things are kept, and how many there may be.

A visitor is known by a random cookie that only this server reads. Its hash names a folder of their own; whoever lacks
the cookie cannot come to it, and nothing of a name or address is kept.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

COOKIE = "breakfix-visitor"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


class Full(Exception):
    """There are as many sessions as there may be."""


def new_token() -> str:
    """A cookie for somebody who has none."""
    return secrets.token_urlsafe(32)


def known_token(text: str | None) -> str | None:
    """The cookie that somebody sent, if it looks like one of ours."""
    return text if text and _TOKEN.fullmatch(text) else None


@dataclass
class Visitors:
    """Everybody's folder is in `folder`; at most `most` sessions run at once."""

    folder: Path
    most: int
    running: int = field(default=0, init=False)

    def home(self, token: str) -> Path:
        """A visitor's own folder (not created)."""
        return self.folder / sha256(token.encode()).hexdigest()[:32]

    @contextmanager
    def session(self) -> Iterator[None]:
        """A place for a session while it runs. Raises Full."""
        if self.running >= self.most:
            raise Full
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1
