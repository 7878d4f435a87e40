"""Names that people mistype: what they may have meant, in the one wording that the whole program uses."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

SUGGESTIONS = 3
"""As many suggestions as a sentence bears."""

SHORT_LIST = 12
"""Up to this many names are listed whole when none of them resembles what was typed."""

LONGEST = 80
"""Longer input is no mistyped name, and comparing it would cost its length squared."""

_CLOSE = 0.6
_SEPARATORS = re.compile(r"[-_. /]+")


def nearest(name: str, names: Iterable[str]) -> list[str]:
    """The names that `name` may have been meant for, best first; the same answer whatever the order of `names`."""
    if not name or len(name) > LONGEST:
        return []
    spellings = _by_spelling(names)
    typed = _spelling(name)
    best = _alike(typed, spellings) or _containing(typed, spellings)
    return [meant for spelling in best for meant in spellings[spelling]][:SUGGESTIONS]


def unknown(kind: str, name: str, names: Iterable[str]) -> str:
    """A sentence for a name that does not exist: `unknown site "dgx-h100"; did you mean "dgx-h100-4"?`"""
    known = sorted(set(names))
    start = f"unknown {kind} {quoted(name)}"
    close = nearest(name, known)
    if close:
        return f"{start}; did you mean {alternatives(quoted(meant) for meant in close)}?"
    if not known:
        return f"{start}; there is none to choose from"
    if len(known) <= SHORT_LIST:
        return f"{start}; choose from {', '.join(known)}"
    return f"{start}; nothing like it among {len(known)}, such as {', '.join(known[:SUGGESTIONS])}"


def quoted(text: str) -> str:
    """Text in double quotes on one line: shortened, with control characters made visible."""
    short = text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
    return '"' + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in short) + '"'


def alternatives(words: Iterable[str]) -> str:
    """Words joined as a choice: `a`, `a or b`, `a, b or c`."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def _spelling(name: str) -> str:
    """The name without what people get wrong first: capitals, and which separator stands between its parts."""
    return _SEPARATORS.sub("-", name.casefold())


def _by_spelling(names: Iterable[str]) -> dict[str, list[str]]:
    spellings: dict[str, list[str]] = {}
    for name in sorted(set(names)):
        spellings.setdefault(_spelling(name), []).append(name)
    return spellings


def _alike(typed: str, spellings: Iterable[str]) -> list[str]:
    """Spellings that resemble what was typed, best first. The bar rises with the finds, so long lists stay cheap."""
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(typed)
    found: list[tuple[float, str]] = []
    for spelling in spellings:
        bar = -found[-1][0] if len(found) == SUGGESTIONS else _CLOSE
        matcher.set_seq1(spelling)
        if matcher.real_quick_ratio() >= bar and matcher.quick_ratio() >= bar and (ratio := matcher.ratio()) >= bar:
            found = sorted([*found, (-ratio, spelling)])[:SUGGESTIONS]
    return [spelling for _, spelling in found]


def _containing(typed: str, spellings: Iterable[str]) -> list[str]:
    """Spellings of which what was typed is a part or the beginning: `gpu` for `gpu.fell_off_bus`."""
    return [s for s in spellings if s.startswith(typed) or typed in s.split("-")]
