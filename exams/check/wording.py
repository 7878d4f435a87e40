"""How stems and options are worded: no talk of places on the screen, no hidden negatives, no count that differs from
the one that is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from exams import item as items
from exams.check.finding import Finding
from exams.check.pool import Entry, Pool

_PLACED = re.compile(
    r"(?i:\b(?:all|none|any|both|neither|some|two|three) (?:of )?(?:the )?(?:above|below|preceding|former)\b)"
    r"|\b(?:[Oo]ptions?|[Aa]nswers?|[Cc]hoices?) [A-H]\b|^(?:[Bb]oth |[Nn]either )?[A-H],? (?:and|or|nor) [A-H]$",
    re.MULTILINE,
)
"""Options are shuffled, so nothing stands above, and letters are another's."""

_SWEEPING = re.compile(r"^(?:all|none|any|neither|both) of (?:them|these|those)\W*$|^(?:none|all)\W*$", re.IGNORECASE)

_NEGATIVE = re.compile(
    r"\b(?:[Ww]hich|[Ww]hat)\b(?: of (?:these|those|them|the following))?(?: \w+){0,3}? "
    r"(?:(?:is|are|was|were|does|do|did|can|could|would|should|may|must|will|has|have) (?:not|never)"
    r"|cannot|isn't|aren't|doesn't|don't|can't)\b"
    r"|\b(?:[Aa]ll|[Ee]ach|[Ee]very)\b[^.?]*\bexcept\b|\b(?:is|are) (?:false|incorrect|untrue|least)\b"
)
"""Questions that ask for what is not so, without capitals."""

_ABSOLUTE = re.compile(
    r"\b(?:always|never|all|every|only|none|no|nothing|nobody|any|entirely|completely|impossible|guaranteed|must)\b",
    re.IGNORECASE,
)

ABSOLUTES = 2
"""So many wrong options with absolute words, and no right one, tell the right one to who knows nothing."""

_NUMBERS = {word: number for number, word in enumerate(("one", "two", "three", "four", "five", "six", "seven"), 1)}
_COUNT = re.compile(
    r"\b(?:choose|select|pick|mark|tick|[Ww]hich)(?: the| any)? (?P<count>one|two|three|four|five|six|seven|[1-7])\b"
    r"(?! [a-z]+'s)",
    re.IGNORECASE,
)
_OTHER_NUMBER = {
    "single": re.compile(r"\b[Ww]hich (?:of (?:these|those|the following) )?(?:are|were|do|have)\b"),
    "multiple": re.compile(r"\b[Ww]hich (?:of (?:these|those|the following) )?(?:is|was|does|has)\b"),
}
"""Questions that sound as if one were to be chosen where several are, or the other way round."""

_OPEN_COUNT = re.compile(r"\b(?:all that apply|all that are (?:right|true|correct)|one or more)\b", re.IGNORECASE)


def check(pool: Pool) -> Iterator[Finding]:
    """What is wrong with the words of items with options."""
    for entry in pool.entries:
        if isinstance(entry.item, items.Single | items.Multiple):
            yield from _placed(entry, entry.item.options)
            yield from _negative(entry)
            yield from _count(entry, {len(one.key) for one in pool.looks[entry].rendered.values()})
            yield from _absolute(entry, entry.item.options)


def _placed(entry: Entry, options: Sequence[items.Option]) -> Iterator[Finding]:
    texts = [(("stem",), entry.item.stem), *((("options", n, "text"), one.text) for n, one in enumerate(options))]
    for path, text in texts:
        if found := _PLACED.search(text):
            what = f'"{found[0]}" speaks of a place on the screen, but options are shuffled'
            yield entry.finding(f"{what}; say what is meant", *path)
    for number, option in enumerate(options):
        if _SWEEPING.search(option.text):
            text = f'"{option.text}" judges the other options; say what would be so instead'
            yield entry.finding(text, "options", number, "text", warning=True)


def _negative(entry: Entry) -> Iterator[Finding]:
    if found := _NEGATIVE.search(" ".join(entry.item.stem.split())):
        text = f'"{found[0]}" asks for what is not so; ask for what is, or write the word in capitals (NOT, EXCEPT)'
        yield entry.finding(text, "stem")


def _count(entry: Entry, counts: set[int]) -> Iterator[Finding]:
    """The screen says how many are to be chosen; the stem must not say otherwise."""
    stem = entry.item.stem
    if found := _OTHER_NUMBER[entry.item.kind].search(stem):
        ask = "one option" if entry.item.kind == "single" else "several options"
        yield entry.finding(f'"{found[0]}" is asked, but {ask} can be chosen; say it so', "stem", warning=True)
    if found := _OPEN_COUNT.search(stem):
        yield entry.finding(f'"{found[0]}" contradicts the count that is shown; leave it out', "stem")
    for found in _COUNT.finditer(stem):
        word = found["count"].casefold()
        number = _NUMBERS.get(word) or int(word)
        if counts - {number}:
            shown = " or ".join(map(str, sorted(counts)))
            yield entry.finding(f'"{found[0]}" contradicts "Choose {shown}", which is shown; leave it out', "stem")


def _absolute(entry: Entry, options: Sequence[items.Option]) -> Iterator[Finding]:
    """Only where the file says which options are right."""
    absolute = {number: _ABSOLUTE.search(option.text) for number, option in enumerate(options)}
    words: Mapping[int, str] = {number: found[0].casefold() for number, found in absolute.items() if found}
    wrong = [number for number in words if options[number].right is False]
    if len(wrong) >= ABSOLUTES and len(wrong) == len(words):
        said = ", ".join(dict.fromkeys(words[number] for number in wrong))
        text = f"absolute words stand only in wrong options ({said}), which gives them away; vary them"
        yield entry.finding(text, "options", warning=True)
