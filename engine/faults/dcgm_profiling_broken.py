"""DCGM's profiling session of a GPU broke when a program on it crashed (Xid 31): the profiling fields read 0 while the
GPU is busy, and whoever bills or reclaims by them takes it for idle (NVIDIA/DCGM#303). A restart of the host engine
mends it.
"""

from __future__ import annotations

from engine.control import gpu_errors
from engine.control.dcgm import daemon, host_engine
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.events import ProgramCrashes
from engine.world.world import World

_NO, _YES = "no", "yes"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Somebody's small program crashes, and the session is broken; without a host engine there is none."""
    world, node = simulation.world, target.partition("/")[0]
    if values["crash"] == _YES:
        people = [user.name for user in world.inventory.users] or ["root"]
        user = simulation.stream(f"profiling/{target}").choice(people)
        command = "/usr/bin/python3 kernel_test.py"
        simulation.schedule(ProgramCrashes(target, gpu_errors.PAGE_FAULT, user, command, 0, 0, 1), 0)
    if daemon.is_running(world, node):
        host_engine.break_profiling(simulation, target)


FAULT = Fault(
    id="dcgm.profiling_broken",
    title="DCGM's profiling of a GPU reads 0",
    targets=("gpu",),
    inject=inject,
    parameters=(Parameter("crash", "choice", _YES, "Whether an Xid 31 goes before it.", (_NO, _YES)),),
    doc="Utilisation 100 %, profiling fields 0 for one GPU. Restarting nvidia-dcgm mends it.",
)
