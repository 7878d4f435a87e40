"""What a plain word in a YAML file means, and which characters may stand in one.

The rules are the core schema of YAML 1.2 (yaml.org/spec/1.2.2, section 10.3.2) minus what surprises people: `yes`,
`no`, `on`, `off`, dates, times and numbers with a leading zero or in octal are text, as are `.inf` and `.nan`.
"""

from __future__ import annotations

import math
import re

Scalar = str | int | float | bool | None

NUMBER_LENGTH = 40
"""No quantity of a cluster needs more digits; serial numbers that do are text."""

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")

_CONTROL = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff"
_NOT_IN_VALUES = re.compile(f"[{_CONTROL}]")
# Also out: the line separators that YAML counts as line ends and editors do not, and what no YAML reader accepts.
_NOT_IN_FILES = re.compile(f"[{_CONTROL}\u2028\u2029\ufeff\ufffe\uffff]")


class ScalarError(ValueError):
    """A plain word that is meant as a number and is none that can be held."""


def resolve(word: str) -> Scalar:
    """The value of an unquoted word. Whatever is not plainly a number, a truth value or nothing is text."""
    if word in _WORDS:
        return _WORDS[word]
    if word[0] not in "-+.0123456789":
        return word
    if _INTEGER.fullmatch(word):
        return int(_bounded(word))
    if _HEXADECIMAL.fullmatch(word):
        return int(_bounded(word), 16)
    return _finite(word) if _FLOAT.fullmatch(word) else word


def forbidden_in_file(text: str) -> re.Match[str] | None:
    """The first character that may not stand in a file at all."""
    return _NOT_IN_FILES.search(text)


def forbidden_in_value(text: str) -> re.Match[str] | None:
    """The first control character in a value; escapes such as `"\\e"` could otherwise reach somebody's terminal."""
    return _NOT_IN_VALUES.search(text)


def character_name(character: str) -> str:
    """How to speak of a character that cannot be shown: `the character U+0007`."""
    return f"the character U+{ord(character):04X}"


def _bounded(digits: str) -> str:
    if len(digits) > NUMBER_LENGTH:
        raise ScalarError(f"a number of more than {NUMBER_LENGTH} digits")
    return digits


def _finite(word: str) -> float:
    value = float(_bounded(word))
    if not math.isfinite(value):
        raise ScalarError("a number too large to hold")
    return value
