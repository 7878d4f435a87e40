"""How a running command runs others: ours directly, everything else through a bash of its own."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.commands.command import installed
from engine.commands.context import Input, Interrupted, Logins, Output, OutputClosed, Place, Terminal
from engine.shell.execution import Execution
from engine.shell.streams import Sink
from engine.shell.wiring import Wiring

if TYPE_CHECKING:
    from engine.shell.shell import Shell

_PLAIN_CHARACTERS = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-./:=,@%+")


@dataclass(frozen=True)
class ScriptOwner:
    """The owner of a script's bash: nobody looks at what its commands print."""

    running: Execution

    def execution(self) -> Execution:
        return self.running

    def terminal_of(self, command: str) -> Terminal | None:
        return None

    def logins_of(self, command: str) -> Logins | None:
        return None


class CommandRunner:
    """Runs other commands on behalf of a running one (ssh, sudo, watch, xargs, clush)."""

    def __init__(self, shell: Shell, execution: Execution, wiring: Wiring) -> None:
        self._shell, self._execution, self._wiring = shell, execution, wiring

    def has(self, name: str, host: str) -> bool:
        """Whether `host` has a command of ours of that name."""
        return installed(self._shell.simulation.world.inventory, host, name)

    def _ours(self, name: str, place: Place) -> bool:
        """Whether `place` has a command of ours of that name, and needs no bash for it."""
        return not place.container and self.has(name, place.host)

    async def run(
        self,
        words: Sequence[str],
        place: Place,
        *,
        stdin: Input | None = None,
        stdout: Output | None = None,
        stderr: Output | None = None,
    ) -> int:
        """Run one simple command at `place`: ours directly, anything else through a bash."""
        if words and self._ours(words[0], place):
            wiring = self._wiring.redirected(stdin, stdout, stderr)
            return await self._shell.invoke(words[0], words[1:], place, self._execution, wiring)
        return await self.script(shlex.join(words), place, stdin=stdin, stdout=stdout, stderr=stderr)

    async def script(
        self,
        text: str,
        place: Place,
        *,
        stdin: Input | None = None,
        stdout: Output | None = None,
        stderr: Output | None = None,
    ) -> int:
        """Run bash text at `place` in a shell of its own; simple commands of ours do without one."""
        words = text.split() if set(text) <= _PLAIN_CHARACTERS and "=" not in text.split(" ", maxsplit=1)[0] else []
        if words and self._ours(words[0], place):
            return await self.run(words, place, stdin=stdin, stdout=stdout, stderr=stderr)
        wiring = self._wiring.redirected(stdin, stdout, stderr)
        bash = self._shell.open(place, ScriptOwner(self._execution))
        self._execution.enter(bash)
        moment = self._shell.moment(place)
        try:
            status = await bash.run(text, moment, wiring.stdin, _into(wiring.stdout), _into(wiring.stderr))
        finally:
            self._execution.leave(bash)
            bash.cancel()
        if self._execution.cancelled:
            raise Interrupted
        return status


def _into(output: Output) -> Sink:
    async def sink(data: bytes) -> None:
        output.write(data)
        with suppress(OutputClosed):
            await output.flush()

    return sink
