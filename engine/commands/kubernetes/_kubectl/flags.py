"""Command lines of programs that use cobra: kubectl and helm.

Source: spf13/pflag flag.go (grammar, errors), spf13/cobra. Options and operands may be mixed; a flag takes no word of
its own (`--all`, `--all=false`); the others take `--name value`, `--name=value`, `-n value` and `-nvalue`; what follows
`--` is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.kernel.units import HOUR, MILLISECOND, MINUTE, SECOND

_TRUE = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE = frozenset({"0", "f", "F", "false", "FALSE", "False"})
_LONGEST = 18  # characters of a number of 64 bits
_UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": MILLISECOND, "s": SECOND, "m": MINUTE, "h": HOUR}


class FlagError(Exception):
    """A wrong option; the text is pflag's."""


@dataclass(frozen=True, slots=True)
class Flag:
    """An option: `kind` is bool, string, int, duration or list; `bare` is what it means without a value ("": it needs
    one).
    """

    name: str
    short: str = ""
    kind: str = "string"
    default: str = ""
    bare: str = ""

    @property
    def shown(self) -> str:
        return f"-{self.short}, --{self.name}" if self.short else f"--{self.name}"


def flags(kind: str, names: str) -> tuple[Flag, ...]:
    """Options of one kind from a line of names, `force` or `f/filename` with its letter."""
    made = []
    for word in names.split():
        short, slash, name = word.partition("/")
        made.append(Flag(name if slash else word, short if slash else "", kind))
    return tuple(made)


@dataclass(slots=True)
class Line:
    """What a command line said: operands before and after `--`, and the values of its options."""

    operands: list[str] = field(default_factory=list)
    after: list[str] | None = None
    given: dict[str, list[str]] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.given

    def text(self, name: str, default: str = "") -> str:
        """The last value of an option."""
        return self.given.get(name, [default])[-1]

    def on(self, name: str, default: bool = False) -> bool:
        """Whether a flag is set."""
        return self.given[name][-1] in _TRUE if name in self.given else default

    def number(self, name: str, default: int) -> int:
        """The value of an option that is a whole number."""
        return int(self.given[name][-1]) if name in self.given else default

    def all(self, name: str) -> list[str]:
        """Every value of an option that may be repeated, in order; commas separate values of one word."""
        return [part for text in self.given.get(name, ()) for part in text.split(",")]

    def raw(self, name: str) -> list[str]:
        """Every value of an option as it was typed."""
        return self.given.get(name, [])

    def duration(self, name: str, default: int) -> int:
        """The value of an option that is a time, in ns."""
        return duration(self.given[name][-1]) if name in self.given else default


def duration(text: str) -> int:
    """Go's way to write a time (`1h30m`, `90s`, `0`) in ns. Raises ValueError."""
    if text in ("0", "+0", "-0"):
        return 0
    parts = re.findall(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)", text.lstrip("+-"))
    if len(text) > 2 * _LONGEST or not parts or "".join(number + unit for number, unit in parts) != text.lstrip("+-"):
        unit = re.fullmatch(r"[+-]?\d+(?:\.\d+)?", text)
        raise ValueError(f'time: {"missing unit in" if unit else "invalid"} duration "{text}"')
    total = 0
    for number, unit in parts:
        whole, _, rest = number.partition(".")
        total += int(whole) * _UNITS[unit] + (int(rest) * _UNITS[unit] // 10 ** len(rest) if rest else 0)
    return -total if text.startswith("-") else total


def read(known: Sequence[Flag], words: Sequence[str], *, permute: bool = True) -> Line:
    """Parse a command line. Raises FlagError."""
    by_name = {flag.name: flag for flag in known}
    by_letter = {flag.short: flag for flag in known if flag.short}
    line, queue = Line(), list(words)
    while queue:
        word = queue.pop(0)
        if word == "--":
            line.after = queue
            break
        if word.startswith("--"):
            _long(by_name, word, queue, line)
        elif word.startswith("-") and word != "-":
            _short(by_letter, word, queue, line)
        else:
            line.operands.append(word)
            if not permute:
                line.operands += queue
                break
    return line


def _long(known: Mapping[str, Flag], word: str, queue: list[str], line: Line) -> None:
    name, equals, value = word[2:].partition("=")
    if not name or name.startswith("-"):
        raise FlagError(f"bad flag syntax: {word}")
    flag = known.get(name)
    if flag is None:
        raise FlagError(f"unknown flag: --{name}")
    if equals:
        _keep(flag, value, line)
    elif flag.kind == "bool" or flag.bare:
        _keep(flag, flag.bare or "true", line)
    elif queue:
        _keep(flag, queue.pop(0), line)
    else:
        raise FlagError(f"flag needs an argument: --{name}")


def _short(known: Mapping[str, Flag], word: str, queue: list[str], line: Line) -> None:
    letters = word[1:]
    while letters:
        letter, rest = letters[0], letters[1:]
        flag = known.get(letter)
        if flag is None:
            raise FlagError(f"unknown shorthand flag: '{letter}' in -{letters}")
        if len(rest) > 1 and rest[0] == "=":
            _keep(flag, rest[1:], line)
            return
        if flag.kind == "bool" or flag.bare:
            _keep(flag, flag.bare or "true", line)
            letters = rest
            continue
        if rest:
            _keep(flag, rest, line)
        elif queue:
            _keep(flag, queue.pop(0), line)
        else:
            raise FlagError(f"flag needs an argument: '{letter}' in -{letters}")
        return


def _keep(flag: Flag, value: str, line: Line) -> None:
    error = _wrong(flag, value)
    if error:
        raise FlagError(f'invalid argument "{value}" for "{flag.shown}" flag: {error}')
    line.given.setdefault(flag.name, []).append(value)


def _wrong(flag: Flag, value: str) -> str:
    """What is wrong with a value, in the words of Go's strconv and time."""
    if flag.kind == "bool" and value not in _TRUE | _FALSE:
        return f'strconv.ParseBool: parsing "{value}": invalid syntax'
    if flag.kind == "int" and len(value) > _LONGEST:
        return f'strconv.ParseInt: parsing "{value}": value out of range'
    if flag.kind == "int" and not re.fullmatch(r"[+-]?\d+", value):
        return f'strconv.ParseInt: parsing "{value}": invalid syntax'
    if flag.kind == "duration":
        try:
            duration(value)
        except ValueError as error:
            return str(error)
    return ""
