"""kubectl's own help: the list of its verbs, and what one takes.

Source: kubectl pkg/cmd/cmd.go (groups and one-line descriptions).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engine.commands.kubernetes._kubectl.flags import Flag
from engine.control.tables import rows

_USAGE = (
    "Usage:\n  kubectl [flags] [options]\n\n"
    'Use "kubectl <command> --help" for more information about a given command.\n'
    'Use "kubectl options" for a list of global command-line options (applies to all commands).\n'
)


@cache
def groups() -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """(title of a group, (verb, description)...)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for group, verb, text in rows("kubectl_verbs"):
        found.setdefault(group, []).append((verb, text))
    return tuple((group, tuple(verbs)) for group, verbs in found.items())


def verbs() -> list[str]:
    """Every verb of the real program."""
    return [verb for _, found in groups() for verb, _ in found]


def main() -> str:
    """What `kubectl` alone prints."""
    lines = ["kubectl controls the Kubernetes cluster manager.", ""]
    lines += [" Find more information at: https://kubernetes.io/docs/reference/kubectl/", ""]
    for group, found in groups():
        lines.append(f"{group}:")
        lines += [f"  {verb:<15} {text}" for verb, text in found]
        lines.append("")
        if group.startswith("Settings"):
            lines += ["Subcommands provided by plugins:", ""]
    return "\n".join(lines) + "\n" + _USAGE


def help_of(name: str, known: Sequence[Flag]) -> str:
    """The help of a verb: its description and options. Longer texts and examples are left to the real one."""
    text = next((text for _, found in groups() for verb, text in found if verb == name), "")
    lines = [f"{text}.", "", "Options:"]
    for flag in sorted(known, key=lambda flag: flag.name):
        short = f"-{flag.short}, " if flag.short else "    "
        default = {"bool": "false", "int": "0", "duration": "0s", "list": "[]"}.get(flag.kind, "''")
        lines.append(f"    {short}--{flag.name}={default}")
    lines += ["", "Usage:", f"  kubectl {name} [options]", ""]
    return "\n".join(lines) + '\nUse "kubectl options" for a list of global command-line options (applies to all ' \
        "commands).\n"  # fmt: skip


def distance(one: str, other: str) -> int:
    """How many letters have to change (Levenshtein), as cobra finds what was meant."""
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one, 1):
        last, row[0] = row[0], index
        for place, wanted in enumerate(other, 1):
            last, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, last + (letter != wanted))
    return row[-1]
