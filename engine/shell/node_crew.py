"""The scripts that slurmd runs on its node (prolog, epilog, health check), run by bash as root.

A script begins as soon as it is ordered and runs beside whatever the terminals do. What it prints is for slurmd's log,
and only if it fails. One whose node has gone, or that slurmd has killed, is stopped. A script in another language than
the shell's is not run: it ends as its words say.
"""

from __future__ import annotations

import asyncio
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.commands.context import Place
from engine.control.accounts import identity
from engine.control.slurm import jobs, node_scripts
from engine.control.slurm.job_scripts import BeginNodeScript, EndNodeScript, FollowWords, LeaveNodeScript
from engine.shell.batch_crew import is_for_shell
from engine.shell.execution import Execution
from engine.shell.lines import forks
from engine.shell.runner import ScriptOwner
from engine.world.records import NodeScript

if TYPE_CHECKING:
    from engine.shell.shell import Shell

_TERMINAL = 2_000_000
"""Scripts wait after all terminals and batch scripts that wait for the same moment, in their own order."""
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(eq=False)
class _Running:
    """A script that runs, and what it has said."""

    script: NodeScript
    execution: Execution
    said: bytearray = field(default_factory=bytearray)
    task: asyncio.Task[None] | None = None


class NodeCrew:
    """Runs the scripts of one simulation's nodes."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._simulation = shell.simulation
        self._running: dict[int, _Running] = {}

    def wants_attention(self) -> bool:
        """Whether a script that runs must end."""
        return not all(self._lives(number) for number in self._running)

    def look(self) -> None:
        """Begin scripts that wait, end those that are over."""
        for number in [number for number in self._running if not self._lives(number)]:
            self._running.pop(number).execution.stop()
        for script in node_scripts.waiting(self._simulation.world):
            self._begin(script)
            self._shell.scheduler.note()

    def close(self) -> None:
        """Stop everything that runs; the next shell begins it anew."""
        for number in list(self._running):
            self._running.pop(number).execution.stop()
            if self._lives(number):
                self._simulation.apply(LeaveNodeScript(number))

    def _begin(self, script: NodeScript) -> None:
        self._simulation.apply(BeginNodeScript(script.number))
        text = node_scripts.text(self._simulation.world, script)
        if not text.strip() or not is_for_shell(text):
            self._simulation.apply(FollowWords(script.number))
            return
        running = _Running(script, Execution(self._shell.scheduler, _TERMINAL + script.number, forks=forks(text)))
        self._running[script.number] = running
        running.task = asyncio.ensure_future(self._run(running, text))

    def _place(self, script: NodeScript) -> Place:
        world = self._simulation.world
        job = jobs.job(world, script.job) if script.job else None
        root = identity(world.inventory, "slurm" if script.arguments else "root")
        variables = {"PATH": _PATH, "HOME": "/root", **node_scripts.variables(world, script, job)}
        return Place(script.node, root, variables, "/")

    async def _run(self, running: _Running, text: str) -> None:
        script, place = running.script, self._place(running.script)

        async def say(data: bytes) -> None:
            running.said += data.replace(b"bash: line ", f"{script.path}: line ".encode())
            self._shell.scheduler.note()

        bash = self._shell.open(place, ScriptOwner(running.execution))
        running.execution.enter(bash)
        try:
            words = f"set -- {shlex.join(script.arguments)}; {text}" if script.arguments else text
            status = await bash.run(words, self._shell.moment(place), None, say, say)
        finally:
            running.execution.leave(bash)
            bash.cancel()
        if self._running.pop(script.number, None) is not None and self._lives(script.number):
            said = bytes(running.said).decode("utf-8", "replace")
            self._simulation.apply(EndNodeScript(script.number, status, said))

    def _lives(self, number: int) -> bool:
        return node_scripts.find(self._simulation.world, number) is not None
