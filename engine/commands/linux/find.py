"""find of GNU findutils 4.9.0. Files keep only a time of modification, which stands for the other times too.

Expressions are read in `_support/find_expression.py`, actions in `_support/find_actions.py`. Texts compared with
findutils 4.9.0.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import find_actions, find_tests, paths
from engine.commands.linux._support.find_expression import Evaluator, Reader, Settings, Visit
from engine.commands.linux._support.program import FINDUTILS
from engine.commands.linux._support.words import word
from engine.hostfs.tree import FileError, FileKind, Stat

SUMMARY = "search for files in a directory tree"
SYNOPSIS = "find [-H] [-L] [-P] [PATH]... [EXPRESSION]"
HELP = f"""Usage: {SYNOPSIS}
{SUMMARY[:1].upper()}{SUMMARY[1:]}.

Tests: -name -iname -path -ipath -regex -type -size -empty -user -group -perm -readable -writable -executable
       -mtime -mmin -newer -newermt -links -inum -nouser -nogroup -maxdepth -mindepth -depth -daystart
Actions: -print -print0 -printf -ls -exec -execdir -ok -delete -prune -quit
Operators: ( ) ! -not -a -o ,

The manual: man find
"""


async def run(ctx: Context) -> int:
    """Walk the starting points and evaluate the expression on everything found."""
    words, follow = _leading_options(list(ctx.arguments))
    if "--help" in words or "-help" in words:
        ctx.write(HELP)
        return 0
    if "--version" in words or "-version" in words:
        ctx.line(FINDUTILS.version.format(name="find"))
        return 0
    count = next((index for index, text in enumerate(words) if _begins_expression(text)), len(words))
    starts, expression = words[:count] or ["."], words[count:]
    settings = Settings()
    evaluator = Reader(ctx, expression, settings, find_actions.ACTIONS, find_tests.TESTS).read()
    walk = _Walk(ctx, evaluator, settings, follow)
    for start in starts:
        if not settings.stopped:
            await walk.start(start)
    status = await find_actions.finish(ctx, settings.pending)
    return walk.status or settings.status or status


def _leading_options(words: list[str]) -> tuple[list[str], str]:
    follow = "P"
    while words and words[0] in ("-H", "-L", "-P"):
        follow = words.pop(0)[1]
    return words, follow


def _begins_expression(text: str) -> bool:
    return text in ("(", ")", "!", ",") or (text.startswith("-") and len(text) > 1)


class _Walk:
    def __init__(self, ctx: Context, evaluator: Evaluator | None, settings: Settings, follow: str) -> None:
        self.ctx, self.evaluator, self.settings, self.follow = ctx, evaluator, settings, follow
        self.files = paths.tree(ctx)
        self.status = 0

    async def start(self, path: str) -> None:
        """Walk from a starting point."""
        try:
            stat = paths.look(self.ctx, path, follow=self.follow in "HL")
        except FileError as error:
            self._complain(path, error)
            return
        await self._visit(Visit(path, path, paths.absolute(self.ctx, path), stat, 0))

    async def _visit(self, visit: Visit) -> None:
        settings = self.settings
        deep_enough = visit.depth >= settings.min_depth
        if deep_enough and not settings.depth_first:
            await self._evaluate(visit)
        below = visit.stat.kind is FileKind.DIRECTORY and not (visit.prune and not settings.depth_first)
        if below and not settings.stopped and (settings.max_depth is None or visit.depth < settings.max_depth):
            for name, stat in self._entries(visit):
                if not settings.stopped:
                    await self._visit(self._inside(visit, name, stat))
        if deep_enough and settings.depth_first and not settings.stopped:
            await self._evaluate(visit)

    async def _evaluate(self, visit: Visit) -> None:
        found = self.evaluator is None or await self.evaluator(visit)
        if found and not self.settings.acts:
            self.ctx.line(visit.path)
        if visit.depth < 2:
            await self.ctx.flush()

    def _entries(self, visit: Visit) -> list[tuple[str, Stat]]:
        try:
            return self.files.entries(visit.place)
        except FileError as error:
            self._complain(visit.path, error)
            return []

    def _inside(self, visit: Visit, name: str, stat: Stat) -> Visit:
        place = paths.join(visit.place, name)
        if self.follow == "L" and stat.kind is FileKind.SYMLINK and self.files.exists(place):
            target = self.files.real_path(place)
            looped = f"{visit.place}/".startswith(f"{target}/")
            stat = stat if looped else self.files.stat(place)
        return Visit(paths.join(visit.path, name), visit.start, place, stat, visit.depth + 1)

    def _complain(self, path: str, error: FileError) -> None:
        self.ctx.error(f"find: {word(self.ctx.environment, path)}: {error.text}")
        self.status = 1


COMMAND = Command(
    "find",
    SUMMARY,
    run,
    SYNOPSIS,
    manual="""Walks down from each PATH (the current directory if there is none) and evaluates EXPRESSION on everything
it finds. Tests joined by nothing or -a must all be true, -o is or, ! is not, parentheses group. Without an action,
what is true is printed. Numbers are N, +N (more than) or -N (less than). -exec COMMAND ; runs a command for each file
with {} replaced, -exec COMMAND {} + once for all. -printf knows %p %f %h %P %s %m %M %u %g %y %l %d %i %T@ %TY and
others.""",
)
