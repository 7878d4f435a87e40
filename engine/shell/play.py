"""A simulation that somebody plays: its terminals, and the journal from which it can be taken up again.

The journal has two layers. The truth: every line and move with its times and the actions that came of it. Convenience:
after each line what it
printed and a checkpoint of the terminal's shells. Taking up a play again replays the actions and loads the last
checkpoints; verifying one
runs its lines again and compares what they print.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from engine.commands.context import Place
from engine.control import cpu_sets, logins
from engine.control.accounts import identity
from engine.kernel.actions import decode, encode
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Recorded, Simulation
from engine.kernel.units import DAY
from engine.shell.history import History
from engine.shell.login import Checkpoint, Login
from engine.shell.scheduler import Pace
from engine.shell.shell import Shell
from engine.shell.terminal import LineResult, Terminal
from engine.world.world import World

Record = dict[str, Any]
Writer = Callable[[Record], None]

# What a line printed is kept up to this size; the hash covers all of it.
_OUTPUT_KEPT = 256 * 1024
_LONGEST_PLAY = 3650 * DAY


@dataclass(frozen=True, slots=True)
class PastLine:
    """A line as a journal tells it: on which host it was typed, with which prompt, what it printed, when it ended."""

    host: str
    prompt: str
    text: str
    output: str
    ended: int


@dataclass
class Past:
    """What a journal tells about one terminal: its lines, in order."""

    lines: list[PastLine] = field(default_factory=list)


class Play:
    """A simulation with terminals. `write(record)` is given each journal record as it comes."""

    def __init__(self, simulation: Simulation[World], pace: Pace | None = None, write: Writer | None = None) -> None:
        self.simulation = simulation
        self.shell = Shell(simulation, pace)
        self.terminals: list[Terminal] = []
        self.past: dict[int, Past] = {}
        self._write = write or _nowhere
        self._journaled = write is not None
        simulation.on_record = self._record_action

    def open_terminal(self, host: str, user: str, number: int | None = None, **options: Any) -> Terminal:
        """A new terminal (`number`, or the next one) of somebody who comes in over ssh; `options` are Terminal's."""
        terminal = self._terminal(host, user, number, options)
        self.simulation.apply(logins.OpenSession(host, user, _usual_source(self.simulation.world, host, user)))
        return terminal

    def _terminal(self, host: str, user: str, number: int | None, options: dict[str, Any]) -> Terminal:
        number = len(self.terminals) + 1 if number is None else number
        terminal = Terminal(self.shell, host, user, number=number, **options)
        terminal.keeps_checkpoints = self._journaled
        self.terminals.append(terminal)
        self._write({"terminal": terminal.number, "host": host, "user": user, "at": self.simulation.now})
        return terminal

    def terminal(self, number: int) -> Terminal:
        """The newest terminal of that number. Raises KeyError if there is none."""
        for terminal in reversed(self.terminals):
            if terminal.number == number:
                return terminal
        raise KeyError(number)

    async def run_line(self, terminal: Terminal, text: str, *, whole: bool = False) -> LineResult:
        """Run a line in a terminal, and journal it."""
        prompt, text = terminal.prompt, text.encode("utf-8", "replace").decode()
        self._write({"line": text, "prompt": prompt, "in": terminal.number, "at": self.simulation.now})
        result = await terminal.run_line(text, whole=whole)
        if self._journaled:
            self._record_end(terminal, result)
        return result

    def _record_end(self, terminal: Terminal, result: LineResult) -> None:
        shown = result.output[:_OUTPUT_KEPT].decode("utf-8", "replace")
        self._write(
            {
                "end": result.status,
                "in": terminal.number,
                "at": self.simulation.now,
                "hash": blake2b(result.stdout, digest_size=8).hexdigest(),
                "output": shown,
                "logins": [_login_record(login) for login in terminal.logins] if not terminal.closed else [],
            }
        )

    def write(self, record: Record) -> None:
        """Journal something that is neither a line nor an action (a pin, a note, a diagnosis, the time)."""
        self._write({"at": self.simulation.now, **record})

    async def pass_time(self, duration: int) -> None:
        """Let time pass, with whatever runs in the background."""
        await self.shell.scheduler.pass_time(duration)
        self.write({"clock": self.simulation.now})

    def close(self) -> None:
        """Stop everything that runs. What that does to the world is not journaled: the play can go on later."""
        self._write = _nowhere
        self.simulation.on_record = None
        self.shell.batch_scripts.close()
        for terminal in self.terminals:
            terminal.close()

    def resume(self, records: Iterable[Record], options: Callable[[int], dict[str, Any]]) -> list[Record]:
        """Bring this new play to where a journal ends; `options(number)` are those of terminal `number`.

        Returns the records that are neither lines nor actions. Raises BreakfixError for a journal that does not fit.
        """
        replayer = _Replayer(self, options)
        write, self._write = self._write, _nowhere
        self.simulation.on_record = None
        try:
            for number, record in enumerate(records, 1):
                replayer.take(record, number)
            replayer.finish()
        finally:
            self._write = write
            self.simulation.on_record = self._record_action
        self.shell.batch_scripts.leave_begun()
        return replayer.moves

    def _record_action(self, recorded: Recorded) -> None:
        self._write({"do": encode(recorded.action), "at": recorded.time})


