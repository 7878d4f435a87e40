"""URLs as curl and wget take them apart: scheme, host, port, path."""

from __future__ import annotations

import re
from dataclasses import dataclass

_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<path>/[^?#]*)?.*", re.DOTALL)
_AUTHORITY = re.compile(r"(?:[^@]*@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^:]*)(?::(?P<port>[^:]*))?")
_LARGEST_PORT = 65_535


class BadUrl(ValueError):
    """The text is no URL."""


@dataclass(frozen=True, slots=True)
class Url:
    """The parts; `port` is None where none is given."""

    scheme: str
    host: str
    port: int | None
    path: str


def split(text: str) -> Url:
    """Take a URL apart; without a scheme it is an http one. Raises BadUrl."""
    match = _URL.fullmatch(text if "://" in text else f"http://{text}")
    if not match or re.search(r"\s", text):
        raise BadUrl(text)
    authority = _AUTHORITY.fullmatch(match["authority"])
    if not authority:
        raise BadUrl(text)
    port = authority["port"]
    if port and not (port.isdigit() and int(port) <= _LARGEST_PORT):
        raise BadUrl(text)
    host = authority["host"].strip("[]").lower()
    return Url(match["scheme"].lower(), host, int(port) if port else None, match["path"] or "")
