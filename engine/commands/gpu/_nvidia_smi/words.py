"""nvidia-smi's own command line: `-x VALUE`, `-x=VALUE`, `--name VALUE`, `--name=VALUE`, also `-lms VALUE`.

Its texts for a wrong one go to standard output, followed by an empty line (transcripts of 2026).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.library import INVALID_ARGUMENT, Refused, refuse

INVALID_COMBINATION = "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n"


@dataclass(frozen=True, slots=True)
class Switch:
    """An option. `argument` is what it takes (None: nothing); an `optional` one that is left out is `default`."""

    key: str
    names: tuple[str, ...]
    argument: str | None
    help: str
    optional: bool = False
    default: str = ""
    modelled: bool = True


HELP = Switch("help", ("-h", "--help"), None, "Show this help.")


def parse(
    context: Context, switches: Sequence[Switch], words: Sequence[str], section: str = ""
) -> dict[str, str | None]:
    """What was given, by key; an option without an argument has None. Raises Refused for what the tool refuses."""
    given: dict[str, str | None] = {}
    queue = list(words)
    while queue:
        word = queue.pop(0)
        name, equals, value = word.partition("=")
        switch = next((switch for switch in switches if name in switch.names), None)
        if switch is None:
            raise _wrong(context, word, section)
        if switch.argument is None:
            if equals:
                raise _wrong(context, word, section)
            given[switch.key] = None
        elif equals:
            given[switch.key] = value
        elif queue and not queue[0].startswith("-"):
            given[switch.key] = queue.pop(0)
        elif switch.optional:
            given[switch.key] = switch.default
        else:
            raise refuse(context, f"ERROR: Option {name} is missing its value. {_hint(section)}\n", INVALID_ARGUMENT)
    return given


def _hint(section: str) -> str:
    return f"Please run 'nvidia-smi {section + ' ' if section else ''}-h' for help."


def _wrong(context: Context, word: str, section: str) -> Refused:
    if word.startswith("-"):
        return refuse(context, f"ERROR: Option {word} is not recognized. {_hint(section)}\n", INVALID_ARGUMENT)
    return refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)


_NAMES = 46
"""The width of the column of names in a help."""


def switch_lines(switches: Sequence[Switch], indentation: str = "    ") -> list[str]:
    """The options as lines of a help."""
    lines = []
    for switch in switches:
        names = ", ".join(switch.names) + (f"={switch.argument}" if switch.argument else "")
        note = "" if switch.modelled else " (not modelled)"
        if len(names) > _NAMES:
            lines.append(f"{indentation}{names}")
            names = ""
        lines.append(f"{indentation}{names:<{_NAMES}} {switch.help}{note}")
    return lines


def section_help(section: str, text: str, switches: Sequence[Switch]) -> list[str]:
    """The help of a subcommand."""
    return [f"{section} -- {text}", "", f"Usage: nvidia-smi {section} [options]", "", *switch_lines(switches)]
