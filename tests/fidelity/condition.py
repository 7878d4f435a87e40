"""A world in the condition of a capture, and a line run in it.

Lines that are one command of ours run in this process without a shell; anything with the language of bash in it (pipes,
quotes of quotes, loops) goes through a terminal of engine.shell. A case with `shell` types its setup lines and its
command into one terminal, so that what the setup lines leave in the shell (directory, variables) stays.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine.kernel.simulation import Simulation
from engine.kernel.units import duration
from engine.world.world import World
from tests.fidelity.cases import CaseModel, ProcessModel
from tests.support.run import Result, run_command

_BASH = re.compile(r"[|&;<>$`(){}*?~]|^\w+=")


def run_case(case: CaseModel, command: str) -> Result:
    """What `command` prints in the case's condition."""
    if not case.shell:
        return run_line(world_of(case), case.host, case.user, command, case.head)
    simulation = broken_site(case)
    with _terminal(simulation, case.host, case.user) as run:
        for line in case.setup:
            run(line)
        simulation.advance(duration(case.wait))
        return run(command)


def world_of(case: CaseModel) -> Simulation[World]:
    """The site in the case's condition, after its setup lines and its wait."""
    simulation = broken_site(case)
    for line in case.setup:
        user, colon, rest = line.partition(": ")
        run_line(simulation, case.host, *((user, rest) if colon and user == "root" else (case.user, line)))
    for process in case.processes:
        if process.instance:
            _start(simulation, case.host, process)
    simulation.advance(duration(case.wait))
    return simulation


def broken_site(case: CaseModel) -> Simulation[World]:
    """The site with the case's settings, faults and processes, but for those on MIG devices."""
    from engine.simulation import open_site

    simulation = open_site(case.site, case.seed, case.settings)
    for text in case.faults:
        from engine.faults.fault import parse_fault

        simulation.apply(parse_fault(text))
    for process in case.processes:
        if not process.instance:
            _start(simulation, case.host, process)
    return simulation


def _start(simulation: Simulation[World], host: str, process: ProcessModel) -> None:
    from engine.control.processes import start

    start(
        simulation,
        host,
        user=process.user,
        command=process.command,
        gpus=tuple(process.gpus),
        gpu_memory=process.gpu_memory,
        workload=process.workload,
        instance=(process.instance[0], process.instance[1]) if process.instance else None,
    )


def run_line(simulation: Simulation[World], host: str, user: str, line: str, head: int | None = None) -> Result:
    """Run a line; its standard output and standard error are what a terminal would show."""
    if _BASH.search(line):
        return _in_shell(simulation, host, user, line)
    return run_command(simulation, host, user, line, head=head)


def _in_shell(simulation: Simulation[World], host: str, user: str, line: str) -> Result:
    with _terminal(simulation, host, user) as run:
        return run(line)


@contextmanager
def _terminal(simulation: Simulation[World], host: str, user: str) -> Iterator[Callable[[str], Result]]:
    """A way to type lines into one terminal."""
    from engine.shell.play import Play

    play = Play(simulation)
    try:
        terminal = play.open_terminal(host, user)

        with asyncio.Runner() as loop:

            def run(line: str) -> Result:
                result = loop.run(play.run_line(terminal, line))
                return Result(result.output.decode("utf-8", "replace"), "", result.status)

            yield run
    finally:
        play.close()
