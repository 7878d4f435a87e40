"""One process of a job has been stopped (SIGSTOP: a debugger that was attached and left, Ctrl-Z in somebody's shell).

The others wait for it in their next collective, at full utilisation and little power, until the watchdog ends the job.
SIGCONT lets it go on.
"""

from __future__ import annotations

from engine.control.processes import stop
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics.load import gpu_processes
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Stop what works on the GPU; where nothing does, nothing is stopped."""
    for process in gpu_processes(simulation.world, target):
        stop(simulation, target.partition("/")[0], process.pid)


FAULT = Fault(
    id="job.rank_stopped",
    title="A process of a job is stopped",
    targets=("gpu",),
    inject=inject,
    doc="ps shows it in state T. kill -CONT lets it go on.",
)
