"""The one-line descriptions of apropos and whatis (man-db 2.12). Texts compared with man-db 2.11."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable

from engine.commands.context import Context
from engine.commands.linux._support.manual import Page, pages
from engine.commands.linux._support.patterns import PatternError, compile_pattern
from engine.commands.options import Parsed, UsageError

_NOTHING = 16
_NAME_WIDTH = 20
Test = Callable[[Page], bool]


async def show(ctx: Context, parsed: Parsed, words: list[str], *, names_only: bool) -> int:
    """Print the descriptions that match. Status 16 if a keyword finds nothing and no other does."""
    sections = _sections(parsed)
    known = [each for each in pages(ctx) if not sections or str(each.section) in sections]
    tests = {word: _test(ctx, parsed, word, names_only) for word in words}
    found: dict[str, Page] = {}
    for word, test in tests.items():
        matches = [each for each in known if test(each)]
        found |= {each.name: each for each in matches}
        if not matches:
            ctx.error(f"{word}: nothing appropriate.")
            await ctx.flush()
    if "and" in parsed:
        found = {name: each for name, each in found.items() if all(test(each) for test in tests.values())}
    for name in sorted(found):
        ctx.line(describe(found[name]))
    return 0 if found else _NOTHING


def describe(page: Page) -> str:
    """`ls (1)               - list directory contents`."""
    head = f"{page.name} ({page.section})"
    return f"{head:<{_NAME_WIDTH}} - {page.summary}"


def _sections(parsed: Parsed) -> list[str]:
    text = parsed["sections"] or ""
    return [word for word in text.replace(":", ",").split(",") if word]


def _test(ctx: Context, parsed: Parsed, word: str, names_only: bool) -> Test:
    if "wildcard" in parsed:
        return lambda each: (
            fnmatch.fnmatchcase(each.name, word)
            or (not names_only and any(fnmatch.fnmatchcase(text, word) for text in each.summary.split()))
        )
    if "exact" in parsed or (names_only and "regex" not in parsed):
        plain = word.lower()
        return lambda each: plain == each.name.lower() or (not names_only and plain in each.summary.lower().split())
    try:
        pattern = compile_pattern(word, ignore_case=True)
    except PatternError:
        raise UsageError(f"{ctx.name}: fatal: regex `{word}': Invalid regular expression\n", 1) from None
    return lambda each: bool(pattern.search(each.name) or (not names_only and pattern.search(each.summary)))
