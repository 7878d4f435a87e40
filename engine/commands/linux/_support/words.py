"""Names and words in messages, quoted as GNU programs quote them (gnulib quotearg).

`name` is quoteaf, for file names: 'a' always in quotes, in shell syntax. `word` is quote, for other words: the
locale's quotation marks, which are curly in every UTF-8 locale. `listed` is what `ls` shows on a terminal: quoted only
where a shell would need it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_SAFE = re.compile(r"[A-Za-z0-9_@%+=:,./-][A-Za-z0-9_@%+=:,./~#-]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_LETTERS = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f", "\v": "\\v", "\a": "\\a"}


def utf8(environment: Mapping[str, str]) -> bool:
    """Whether the locale of `environment` is a UTF-8 one."""
    value = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or ""
    return "UTF-8" in value.upper() or "UTF8" in value.upper()


def word(environment: Mapping[str, str], text: str) -> str:
    """A word in the locale's quotation marks: ‘text’."""
    return f"‘{text}’" if utf8(environment) else f"'{text}'"


def name(text: str) -> str:
    """A file name in shell quotes, always quoted: 'text'."""
    if _CONTROL.search(text):
        return _escaped(text)
    if "'" not in text:
        return f"'{text}'"
    if '"' not in text and "$" not in text and "`" not in text and "\\" not in text:
        return f'"{text}"'
    return "'" + text.replace("'", "'\\''") + "'"


def needs_quotes(text: str) -> bool:
    """Whether a shell would read the name as something else."""
    return not _SAFE.fullmatch(text)


def listed(text: str) -> str:
    """A name as `ls` shows it on a terminal (shell-escape style)."""
    return name(text) if needs_quotes(text) else text


def visible(text: str) -> str:
    """A name with control characters as question marks, as tools show it on a terminal without quoting."""
    return _CONTROL.sub("?", text)


def _escaped(text: str) -> str:
    """Shell quotes around the plain parts and $'...' around control characters: 'a'$'\\n''b'."""
    parts = ["'"]
    for piece in re.split(r"([\x00-\x1f\x7f\ud800-\udfff]+)", text):
        if _CONTROL.match(piece):
            parts.append("'$'" + "".join(_code(character) for character in piece) + "''")
        else:
            parts.append(piece.replace("'", "'\\''"))
    return "".join(parts).removesuffix("''") + "'"


def _code(character: str) -> str:
    if character in _LETTERS:
        return _LETTERS[character]
    number = ord(character)
    return f"\\{number & 0xFF:03o}"
