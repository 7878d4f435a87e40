"""What a filter at the end of a pipeline leaves of the output: which lines, in which order."""

from __future__ import annotations

from collections.abc import Sequence

from tui.seen.reading import Shape
from tui.seen.shell_words import TooMuch, Words

_KEEPING = {
    "cat": Shape.WHOLE, "tee": Shape.WHOLE, "head": Shape.PIECE, "tail": Shape.PIECE, "less": Shape.PIECE,
    "more": Shape.PIECE, "sort": Shape.LOOSE, "uniq": Shape.LOOSE,
}  # fmt: skip
_GREP = ("grep", "egrep", "fgrep", "zgrep")
_GREP_HARMLESS = {"--ignore-case", "--extended-regexp", "--fixed-strings", "--color", "--colour", "--line-buffered"}
_GREP_CHANGING = frozenset("coLlqZnbHz")
_CHANGING = {"uniq": frozenset("cfsw"), "cat": frozenset("nbAvTEet")}


def gathers(words: Words) -> bool:
    """Whether a filter gathers lines of several hosts into blocks under their names."""
    return words[:1] == ("dshbak",)


def shape_after(filters: Sequence[Words]) -> Shape:
    """What is left of the output after all the filters. Raises TooMuch where the lines are no longer what they were."""
    return min((_shape(words) for words in filters), default=Shape.WHOLE)


def _shape(words: Words) -> Shape:
    name = words[0].rpartition("/")[2]
    if name in _GREP:
        return _grep(words[1:])
    if name not in _KEEPING:
        raise TooMuch
    options = [word for word in words[1:] if word.startswith("-")]
    operands = [word for word in words[1:] if not word.startswith("-") and not word.lstrip("+").isdigit()]
    if (operands and name != "tee") or _CHANGING.get(name, frozenset()) & set("".join(options)):
        raise TooMuch
    return _KEEPING[name]


def _grep(words: Words) -> Shape:
    letters: set[str] = set()
    for word in words:
        if word.startswith("--"):
            if word == "--invert-match":
                letters.add("v")
            elif word.partition("=")[0] not in _GREP_HARMLESS:
                raise TooMuch
        elif word.startswith("-") and not word[1:].isdigit():
            letters |= set(word[1:]) if word[1:2] != "e" else set()
    operands = [word for word in words if not word.startswith("-") and not word.isdigit()]
    if letters & _GREP_CHANGING or len(operands) > 1 + any(word.startswith("-e") for word in words):
        raise TooMuch
    return Shape.LOOSE if "v" in letters else Shape.PICKED
