"""dcgmi's command line: TCLAP's rules and error texts, for each subsystem on its own.

Texts: NvcmTCLAP.h and CommandLineParser.cpp of DCGM 4.4.2, TCLAP 1.4 (Arg.h, ValueArg.h, CmdLine.h; that of two
alternatives given at once is from memory). What cannot be parsed ends with `PARSE ERROR` and status 1; what was parsed
and does not fit together with `Error: ... .`, a line of the main program and status 254. Bodies of help texts are
breakfix's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

PARSE_FAILED, USAGE_FAILED = 1, 254
_FLAG = 31
_MAIN_FAILED = "An error occurred trying to parse the command line."


class Ended(Exception):
    """dcgmi ends here: what goes to standard output and standard error, and its status."""

    def __init__(self, status: int, out: str = "", error: str = "") -> None:
        super().__init__(status)
        self.status, self.out, self.error = status, out, error


@dataclass(frozen=True, slots=True)
class Argument:
    """An option. `value` names its value (None: a switch), `kind` is str, int or float; `many`: it may come again."""

    short: str
    long: str
    value: str | None
    help: str
    kind: type = str
    many: bool = False

    @property
    def shown(self) -> str:
        """As TCLAP names it in errors."""
        return f"-{self.short} (--{self.long})" if self.short else f"(--{self.long})"

    @property
    def brief(self) -> str:
        """As it stands in a usage line."""
        name = f"-{self.short}" if self.short else f"--{self.long}"
        return f"{name} <{self.value}>" if self.value else name


HOST = Argument("", "host", "IP/FQDN", "connect to this host's engine [default = localhost]")
JSON = Argument("j", "json", None, "print JSON")
VERBOSE = Argument("v", "verbose", None, "one table for each entity")


@dataclass(frozen=True, slots=True)
class Subsystem:
    """A subsystem's command line: exactly one of `choices` must be given (none there: nothing is needed)."""

    name: str
    summary: str
    options: tuple[Argument, ...]
    choices: tuple[Argument, ...] = ()
    footer: str = ""

    @property
    def all(self) -> tuple[Argument, ...]:
        return (*self.choices, *self.options)


@dataclass(slots=True)
class Parsed:
    """What a command line said, by long name."""

    values: dict[str, str] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.values or name in self.lists

    def text(self, name: str, default: str = "") -> str:
        return self.values.get(name, default)

    def number(self, name: str, default: int = 0) -> int:
        return int(self.values[name], 0) if name in self.values else default


def parse(subsystem: Subsystem, words: Sequence[str]) -> Parsed:
    """What `words` say. Raises Ended for `-h` and for what TCLAP refuses."""
    parsed, queue = Parsed(), list(words)
    known = {f"-{each.short}": each for each in subsystem.all if each.short}
    known |= {f"--{each.long}": each for each in subsystem.all}
    while queue:
        word = queue.pop(0)
        if word in ("-h", "--help"):
            raise Ended(0, out=help_text(subsystem))
        argument = known.get(word)
        if argument is None:
            _switches(subsystem, known, word, parsed)
            continue
        _take(subsystem, argument, queue, parsed)
    _check_choices(subsystem, parsed)
    return parsed


def _switches(subsystem: Subsystem, known: Mapping[str, Argument], word: str, parsed: Parsed) -> None:
    """Several switches in one word, as `-lj`."""
    letters = [known.get(f"-{letter}") for letter in word[1:]] if re.fullmatch(r"-\w\w+", word) else []
    if not letters or any(each is None or each.value for each in letters):
        raise failure(subsystem, "Couldn't find match for argument", word)
    for each in letters:
        if each:
            _take(subsystem, each, [], parsed)


def _take(subsystem: Subsystem, argument: Argument, queue: list[str], parsed: Parsed) -> None:
    if argument.long in parsed and not argument.many:
        raise failure(subsystem, "Argument already set!", argument.shown)
    if argument.value is None:
        parsed.values[argument.long] = ""
        return
    if not queue:
        raise failure(subsystem, "Missing a value for this argument!", argument.shown)
    value = queue.pop(0)
    if not _fits(argument.kind, value):
        raise failure(subsystem, f"Couldn't read argument value from string '{value}'", argument.shown)
    if argument.many:
        parsed.lists.setdefault(argument.long, []).append(value)
    else:
        parsed.values[argument.long] = value


def _fits(kind: type, value: str) -> bool:
    if kind is int:
        return re.fullmatch(r"[+-]?(0[xX][0-9a-fA-F]+|\d+)", value) is not None
    if kind is float:
        return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", value) is not None
    return True


def _check_choices(subsystem: Subsystem, parsed: Parsed) -> None:
    given = [each for each in subsystem.choices if each.long in parsed]
    if len(given) > 1:
        first, second = (f"-{each.short}" if each.short else f"--{each.long}" for each in given[:2])
        raise failure(subsystem, "Only one is allowed.", f"{first} AND {second}")
    if subsystem.choices and not given:
        names = " | ".join(each.long for each in subsystem.choices)
        raise failure(subsystem, f"Required argument missing: {{{names}}}", None)


def failure(subsystem: Subsystem, text: str, argument: str | None) -> Ended:
    """TCLAP's refusal of a command line."""
    name = f"dcgmi {subsystem.name}"
    shown = f"Argument: {argument}" if argument is not None else " "
    lines = [f"PARSE ERROR: {shown}", f"             {text}", "", "Usage: ", *_usage(subsystem), "", ""]
    lines += ["For complete USAGE and HELP type: ", f"   {name} --help", "", ""]
    return Ended(PARSE_FAILED, error="\n".join(lines))


def refusal(text: str, argument: str | None = None) -> Ended:
    """dcgmi's refusal of options that do not fit."""
    where = f" for arg {argument}" if argument else ""
    return Ended(USAGE_FAILED, error=f"Error: {text}{where}.\n{_MAIN_FAILED}\n")


def not_negative(parsed: Parsed, *names: str) -> None:
    """Raises Ended if one of these numbers is negative."""
    for name in names:
        if parsed.number(name) < 0:
            raise refusal("Positive value expected, negative value found", name)


def _usage(subsystem: Subsystem) -> list[str]:
    name = f"dcgmi {subsystem.name}"
    options = " ".join(f"[{each.brief}]" for each in subsystem.options)
    return [f"   {name} {each.brief} {options}".rstrip() for each in subsystem.choices] or [f"   {name} {options}"]


def help_text(subsystem: Subsystem) -> str:
    """What `-h` prints, in the form that dcgmi gives it."""
    lines = ["", f" {subsystem.name} -- {subsystem.summary}", "", f"Usage: dcgmi {subsystem.name}"]
    lines += [*_usage(subsystem), "", "Flags:"]
    switch = Argument("h", "help", None, "displays usage information and exits")
    for each in (*subsystem.all, switch):
        flag = f"-{each.short}  --{each.long}" if each.short else f"    --{each.long}"
        start = f"  {flag:<17} {each.value or '':<10} "
        lines += [f"{start}{each.help}"] if len(start) <= _FLAG else [start.rstrip(), f"{'':<{_FLAG}}{each.help}"]
    lines += [
        "",
        *([subsystem.footer, ""] if subsystem.footer else []),
        " NVIDIA Datacenter GPU Management Interface",
        "",
    ]
    return "\n".join(lines) + "\n"
