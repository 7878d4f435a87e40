"""The command line of mpirun: options with one dash or two, up to the program.

Source: mpirun(1) of Open MPI 4.1 and orterun's table of options. Those that place processes in ways that are not
modelled say so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.commands.mpi._support.texts import no_number
from engine.commands.options import UsageError

# name -> how many words follow; names that mean the same are given once more in _SAME.
_WORDS = {
    "np": 1, "host": 1, "hostfile": 1, "x": 1, "mca": 2, "gmca": 2, "bind-to": 1, "map-by": 1, "npernode": 1,
    "allow-run-as-root": 0, "oversubscribe": 0, "nooversubscribe": 0, "tag-output": 0, "quiet": 0, "version": 0,
    "help": 0, "use-hwthread-cpus": 0, "prefix": 1, "wdir": 1, "verbose": 0, "bynode": 0, "byslot": 0,
    "enable-recovery": 0,
}  # fmt: skip
_SAME = {
    "n": "np", "c": "np", "H": "host", "machinefile": "hostfile", "default-hostfile": "hostfile", "N": "npernode",
    "V": "version", "h": "help", "q": "quiet", "v": "verbose", "wd": "wdir", "am": "prefix",
}  # fmt: skip
_NOT_MODELLED = {
    "rankfile": 1, "rf": 1, "report-bindings": 0, "display-map": 0, "display-allocation": 0, "cpus-per-proc": 1,
    "cpu-set": 1, "rank-by": 1, "output-filename": 1, "xterm": 1, "timeout": 1, "stdin": 1, "app": 1, "nolocal": 0,
    "timestamp-output": 0, "xml": 0, "tv": 0, "debug": 0, "preload-binary": 0, "do-not-launch": 0, "npersocket": 1,
    "display-topo": 0, "merge-stderr-to-stdout": 0, "report-pid": 1, "report-uri": 1, "path": 1,
}  # fmt: skip

HELP = (
    ("np", "N", "run N processes"),
    ("H, --host", "HOST:SLOTS,...", "on these hosts, with so many slots (1 if not given)"),
    ("hostfile", "FILE", "hosts from a file: lines of HOST slots=N"),
    ("N", "N", "so many processes on each host"),
    ("x", "NAME[=VALUE]", "give the variable to the processes"),
    ("mca", "NAME VALUE", "set a parameter of Open MPI"),
    ("map-by", "WHAT", "place by slot, node, socket, numa, core or ppr:N:node"),
    ("bind-to", "WHAT", "bind to none, core, numa or socket"),
    ("oversubscribe", "", "more processes than slots are fine"),
    ("allow-run-as-root", "", "also for root"),
    ("tag-output", "", "put job and rank before each line"),
    ("version", "", "print the version and end"),
)


@dataclass(slots=True)
class Arguments:
    """What was given: the values of each option in order, and the program with its arguments."""

    given: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    program: tuple[str, ...] = ()
    gap: str = ""

    def __contains__(self, name: str) -> bool:
        return name in self.given

    def last(self, name: str) -> str | None:
        """The last value of an option."""
        return self.given[name][-1][0] if self.given.get(name) else None

    def count(self, name: str) -> int:
        """The last value of an option that is a number, 0 if none was given. Raises UsageError.

        As opal/util/cmd_line.c reads it: digits and dashes pass, and atol(3) makes a number of them. That `npernode`,
        which Open MPI checks later, is refused in the same words is a guess.
        """
        text = self.last(name) or ""
        if not re.fullmatch("[0-9-]*", text):
            raise UsageError(no_number(name, text))
        number = re.match("-?[0-9]+", text)
        return int(number[0]) if number else 0

    def all(self, name: str) -> list[tuple[str, ...]]:
        """All values of an option."""
        return self.given.get(name, [])


def read(name: str, words: Sequence[str]) -> Arguments:
    """The command line of `name`. Raises UsageError."""
    found, queue = Arguments(), list(words)
    while queue and queue[0].startswith("-") and len(queue[0]) > 1:
        word = queue.pop(0)
        if word == "--":
            break
        option, equals, value = word.lstrip("-").partition("=")
        option = _SAME.get(option, option)
        count = _WORDS.get(option, _NOT_MODELLED.get(option))
        if count is None:
            raise UsageError(f"{name}: Error: unknown option \"{word}\"\nType '{name} --help' for usage.\n")
        if equals:
            queue.insert(0, value)
        if len(queue) < count:
            raise UsageError(
                f'{name}: Error: option "{word}" did not have enough parameters ({count})\n'
                f"Type '{name} --help' for usage.\n"
            )
        if option in _NOT_MODELLED:
            found.gap = found.gap or word
        found.given.setdefault(option, []).append(tuple(queue.pop(0) for _ in range(count)))
    found.program = tuple(queue)
    if ":" in found.program:
        found.gap = found.gap or "several programs (:)"
    return found
