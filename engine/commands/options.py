"""Options parsed and refused as GNU getopt_long does it (glibc's texts, permutation, abbreviations, `--`).

A command declares its options as a table; tools with a syntax of their own (nvidia-smi, scontrol) parse for themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    `argument` is its metavariable (None: a flag), `optional` for `--color[=WHEN]`, `key` where its value is kept.
    """

    short: str | None = None
    long: str | None = None
    argument: str | None = None
    optional: bool = False
    help: str = ""
    name: str | None = None
    convert: Callable[[str], Any] | None = None

    @property
    def key(self) -> str:
        return self.name or (self.long or self.short or "").replace("-", "_")


class UsageError(Exception):
    """A wrong command line. `text` goes to stderr as it is, `status` is the exit status."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.text = text
        self.status = status


@dataclass(slots=True)
class Parsed:
    """What a command line said: the last value of each option, every value in order, and the operands."""

    operands: list[str]
    given: list[tuple[str, Any]] = field(default_factory=list)

    def __getitem__(self, key: str) -> Any:
        """The last value of an option; None if it was not given, True for a flag."""
        return next((value for name, value in reversed(self.given) if name == key), None)

    def __contains__(self, key: str) -> bool:
        return any(name == key for name, _ in self.given)

    def all(self, key: str) -> list[Any]:
        """Every value of an option, in order."""
        return [value for name, value in self.given if name == key]

    def count(self, key: str) -> int:
        """How often an option was given."""
        return sum(name == key for name, _ in self.given)


def parse(
    name: str,
    options: Sequence[Option],
    arguments: Sequence[str],
    *,
    trailer: str = "",
    status: int = 1,
    permute: bool = True,
) -> Parsed:
    """Parse `arguments`. Raises UsageError with glibc's text for `name`, followed by `trailer` (the tool's "Try ...
    --help" line).

    `permute=False` stops at the first operand (as ssh, sudo, timeout do).
    """
    parser = _Parser(name, options, trailer, status)
    parsed = Parsed([])
    queue = list(arguments)
    while queue:
        word = queue.pop(0)
        if word == "--":
            parsed.operands += queue
            break
        if word.startswith("--"):
            parser.long(word[2:], queue, parsed)
        elif word.startswith("-") and word != "-":
            parser.short(word[1:], queue, parsed)
        else:
            parsed.operands.append(word)
            if not permute:
                parsed.operands += queue
                break
    return parsed


class _Parser:
    def __init__(self, name: str, options: Sequence[Option], trailer: str, status: int) -> None:
        self.name, self.options, self.trailer, self.status = name, options, trailer, status

    def refuse(self, text: str) -> UsageError:
        lines = f"{self.name}: {text}\n"
        return UsageError(lines + (self.trailer.rstrip("\n") + "\n" if self.trailer else ""), self.status)

    def long(self, text: str, queue: list[str], parsed: Parsed) -> None:
        word, equals, value = text.partition("=")
        option = self._long_option(word)
        if option.argument is None:
            if equals:
                raise self.refuse(f"option '--{option.long}' doesn't allow an argument")
            parsed.given.append((option.key, True))
        elif equals:
            self._keep(option, value, parsed)
        elif option.optional:
            parsed.given.append((option.key, ""))
        elif queue:
            self._keep(option, queue.pop(0), parsed)
        else:
            raise self.refuse(f"option '--{option.long}' requires an argument")

    def short(self, letters: str, queue: list[str], parsed: Parsed) -> None:
        while letters:
            letter, letters = letters[0], letters[1:]
            option = next((option for option in self.options if option.short == letter), None)
            if option is None:
                raise self.refuse(f"invalid option -- '{letter}'")
            if option.argument is None:
                parsed.given.append((option.key, True))
                continue
            if letters or option.optional:
                self._keep(option, letters, parsed)
            elif queue:
                self._keep(option, queue.pop(0), parsed)
            else:
                raise self.refuse(f"option requires an argument -- '{letter}'")
            return

    def _long_option(self, word: str) -> Option:
        exact = [option for option in self.options if option.long == word]
        close = exact or [option for option in self.options if option.long and option.long.startswith(word)]
        if not close:
            raise self.refuse(f"unrecognized option '--{word}'")
        if len({option.key for option in close}) > 1:
            names = " ".join(f"'--{option.long}'" for option in close)
            raise self.refuse(f"option '--{word}' is ambiguous; possibilities: {names}")
        return close[0]

    def _keep(self, option: Option, value: str, parsed: Parsed) -> None:
        if option.convert is None:
            parsed.given.append((option.key, value))
            return
        try:
            parsed.given.append((option.key, option.convert(value)))
        except ValueError as error:
            raise self.refuse(str(error)) from None


def option_lines(options: Sequence[Option]) -> list[str]:
    """The options as lines of a help text."""
    lines = []
    for option in options:
        short = f"-{option.short}" if option.short else "  "
        value = (
            f"={option.argument}"
            if option.argument and option.long
            else f" {option.argument}"
            if option.argument
            else ""
        )
        long = f"--{option.long}{value}" if option.long else value.strip()
        joint = ", " if option.short and option.long else " " if option.short and value else "  "
        lines.append(f"  {short + joint + long:<28} {option.help}".rstrip())
    return lines
