"""What a typed line runs where: through ssh, sudo, watch and their like down to the commands that print."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tui.seen.filters import gathers, shape_after
from tui.seen.reading import Shape
from tui.seen.shell_words import DYNAMIC, TooMuch, Words, pipelines
from tui.seen.site import Site

EACH = "\0each"
"""Stands for the host of a command that runs on several at once; the output says which."""

SILENT = frozenset(
    {"cd", "export", "set", "true", "false", ":", "clear", "pwd", "test", "[", "unset", "alias", "sleep"}
)
HARMLESS = frozenset({"date", "hostname", "whoami", "id", "echo", "printf"})
"""Commands whose output teaches nothing and can't be taken for another's."""

CARRIERS = ("ssh", "clush", "pdsh")
"""Commands that carry others to hosts, and print only when that fails."""

_PLAIN_ECHO = re.compile(r"[\w #*:.=-]*")
_EMPTY_LINE = ("echo",)

_WRAPPERS = {
    "sudo": ("ugpCTUrthD", 0), "timeout": ("ks", 1), "nice": ("n", 0), "time": ("of", 0), "nohup": ("", 0),
    "stdbuf": ("ioe", 0), "command": ("", 0),
}  # fmt: skip
"""Commands that run another one: their options that take an argument, and how many words stand before the other."""

_SSH_OPTIONS, _CLUSH_OPTIONS, _PDSH_OPTIONS = "bcDEeFIiJLlmOopQRSWw", "wxgXftulo", "wxgPRfltu"
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Run:
    """A command that printed something. `host` is None where it can't be said."""

    host: str | None
    words: Words
    shape: Shape = Shape.WHOLE
    in_blocks: bool = False
    """Of a command on several hosts: their output stands in blocks under their names, not behind them in each line."""


def runs(site: Site, line: str, host: str) -> list[Run]:
    """The commands of a line that print, in their order, each with what of its output is there. Raises TooMuch."""
    found = list(_script(site, line, host, _DEEPEST))
    asleep = False
    for run in reversed(found):
        asleep |= run.words[0] == "sleep"
        if asleep and run.words[0] not in SILENT:
            raise TooMuch  # what was printed before a pause is not what is now
    if any(run.words[0] in ("echo", "printf") and not _plain(run.words) for run in found):
        raise TooMuch
    return [run for run in found if run.words[0] not in SILENT and run.words != _EMPTY_LINE]


def _plain(words: Words) -> bool:
    return all(_PLAIN_ECHO.fullmatch(word) for word in words[1:])


def _script(site: Site, text: str, host: str | None, depth: int) -> Iterator[Run]:
    if depth == 0 or DYNAMIC in text:
        raise TooMuch
    for pipeline in pipelines(text):
        if not pipeline.shown:
            continue
        first, filters = pipeline.commands[0], list(pipeline.commands[1:])
        gathered = bool(filters) and gathers(filters[-1])
        shape = shape_after(filters[:-1] if gathered else filters)
        for run in _unwrapped(site, first, host, depth):
            yield replace(run, shape=min(run.shape, shape), in_blocks=run.in_blocks or gathered)


def _unwrapped(site: Site, words: Words, host: str | None, depth: int) -> Iterator[Run]:
    """The command that runs in the end."""
    if not words or words[0] == DYNAMIC:
        raise TooMuch
    words = (words[0].rpartition("/")[2] or words[0], *words[1:])
    unwrap = _UNWRAP.get(words[0])
    if unwrap is not None:
        yield from unwrap(site, words, host, depth)
    elif words[0] in _WRAPPERS:
        arguments, before = _WRAPPERS[words[0]]
        _, rest = _options(words[1:], arguments)
        if rest[before:]:
            yield from _unwrapped(site, tuple(rest[before:]), host, depth - 1 or _too_deep())
    else:
        yield Run(host, words)


def _too_deep() -> int:
    raise TooMuch


def _ssh(site: Site, words: Words, host: str | None, depth: int) -> Iterator[Run]:
    _, rest = _options(words[1:], _SSH_OPTIONS)
    yield Run(host, words, Shape.PIECE)
    if len(rest) > 1:
        there = site.node(rest[0].rpartition("@")[2])
        yield from _script(site, " ".join(rest[1:]), there, depth - 1)


def _shell(site: Site, words: Words, host: str | None, depth: int) -> Iterator[Run]:
    if len(words) < len(("bash", "-c", "script")) or words[1] not in ("-c", "-lc"):
        raise TooMuch
    yield from _script(site, words[2], host, depth - 1)


def _watch(site: Site, words: Words, host: str | None, depth: int) -> Iterator[Run]:
    """Pictures of the output, which may be longer than the screen."""
    _, rest = _options(words[1:], "n")
    for run in _script(site, " ".join(rest), host, depth - 1):
        yield replace(run, shape=min(run.shape, Shape.PIECE))


def _clush(site: Site, words: Words, host: str | None, depth: int) -> Iterator[Run]:
    options, rest = _options(words[1:], _CLUSH_OPTIONS)
    yield from _fan(site, words, host, rest, "N" in options, bool({"b", "B"} & options), depth)


def _pdsh(site: Site, words: Words, host: str | None, depth: int) -> Iterator[Run]:
    options, rest = _options(words[1:], _PDSH_OPTIONS)
    yield from _fan(site, words, host, rest, "N" in options, False, depth)


def _fan(
    site: Site, words: Words, host: str | None, rest: Sequence[str], unnamed: bool, in_blocks: bool, depth: int
) -> Iterator[Run]:
    if unnamed or not rest:
        raise TooMuch
    yield Run(host, words, Shape.PIECE)
    inner = list(_script(site, " ".join(rest), EACH, depth - 1))
    if any(run.host != EACH for run in inner):
        raise TooMuch
    yield from (replace(run, in_blocks=in_blocks) for run in inner)


_UNWRAP: dict[str, Callable[[Site, Words, str | None, int], Iterator[Run]]] = {
    "ssh": _ssh, "bash": _shell, "sh": _shell, "watch": _watch, "clush": _clush, "pdsh": _pdsh,
}  # fmt: skip


def _options(words: Sequence[str], with_argument: str) -> tuple[set[str], list[str]]:
    """The letters of the options at the beginning, and the words after them."""
    letters: set[str] = set()
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] not in ("-", "--"):
        word = words[at]
        at += 1
        if word.startswith("--"):
            continue
        for position, letter in enumerate(word[1:], 1):
            letters.add(letter)
            if letter in with_argument:
                at += position == len(word) - 1
                break
    return letters, list(words[at + (words[at : at + 1] in (["--"], ("--",))) :])
