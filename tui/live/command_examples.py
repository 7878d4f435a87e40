"""Ready lines for the commands: what a person who runs a cluster would try with each, by topic.

command_examples.txt has a topic per `==` line and a ready line per other line, with what it shows after `  # `. A line
belongs to the command that it begins with (behind `sudo`), or to the one named before a colon. Marks before a line:
`!` it changes something; `+` it means hosts with GPUs only. `{host}`, `{job}` and `{reason}` are filled in.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product

_TABLE = "command_examples.txt"

SHELL_SUMMARIES: Mapping[str, str] = {
    "awk": "take columns out of text",
    "cat": "print files",
    "grep": "search text",
    "head": "print the beginning of files",
    "sort": "sort lines",
    "uniq": "count lines that come again",
    "wc": "count lines, words and bytes",
}
"""What the shell's own utilities do that ready lines exist for."""

_FROM_HERE = {
    "clush",
    "curl",
    "dshbak",
    "getent",
    "man",
    "nc",
    "nodeset",
    "pdsh",
    "ping",
    "scp",
    "ssh",
    "telnet",
    "wget",
}
"""Commands that are run where one is, and that mean another host if any."""

_NEED_TERMINAL = {"less", "man", "more", "nano", "su", "top", "vi", "vim", "watch", "zless"}
_SPECIAL = set("'\"*?$;<>(){}[]&~\\!#`")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Example:
    """A ready line with its placeholders, what it shows, and whether it changes something or needs GPUs."""

    line: str
    about: str
    changes: bool = False
    needs_gpus: bool = False

    def filled(self, values: Mapping[str, Sequence[str]]) -> list[str]:
        """The line with each combination of its placeholders' values; none where one has no value."""
        names = list(dict.fromkeys(_PLACEHOLDER.findall(self.line)))
        choices = product(*(values.get(name, ()) for name in names))
        return [self.line.format(**dict(zip(names, choice, strict=True))) for choice in choices]


@cache
def topics() -> Mapping[str, Mapping[str, tuple[Example, ...]]]:
    """The examples by topic and command, in the table's order."""
    found: dict[str, dict[str, tuple[Example, ...]]] = {}
    commands: dict[str, tuple[Example, ...]] = {}
    for text in (files("tui.live") / _TABLE).read_text(encoding="utf-8").strip().splitlines():
        if text.startswith("== "):
            commands = found.setdefault(text.removeprefix("== "), {})
        else:
            command, example = _read(text)
            commands[command] = (*commands.get(command, ()), example)
    return found


@cache
def examples() -> Mapping[str, tuple[Example, ...]]:
    """The examples of each command, whatever the topic."""
    found: dict[str, tuple[Example, ...]] = {}
    for commands in topics().values():
        for name, lines in commands.items():
            found[name] = (*found.get(name, ()), *lines)
    return found


def _read(text: str) -> tuple[str, Example]:
    marks, rest = _split_marks(text)
    line, _, about = rest.partition("  # ")
    named = re.match(r"([\w.-]+): ", line)
    if named:
        line = line.removeprefix(named[0])
    command = named[1] if named else _command_of(line)
    return command, Example(line, about, "!" in marks, "+" in marks)


def _split_marks(text: str) -> tuple[str, str]:
    rest = text.lstrip("!+ ")
    return text[: len(text) - len(rest)], rest


def _command_of(line: str) -> str:
    words = line.split()
    return words[1] if words[0] == "sudo" and not words[1].startswith("-") else words[0]


def is_from_here(command: str, family: str) -> bool:
    """Whether a command is run where one is, also when it is about another host."""
    return command in _FROM_HERE or (family in ("slurm", "hands", "kubernetes") and command != "crictl")


def on_host(line: str, host: str) -> str:
    """The line that runs `line` on another host. What follows its first pipe runs here, on what comes back."""
    command, pipe, rest = _first_pipe(line)
    terminal = "-t " if _command_of(command) in _NEED_TERMINAL or command == "sudo -i" else ""
    quoted = shlex.quote(command) if _SPECIAL & set(command) else command
    return f"ssh {terminal}{host} {quoted}{pipe}{rest}"


def _first_pipe(line: str) -> tuple[str, str, str]:
    """A line at its first pipe outside of quotes and of $(...)."""
    parts = re.match(r"((?:[^'\"|$]|\$\([^)]*\)|\$(?!\()|'[^']*'|\"[^\"]*\")*)( \| )(.*)", line)
    return (parts[1], parts[2], parts[3]) if parts else (line, "", "")


def reason_text(text: str) -> str:
    """A text as it can stand between double quotes in a line: one line, nothing that the shell would read."""
    plain = " ".join(re.sub(r"[`$\\!]", "", text.replace('"', "'")).split())
    return plain[:100].rstrip()


def searched(names: Sequence[str], text: str, summary_of: Mapping[str, str]) -> list[str]:
    """The commands that a text finds: every word of it stands in the name, the summary or the ready lines. Those whose
    name begins with it come first, then those whose name holds it.
    """
    first = " ".join(text.lower().split())
    fitting = [name for name in names if holds(f"{name} {summary_of.get(name, '')} {_told(name)}", text)]
    return sorted(fitting, key=lambda name: (not name.startswith(first), first not in name))


def holds(told: str, text: str) -> bool:
    """Whether every word of `text` stands in what is told."""
    told = told.lower()
    return all(word in told for word in text.lower().split())


def _told(name: str) -> str:
    return " ".join(f"{one.line} {one.about}" for one in examples().get(name, ()))
