"""The shells of one simulation: opens bash processes, runs commands in them or without one, and keeps the terminals'
scheduler.

A simple command of ours (one word list, no shell syntax) runs without a bash of its own; that is what makes `clush`
over thousands of hosts
cheap. Everything else gets a fresh bash: one per login or sub-shell, never one per host.
"""

from __future__ import annotations

import asyncio
import inspect
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from engine.commands.command import Run, commands_of, load_command
from engine.commands.context import Context, Interrupted, Logins, OutputClosed, Place, Terminal
from engine.commands.linux._support import links, printf_time, ulimit
from engine.commands.options import UsageError
from engine.control import host_clock
from engine.hostfs.host_tree import HostTree
from engine.hostfs.tree import FileError
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.shell.bash import Bash, Callback, Moment, spare_interpreter
from engine.shell.batch import BatchScripts
from engine.shell.execution import Execution
from engine.shell.locked_tree import LockedTree
from engine.shell.runner import CommandRunner
from engine.shell.scheduler import Pace, Scheduler
from engine.shell.streams import BashInput, BashOutputs
from engine.shell.substituted import with_substitutions
from engine.shell.wiring import Wiring
from engine.world.world import World

_TREES_KEPT = 16
_BARRIER_TRIPS = 3
NOT_FOUND, SIGINT_STATUS, SIGPIPE_STATUS, INTERNAL_ERROR = 127, 130, 141, 70


# What prologue.sh asks for that no host has as a command.
_HELPERS: Mapping[str, Run] = {
    "__is_link": links.run,
    "__printf_time": printf_time.run,
    "__ulimit": ulimit.run,
    "ulimit": ulimit.run_without_state,
}


async def _nothing(call: Any) -> int:
    return 1


# What prologue.sh asks a login for; other shells have no jobs and no history.
_NO_LOGIN: Mapping[str, Callback] = {"__owns_jobs": _nothing, "__history": _nothing}


class Owner(Protocol):
    """Whom a bash belongs to: what runs in it, and what its commands may do with the terminal."""

    def execution(self) -> Execution:
        """What the running line belongs to."""

    def terminal_of(self, command: str) -> Terminal | None:
        """The terminal, for a command that writes to it."""

    def logins_of(self, command: str) -> Logins | None:
        """Where a login goes that the command opens."""


