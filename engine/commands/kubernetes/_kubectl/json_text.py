"""JSON as Go's encoding/json writes it: keys in order, characters of HTML escaped."""

from __future__ import annotations

import json
from typing import Any

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def pretty(value: Any, indent: int = 4) -> str:
    """Over several lines, as `-o json` prints it."""
    return _escaped(json.dumps(value, indent=indent, sort_keys=True, ensure_ascii=False))


def compact(value: Any) -> str:
    """On one line without spaces, as in an annotation."""
    return _escaped(json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False))


def _escaped(text: str) -> str:
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return text