class _Replayer:
    """Takes a journal's records one by one."""

    def __init__(self, play: Play, options: Callable[[int], dict[str, Any]]) -> None:
        self.play, self.options = play, options
        self.moves: list[Record] = []
        self._line: dict[int, tuple[str, str]] = {}
        self._logins: dict[int, list[Record]] = {}
        self._hosts: dict[int, str] = {}
        self._last = 0

    def take(self, record: Record, number: int) -> None:
        try:
            self._last = max(self._last, _time(record))
            if "do" in record:
                self.play.simulation.advance_to(_time(record))
                self.play.simulation.apply(decode(record["do"]))
            elif "terminal" in record:
                self._open(record["host"], record["user"], int(record["terminal"]))
            elif "line" in record:
                self._line[int(record["in"])] = (record["prompt"], record["line"])
            elif "end" in record:
                self._end(record)
            else:
                self.moves.append(record)
        except (KeyError, TypeError, ValueError) as error:
            raise BreakfixError(f"line {number} of the journal is damaged ({type(error).__name__}: {error})") from None

    def _open(self, host: str, user: str, number: int) -> None:
        """A terminal; one that was opened anew after it was left takes the place of the former."""
        self.play.terminals = [terminal for terminal in self.play.terminals if terminal.number != number]
        self.play._terminal(host, user, number, self.options(number))
        self.play.past.setdefault(number, Past())
        self._logins.pop(number, None)
        self._hosts[number] = host

    def _end(self, record: Record) -> None:
        terminal = int(record["in"])
        self._tell(terminal, *self._line.pop(terminal, ("", "")), record["output"])
        self._logins[terminal] = record["logins"]
        if record["logins"]:
            self._hosts[terminal] = record["logins"][-1]["host"]

    def _tell(self, number: int, prompt: str, text: str, output: str) -> None:
        self.play.past[number].lines.append(PastLine(self._hosts[number], prompt, text, output, self._last))

    def finish(self) -> None:
        """The last time, and the shells as the last checkpoints have them."""
        self.play.simulation.advance_to(self._last)
        for number, (prompt, line) in self._line.items():
            self._tell(number, prompt, line, "^C\n")
        for terminal in self.play.terminals:
            if (logins := self._logins.get(terminal.number)) is not None:
                self._restore(terminal, logins)

    def _restore(self, terminal: Terminal, records: list[Record]) -> None:
        if not records:
            terminal.close()
            return
        inventory = self.play.simulation.world.inventory
        for depth, record in enumerate(records):
            who = identity(inventory, record["user"])
            cpus = cpu_sets.of_sessions(self.play.simulation.world, record["host"])
            variables = dict(record["environment"])
            inside = str(record.get("container", ""))
            place = Place(
                record["host"], who, variables, record["directory"], login=not inside, confined=cpus, container=inside
            )
            login = terminal.logins[0] if depth == 0 else terminal.stack(place)
            login.history = History(list(record["history"]), int(record["first"]))
            snapshot, options = base64.b64decode(record["snapshot"]), tuple(record["options"])
            login.restore(Checkpoint(snapshot, int(record["status"]), options, bool(record["profile_read"])))


def _login_record(login: Login) -> Record:
    """A checkpoint of one login."""
    checkpoint = login.checkpoint
    return {
        "host": login.place.host,
        "user": login.place.identity.name,
        "environment": dict(login.place.environment),
        "directory": login.place.directory,
        "container": login.place.container,
        "snapshot": base64.b64encode(checkpoint.snapshot).decode(),
        "status": checkpoint.status,
        "options": list(checkpoint.options),
        "profile_read": checkpoint.profile_read,
        "history": login.history.lines,
        "first": login.history.start,
    }


def _time(record: Record) -> int:
    """When a record was written. Raises ValueError for what is no simulated time."""
    time = record.get("at", 0)
    if not isinstance(time, int) or not 0 <= time <= _LONGEST_PLAY:
        raise ValueError(f"'at' is {time!r}")
    return time


def _usual_source(world: World, host: str, user: str) -> str:
    """The address that `user` came from last time."""
    sources = [login.source for login in logins.history(world, host) if login.user == user]
    return sources[-1] if sources else world.inventory.node(host).addresses[0].cidr.partition("/")[0]


def _nowhere(record: Record) -> None:
    return
