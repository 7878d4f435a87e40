"""What the bench measures within its own process: each function prepares something and gives the action to be timed."""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from engine.kernel.simulation import Simulation
from engine.shell.play import Play
from engine.simulation import new_simulation, open_site
from engine.world.world import World
from scenarios.catalogue import packaged
from scenarios.proof.prove import prove
from tests.support import large_site as large
from tests.support.run import run_command
from tests.support.sessions import type_lines

Action = Callable[[], object]

SITE, NEWLINE = "dgx-h100-4", b"\n"
SCENARIOS = ("all-quiet", "hot-node", "gpu-off-the-bus", "driver-library-mismatch")
_SESSION = ("ssh dgx-01 nvidia-smi -L", "sinfo", "echo $HOSTNAME | tr a-z A-Z", "uptime", "ssh dgx-02 uname -r") * 20
_PEAK = "from tests.bench import inside; inside.large_site()(); print(inside.peak_megabytes())"


def command(host: str, user: str, line: str) -> Action:
    """A command of ours on the small site, without a shell. One that fails is an error and no figure."""
    simulation = open_site(SITE)

    def action() -> None:
        result = run_command(simulation, host, user, line)
        if result.status:
            raise RuntimeError(f"exit {result.status}: {result.stderr.strip()[:60]}")

    return action


def shell_line() -> Action:
    """A line that bash itself carries out, in a terminal that stays open."""
    loop = asyncio.new_event_loop()
    play = Play(open_site(SITE))

    async def opened() -> Any:
        return play.open_terminal("head-01", "alex")

    terminal = loop.run_until_complete(opened())
    return lambda: loop.run_until_complete(play.run_line(terminal, "echo hi"))


def proof(name: str) -> Action:
    """The proof of a scenario, each time for another seed."""
    scenario, seeds = packaged(name), count(1)
    return lambda: prove(scenario, [next(seeds)])


def resumption() -> Action:
    """Bring a new play to where a journal of 100 lines ends."""
    records: list[dict[str, Any]] = []
    asyncio.run(_recorded(records))

    async def resume() -> None:
        play = Play(open_site(SITE))
        play.resume(records, lambda number: {})
        play.close()

    return lambda: asyncio.run(resume())


async def _recorded(records: list[dict[str, Any]]) -> None:
    play = Play(open_site(SITE), write=records.append)
    terminal = play.open_terminal("head-01", "alex")
    for line in _SESSION:
        await play.run_line(terminal, line)
    play.close()


def large_site(*, jobs: bool = False) -> Action:
    """The large site from its text to what a first command shows."""

    def action() -> None:
        simulation = new_simulation(large.inventory(jobs=jobs), 1)
        _shown(simulation, "ssh dgx-0001 nvidia-smi -L", 8)

    return action


def large_site_memory() -> Action:
    """The most memory (MB) that a process with the large site has held."""

    def action() -> object:
        done = subprocess.run([sys.executable, "-c", _PEAK], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    return action


def peak_megabytes() -> int:
    """The most memory that this process has held. Linux counts in getrusage what the parent held when it forked."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text("ascii").partition("VmHWM:")[2].split()[0]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 2**20


def large_fan_out() -> Action:
    """A simple command on every node of the large site."""
    simulation = large.simulation()
    return lambda: _shown(simulation, "clush -w 'dgx-[0001-2048]' hostname", large.NODES)


def large_command(line: str) -> Action:
    """A command on the large site, in a terminal."""
    simulation = large.simulation()
    return lambda: _shown(simulation, line, 1)


def _shown(simulation: Simulation[World], line: str, least: int) -> None:
    """Type a line; one that shows less than so many lines is an error and no figure."""
    output = type_lines(simulation, [line])[0].output
    if output.count(NEWLINE) < least:
        raise RuntimeError(f"{line} showed {output.count(NEWLINE)} lines, ending in {output[-60:]!r}")
