"""A shell so small that tests of scenarios need no other: a few words over the real world, and files.

gpus NODE            a line per GPU, `GPU 3 ok` or `GPU 3 LOST`
log NODE             what was logged since the site's start
echo TEXT            the text
write FILE TEXT      keep a text;   cat FILE   shows it
if-lost NODE LINE    does LINE where a GPU of the node is lost, else waits for a day
drain NODE REASON    resume NODE    sleep 5m
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.control import driver
from engine.control.slurm.administration import UpdateNode
from engine.kernel.simulation import Simulation
from engine.kernel.units import DAY, duration
from engine.world.world import World
from scenarios.terminals import FrontEnd, Job, LineResult

INTERRUPTED = 130


@dataclass
class FakeTerminals:
    """Terminals of a world that share its files."""

    simulation: Simulation[World]
    files: dict[str, str] = field(default_factory=dict)

    def open(self, host: str, user: str, number: int, front: FrontEnd) -> FakeTerminal:
        return FakeTerminal(self, user)

    async def pass_time(self, duration: int) -> None:
        self.simulation.advance(duration)

    async def together(self, jobs: Sequence[Job]) -> None:
        for time, work in jobs:
            self.simulation.advance_to(time)
            await work()

    async def sleep_until(self, time: int) -> None:
        self.simulation.advance_to(time)

    def close(self) -> None:
        return


@dataclass
class FakeTerminal:
    """Runs lines of the words above."""

    terminals: FakeTerminals
    user: str
    prompt: str = "$ "
    closed: bool = False

    async def run_line(self, text: str, until: int | None = None) -> LineResult:
        simulation = self.terminals.simulation
        started = simulation.now
        word, _, rest = text.partition(" ")
        output, wait = _WORDS[word](self, rest) if word in _WORDS else (f"{word}: command not found\n", 0)
        cut = until is not None and started + wait > until
        simulation.advance_to(until if cut and until is not None else started + wait)
        shown = "" if cut else output
        return LineResult(INTERRUPTED if cut else 0, shown.encode(), started, simulation.now, cut)

    def interrupt(self) -> None:
        return

    def close(self) -> None:
        self.closed = True

    @property
    def world(self) -> World:
        return self.terminals.simulation.world


def _gpus(terminal: FakeTerminal, node: str) -> tuple[str, int]:
    lost = {gpu.id: driver.is_lost(terminal.world, gpu.id) for gpu in terminal.world.inventory.node(node).gpus}
    lines = [f"GPU {number} {'LOST' if gone else 'ok'}" for number, gone in enumerate(lost.values())]
    return "\n".join([f"GPUs of {node} at {terminal.terminals.simulation.now}:", *lines, ""]), 0


def _log(terminal: FakeTerminal, node: str) -> tuple[str, int]:
    return "".join(f"kernel: {entry.text}\n" for entry in terminal.world.logs[node].entries), 0


def _write(terminal: FakeTerminal, rest: str) -> tuple[str, int]:
    name, _, text = rest.partition(" ")
    terminal.terminals.files[name] = text
    return "", 0


def _if_lost(terminal: FakeTerminal, rest: str) -> tuple[str, int]:
    node, _, line = rest.partition(" ")
    if not any(driver.is_lost(terminal.world, gpu.id) for gpu in terminal.world.inventory.node(node).gpus):
        return "", DAY
    word, _, more = line.partition(" ")
    return _WORDS[word](terminal, more)


def _drain(terminal: FakeTerminal, rest: str) -> tuple[str, int]:
    node, _, reason = rest.partition(" ")
    terminal.terminals.simulation.apply(UpdateNode(node, terminal.user, "DRAIN", reason))
    return "", 0


def _resume(terminal: FakeTerminal, node: str) -> tuple[str, int]:
    terminal.terminals.simulation.apply(UpdateNode(node, terminal.user, "RESUME"))
    return "", 0


_WORDS: dict[str, Callable[[FakeTerminal, str], tuple[str, int]]] = {
    "gpus": _gpus,
    "log": _log,
    "echo": lambda _, rest: (f"{rest}\n", 0),
    "write": _write,
    "cat": lambda terminal, name: (terminal.terminals.files.get(name, f"cat: {name}: No such file") + "\n", 0),
    "if-lost": _if_lost,
    "drain": _drain,
    "resume": _resume,
    "sleep": lambda _, rest: ("", duration(rest)),
}
