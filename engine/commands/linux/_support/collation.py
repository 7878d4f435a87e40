"""The order of names: by code point in the C locales, letters before case elsewhere (glibc 2.39's iso14651_t1), and
version order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

# Punctuation sorts before digits and digits before letters, in this order among themselves.
_PUNCTUATION = "_-,;:!?/.`^~'\"()[]{}@$*\\&#%+<=>|"


def sort_key(environment: Mapping[str, str]) -> Callable[[str], Any]:
    """The key by which the locale of `environment` sorts names."""
    value = environment.get("LC_ALL") or environment.get("LC_COLLATE") or environment.get("LANG") or "C"
    plain = value.partition(".")[0] in ("C", "POSIX", "")
    return (lambda text: text.encode("utf-8", "surrogateescape")) if plain else _language_key


def _language_key(text: str) -> Any:
    primary = [_weight(character) for character in text]
    return primary, [character.isupper() for character in text], text


def _weight(character: str) -> tuple[int, int | str]:
    if character in _PUNCTUATION:
        return 0, _PUNCTUATION.index(character)
    if character.isdigit():
        return 2, int(character)
    return (3, character.lower()) if character.isalpha() else (1, ord(character))


def version_key(text: str) -> Any:
    """`ls -v`, `sort -V`: numbers in names by their value."""
    parts = re.findall(r"\d+|\D+", text)
    return [(1, int(part), part) if part.isdigit() else (0, 0, part) for part in parts]
