"""Docker's command line as Go's pflag reads it: `--name value`, `--name=value`, `-it`, and the end of flags at the
first operand where a command follows.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.options import UsageError

USAGE_STATUS = 125
_SHORT = {
    "i": "interactive", "t": "tty", "d": "detach", "e": "env", "v": "volume", "w": "workdir", "u": "user", "a": "all",
    "q": "quiet", "f": "filter", "h": "hostname", "n": "tail", "p": "publish", "m": "memory", "c": "cpu-shares",
}  # fmt: skip


class Flags:
    """What a command line said."""

    def __init__(self) -> None:
        self.given: list[tuple[str, str]] = []
        self.operands: list[str] = []

    def __contains__(self, name: str) -> bool:
        return any(given == name and value != "false" for given, value in self.given)

    def last(self, name: str, usual: str = "") -> str:
        """The last value of a flag."""
        return next((value for given, value in reversed(self.given) if given == name), usual)

    def all(self, name: str) -> list[str]:
        """Every value of a flag, in order."""
        return [value for given, value in self.given if given == name]


def read(
    verb: str,
    words: Sequence[str],
    switches: frozenset[str],
    values: frozenset[str],
    *,
    permute: bool = True,
    short: dict[str, str] | None = None,
) -> Flags:
    """The flags of a verb. Raises UsageError with pflag's texts."""
    letters = {**_SHORT, **(short or {})}
    found, queue = Flags(), list(words)
    while queue:
        word = queue.pop(0)
        if word == "--":
            found.operands += queue
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            _take(verb, word, name, value if equals else None, queue, found, switches, values)
        elif word.startswith("-") and word != "-":
            _letters(verb, word[1:], letters, queue, found, switches, values)
        else:
            found.operands.append(word)
            if not permute:
                found.operands += queue
                break
    return found


def refuse(verb: str, text: str) -> UsageError:
    """An error of the command line."""
    return UsageError(f"{text}\nSee 'docker {verb} --help'.\n", USAGE_STATUS)


def _letters(
    verb: str, word: str, letters: dict[str, str], queue: list[str], found: Flags, switches: frozenset[str],
    values: frozenset[str],
) -> None:  # fmt: skip
    rest = word
    while rest:
        letter, rest = rest[0], rest[1:]
        name = letters.get(letter, "")
        if name not in switches and name not in values:
            raise refuse(verb, f"unknown shorthand flag: '{letter}' in -{word}")
        if name in switches:
            found.given.append((name, "true"))
            continue
        _take(verb, f"-{letter}", name, rest.removeprefix("=") if rest else None, queue, found, switches, values)
        return


def _take(
    verb: str, word: str, name: str, value: str | None, queue: list[str], found: Flags, switches: frozenset[str],
    values: frozenset[str],
) -> None:  # fmt: skip
    if name in switches:
        found.given.append((name, value or "true"))
    elif name not in values:
        raise refuse(verb, f"unknown flag: --{name}")
    elif value is not None:
        found.given.append((name, value))
    elif queue:
        found.given.append((name, queue.pop(0)))
    else:
        raise refuse(
            verb, f"flag needs an argument: {word if word.startswith('--') else repr(name[0]) + ' in ' + word}"
        )
