"""nvbandwidth's command line, read as boost::program_options does (source of nvbandwidth 0.8: nvbandwidth.cpp).

Long names may be shortened as long as one option fits; `-t` and `-p` take every word up to the next option; other
options with a value are refused when given twice, and every mistake is the same `Invalid Arguments`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from engine.commands.options import Option

OPTIONS = (
    Option("h", "help", help="Produce help message"),
    Option("b", "bufferSize", "SIZE", help="Memcpy buffer size in MiB"),
    Option("l", "list", help="List available testcases"),
    Option("t", "testcase", "NAME", help="Testcase(s) to run (by name or index)"),
    Option("p", "testcasePrefixes", "PREFIX", help="Testcase(s) to run (by prefix)"),
    Option("v", "verbose", help="Verbose output"),
    Option("s", "skipVerification", help="Skips data verification after copy"),
    Option("d", "disableAffinity", help="Disable automatic CPU affinity control"),
    Option("i", "testSamples", "N", help="Iterations of the benchmark"),
    Option("m", "useMean", help="Use mean instead of median for results"),
    Option("j", "json", help="Print output in json format instead of plain text"),
)
_HIDDEN = (Option(None, "loopCount", "N"), Option(None, "perfFormatter"))
_SEVERAL = frozenset({"testcase", "testcasePrefixes"})
_NUMBERS = {"bufferSize": 512, "testSamples": 3, "loopCount": 16}
_REPEATABLE = frozenset({"help", "list"})

HELP = """\
nvbandwidth CLI:
  -h [ --help ]                  Produce help message
  -b [ --bufferSize ] arg (=512) Memcpy buffer size in MiB
  -l [ --list ]                  List available testcases
  -t [ --testcase ] arg          Testcase(s) to run (by name or index)
  -p [ --testcasePrefixes ] arg  Testcase(s) to run (by prefix))
  -v [ --verbose ]               Verbose output
  -s [ --skipVerification ]      Skips data verification after copy
  -d [ --disableAffinity ]       Disable automatic CPU affinity control
  -i [ --testSamples ] arg (=3)  Iterations of the benchmark
  -m [ --useMean ]               Use mean instead of median for results
  -j [ --json ]                  Print output in json format instead of plain\x20
                                 text.
"""


class InvalidArguments(Exception):
    """The command line is wrong; the program does not say how."""


@dataclass(slots=True)
class Arguments:
    """What was asked for. `flags` holds the long names of flags that were given, `numbers` MiB, samples and copies."""

    flags: set[str] = field(default_factory=set)
    numbers: dict[str, int] = field(default_factory=lambda: dict(_NUMBERS))
    words: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in sorted(_SEVERAL)})

    def __contains__(self, flag: str) -> bool:
        return flag in self.flags


def parse(words: Sequence[str]) -> Arguments:
    """Read a command line. Raises InvalidArguments."""
    found, seen, queue = Arguments(), set[str](), list(words)
    while queue:
        option, value = _option(queue.pop(0), queue)
        name = option.long or ""
        if name in seen and name not in _SEVERAL | _REPEATABLE:
            raise InvalidArguments
        seen.add(name)
        if option.argument is None:
            found.flags.add(name)
            continue
        given = ([] if value is None else [value]) + _following(queue, name, value is not None)
        if not given:
            raise InvalidArguments
        if name in _SEVERAL:
            found.words[name] += given
        else:
            found.numbers[name] = _number(given[0])
    return found


def _option(word: str, queue: list[str]) -> tuple[Option, str | None]:
    """The option that a word is, and the value that is part of the word; further short ones go back to the queue."""
    if word.startswith("--") and len(word) > 2:
        name, equals, value = word[2:].partition("=")
        option = _long(name)
        if equals and option.argument is None:
            raise InvalidArguments
        return option, value if equals else None
    if not word.startswith("-") or len(word) < 2:
        raise InvalidArguments
    option = next((each for each in OPTIONS if each.short == word[1]), None) or _fail()
    rest = word[2:]
    if option.argument is None and rest:
        queue.insert(0, f"-{rest}")
    return option, rest or None if option.argument else None


def _long(name: str) -> Option:
    every = (*OPTIONS, *_HIDDEN)
    exact = [option for option in every if option.long == name]
    fitting = exact or [option for option in every if (option.long or "").startswith(name)]
    return fitting[0] if len(fitting) == 1 else _fail()


def _following(queue: list[str], name: str, complete: bool) -> list[str]:
    """The words behind an option that are its values: all up to the next option, or one."""
    taken: list[str] = []
    while queue and not queue[0].startswith("-") and (name in _SEVERAL or not (complete or taken)):
        taken.append(queue.pop(0))
    return taken


def _number(text: str) -> int:
    digits = text.removeprefix("+")
    return int(digits) if digits.isascii() and digits.isdecimal() else _fail()


def _fail() -> NoReturn:
    raise InvalidArguments
