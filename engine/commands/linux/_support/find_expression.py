"""find's expressions: operators, tests and actions, read into a tree of functions (findutils 4.9).

An evaluator takes a Visit and says whether it is true. Evaluators that run commands are awaited, so all are.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from engine.commands.context import Context
from engine.commands.options import UsageError
from engine.hostfs.tree import Stat


@dataclass(slots=True)
class Visit:
    """A file that is looked at. `prune` is set by -prune."""

    path: str
    start: str
    place: str
    stat: Stat
    depth: int
    prune: bool = False

    @property
    def name(self) -> str:
        stripped = self.path.rstrip("/")
        return stripped.rpartition("/")[2] or "/"


Evaluator = Callable[[Visit], Awaitable[bool]]


@dataclass(slots=True)
class Settings:
    """What an expression says about the walk, and what its actions left behind."""

    max_depth: int | None = None
    min_depth: int = 0
    depth_first: bool = False
    acts: bool = False
    stopped: bool = False
    status: int = 0
    pending: list[PendingBatch] = field(default_factory=list)


@dataclass(slots=True)
class PendingBatch:
    """`-exec ... {} +`: the command, and the paths collected for it."""

    words: list[str]
    found: list[str] = field(default_factory=list)
    directory: str | None = None


class Reader:
    """Reads an expression."""

    def __init__(self, ctx: Context, words: list[str], settings: Settings, actions: Makers, tests: Makers) -> None:
        self.ctx, self.words, self.settings = ctx, words, settings
        self.actions, self.tests = actions, tests
        self.position = 0
        self.daystart = False

    def read(self) -> Evaluator | None:
        """The whole expression; None if there is none. Raises UsageError."""
        if not self.words:
            return None
        tree = self._comma()
        if self.position < len(self.words):
            if self.words[self.position] == ")":
                raise self.wrong("you have too many ')'")
            raise self._unexpected(self.words[self.position])
        return tree

    def wrong(self, text: str) -> UsageError:
        """find's error line."""
        return UsageError(f"find: {text}\n")

    def _unexpected(self, text: str) -> UsageError:
        if text.startswith("-"):
            return self.wrong(f"unknown predicate `{text}'")
        lines = f"paths must precede expression: `{text}'"
        return self.wrong(lines)

    def next(self) -> str | None:
        """Take the next word."""
        if self.position >= len(self.words):
            return None
        self.position += 1
        return self.words[self.position - 1]

    def argument(self, predicate: str) -> str:
        """The word that a test needs."""
        text = self.next()
        if text is None:
            raise self.wrong(f"missing argument to `{predicate}'")
        return text

    def _peek(self) -> str | None:
        return self.words[self.position] if self.position < len(self.words) else None

    def _comma(self) -> Evaluator:
        left = self._or()
        while self._peek() == ",":
            self.next()
            left = _then(left, self._or())
        return left

    def _or(self) -> Evaluator:
        left = self._and()
        while self._peek() in ("-o", "-or"):
            operator = self.next() or ""
            if self._peek() is None:
                raise self.wrong(f"expected an expression after '{operator}'")
            left = _either(left, self._and())
        return left

    def _and(self) -> Evaluator:
        left = self._not()
        while (word_ := self._peek()) is not None and word_ not in ("-o", "-or", ")", ","):
            if word_ in ("-a", "-and"):
                self.next()
                if self._peek() is None:
                    raise self.wrong(f"expected an expression after '{word_}'")
            left = _both(left, self._not())
        return left

    def _not(self) -> Evaluator:
        if self._peek() in ("!", "-not"):
            operator = self.next()
            if self._peek() is None:
                raise self.wrong(f"expected an expression after '{operator}'")
            return _negated(self._not())
        return self._primary()

    def _primary(self) -> Evaluator:
        text = self.next() or ""
        if text == "(":
            if self._peek() == ")":
                raise self.wrong("invalid expression; empty parentheses are not allowed.")
            inside = self._comma()
            if self.next() != ")":
                raise self.wrong("invalid expression; I was expecting to find a ')' somewhere but did not see one.")
            return inside
        if text in ("-o", "-or", "-a", "-and", ","):
            raise self.wrong(f"invalid expression; you have used a binary operator '{text}' with nothing before it.")
        if text == ")":
            raise self.wrong("invalid expression; you have too many ')'")
        if text in self.actions:
            self.settings.acts = self.settings.acts or text != "-prune"
            return self.actions[text](self, text)
        if text in self.tests:
            return self.tests[text](self, text)
        raise self._unexpected(text)


ActionMaker = Callable[[Reader, str], Evaluator]
Makers = Mapping[str, ActionMaker]


def plain(test: Callable[[Visit], bool]) -> Evaluator:
    """An evaluator of a test that waits for nothing."""

    async def evaluate(visit: Visit) -> bool:
        return test(visit)

    return evaluate


def _then(left: Evaluator, right: Evaluator) -> Evaluator:
    async def evaluate(visit: Visit) -> bool:
        await left(visit)
        return await right(visit)

    return evaluate


def _either(left: Evaluator, right: Evaluator) -> Evaluator:
    async def evaluate(visit: Visit) -> bool:
        return await left(visit) or await right(visit)

    return evaluate


def _both(left: Evaluator, right: Evaluator) -> Evaluator:
    async def evaluate(visit: Visit) -> bool:
        return await left(visit) and await right(visit)

    return evaluate


def _negated(inner: Evaluator) -> Evaluator:
    async def evaluate(visit: Visit) -> bool:
        return not await inner(visit)

    return evaluate