class Shell:
    """Everything that runs lines in one simulation."""

    def __init__(self, simulation: Simulation[World], pace: Pace | None = None) -> None:
        self.simulation = simulation
        self.scheduler = Scheduler(simulation, pace)
        self.gaps: list[str] = []
        self._scripts = 0
        self._trees: dict[str, HostTree] = {}
        self._spare: Any = None
        self.batch_scripts = BatchScripts(self)
        simulation.guard = self.scheduler.lock
        self.scheduler.set_round_trip(self._round_trip)

    def tree(self, place: Place) -> HostTree:
        """The root file system of `place`'s host as its identity sees it; what was worked out about a host is kept."""
        host, inventory = place.host, self.simulation.world.inventory
        if place.container:
            return self._container_tree(place)
        if host not in self._trees:
            if len(self._trees) >= _TREES_KEPT:
                self._trees.clear()
            commands = partial(commands_of, inventory, host)
            self._trees[host] = HostTree(self.simulation, host, place.identity, programs=commands)
        return self._trees[host].seen_by(place.identity)

    def _container_tree(self, place: Place) -> HostTree:
        """The root file system of a container."""
        from engine.commands._containers import inside

        return inside.tree(self.simulation, place)

    def open(
        self,
        place: Place,
        owner: Owner,
        prefix: str | None = None,
        extra: Mapping[str, Callback] | None = None,
    ) -> Bash:
        """A new bash at `place`, in which things run for `owner`."""
        names = [*self._commands(place), *_HELPERS]
        callbacks = {name: self._callback(name, place, owner) for name in names}
        tree = LockedTree(self.tree(place), place.identity, self.scheduler.lock)
        return Bash(place, tree, {**callbacks, **(extra or _NO_LOGIN)}, prefix, self.scheduler.note)

    def _commands(self, place: Place) -> Sequence[str]:
        """Names of our commands at a place."""
        if place.container:
            from engine.commands._containers import inside

            return inside.commands(self.simulation.world, place)
        return commands_of(self.simulation.world.inventory, place.host)

    def moment(self, place: Place) -> Moment:
        """Clock and chance for a script that starts at a place now."""
        self._scripts += 1
        seed = self.simulation.stream(f"script/{place.host}/{self._scripts}").integer(1, 32767)
        world = self.simulation.world
        pid = world.systems[place.host].next_pid
        return Moment(host_clock.epoch(world, place.host, self.simulation.now) // SECOND, 0, seed, pid)

    async def invoke(
        self, name: str, arguments: Sequence[str], place: Place, execution: Execution, wiring: Wiring
    ) -> int:
        """Run the command `name` of ours. Returns its exit status; nothing it raises gets out."""
        context = self.context(name, arguments, place, execution, wiring)
        try:
            status = await _finished(_HELPERS[name] if name in _HELPERS else load_command(name).run, context)
            await context.flush()
        except OutputClosed:
            return SIGPIPE_STATUS
        except Interrupted:
            return SIGINT_STATUS
        return status & 0xFF

    def context(
        self, name: str, arguments: Sequence[str], place: Place, execution: Execution, wiring: Wiring
    ) -> Context:
        """What a run of the command `name` is given."""
        return Context(
            name,
            tuple(arguments),
            place,
            self.simulation,
            with_substitutions(self.tree(place), arguments, wiring.bash_files),
            wiring.stdin,
            wiring.stdout,
            wiring.stderr,
            execution,
            CommandRunner(self, execution, wiring),
            wiring.terminal,
            self.gaps,
            wiring.logins,
        )

    def _callback(self, name: str, place: Place, owner: Owner) -> Callable[[Any], Any]:
        async def run(call: Any) -> int:
            note = self.scheduler.note
            note()
            here = replace(place, environment=call.env, directory=call.cwd, login=False)
            outputs = BashOutputs(call.stdout, call.stderr, note, self._barrier)
            wiring = Wiring(
                BashInput(call.stdin, note),
                outputs.stdout,
                outputs.stderr,
                owner.terminal_of(name),
                owner.logins_of(name),
                call.fs,
            )
            execution = owner.execution()
            try:
                status = await self.invoke(name, call.argv, here, execution, wiring)
                await outputs.finish()
                if execution.cancelled:
                    # The line ends here: bash must not go on to what comes next before it is stopped.
                    await asyncio.Event().wait()
                return status
            finally:
                note()

        return run

    async def _barrier(self) -> None:
        """Until what the interpreters were given before has gone where it goes."""
        for _ in range(_BARRIER_TRIPS):
            await self._round_trip()

    async def _round_trip(self) -> None:
        """Through the interpreter's threads and back."""
        if self._spare is None:
            self._spare = spare_interpreter()
        await self._spare.execute(":")


async def _finished(run: Run, context: Context) -> int:
    """The command's status; errors meant for people become lines, programming errors a sentence."""
    try:
        result = run(context)
        return await result if inspect.isawaitable(result) else result
    except UsageError as error:
        context.stderr.write(error.text.encode())
        return error.status
    except FileError as error:
        context.error(f"{context.name}: {error}")
        return 1
    except BreakfixError as error:
        context.error(f"{context.name}: {error.message}")
        return 1
    except (OutputClosed, Interrupted):
        raise
    except Exception as error:
        words = shlex.join([context.name, *context.arguments])
        context.gaps.append(f"{words}: internal error: {type(error).__name__}: {error}")
        context.error(
            f"breakfix: internal error in '{context.name}' ({type(error).__name__}: {error}); "
            "this is a fault of breakfix, please report the line"
        )
        return INTERNAL_ERROR
