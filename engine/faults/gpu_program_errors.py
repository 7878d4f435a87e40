"""A program makes mistakes on a GPU, again and again: page faults (Xid 31), exceptions of kernels (13, then 43),
stopped channels (43). The GPU is well; the log is full, and the Xids name the program.

`program` says whose: another user's small program that is started again and again, or the job that has the GPU, which
dies of it with a CUDA error.
"""

from __future__ import annotations

from engine.control import gpu_errors
from engine.control.xid import main_process
from engine.faults._repeating import repetition
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.events import ProgramCrashes
from engine.world.world import World

_OTHER, _JOB = "other", "job"
_COMMANDS = ("/usr/bin/python3 sweep.py", "/usr/bin/python3 debug_kernel.py", "./a.out", "/usr/bin/python3 test_ops.py")


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The first crash comes at once."""
    world, number = simulation.world, int(values["xid"] or 0)
    process = main_process(world, target)
    if values["program"] == _JOB and process:
        gpu_errors.crash(simulation, target, number, process)
        return
    chance = simulation.stream(f"mistakes/{target}/{number}")
    people = [user.name for user in world.inventory.users] or ["root"]
    repeated = repetition(values)
    user, command = chance.choice(people), chance.choice(_COMMANDS)
    first = ProgramCrashes(target, number, user, command, repeated.every, 0, repeated.times)
    simulation.schedule(first, 0)


FAULT = Fault(
    id="gpu.program_errors",
    title="A program crashes on a GPU by its own mistakes",
    targets=("gpu",),
    inject=inject,
    parameters=(
        Parameter("xid", "choice", "31", "What the driver tells: 31, 13 (with 43) or 43.", ("31", "13", "43")),
        Parameter("program", "choice", _OTHER, "Somebody's own program, or the job on the GPU.", (_OTHER, _JOB)),
        Parameter("every", "duration", "10m", "How often it is started again and crashes.", least=10 * SECOND),
        Parameter("times", "integer", None, "How many times; for good if not given.", least=1),
    ),
    doc="Xid 31, 13 or 43 with a program's name, no counts, recovery action None. Nothing is to be mended at the GPU.",
)
