"""People's sessions on a node may run on the CPUs of one socket only (AllowedCPUs= of user.slice, left from a test that
kept the other socket free). What they start for GPUs and adapters of the other socket reaches them across the socket
link: slower copies, later answers. Jobs of Slurm are not concerned.
"""

from __future__ import annotations

from engine.control import files
from engine.control.cpu_sets import DROP_INS
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics.paths.near import cpu_list
from engine.world.records import WrittenFile
from engine.world.world import World

PATH = f"{DROP_INS}50-cpus.conf"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Leave the drop-in behind."""
    allowed = cpu_list(simulation.world.node(target), int(values["socket"] or 0))
    drop_in = WrittenFile(f"[Slice]\nAllowedCPUs={allowed}\n".encode(), 0o644, 0, 0, simulation.now)
    folder = WrittenFile(None, 0o755, 0, 0, simulation.now)
    files.put(simulation, target, {DROP_INS.rstrip("/"): folder, PATH: drop_in})


FAULT = Fault(
    id="cpu.sessions_pinned",
    title="Sessions may use the CPUs of one socket only",
    targets=("gpu_node",),
    inject=inject,
    parameters=(Parameter("socket", "integer", "0", "The socket that is left to them.", least=0, most=1),),
    doc="taskset -cp $$ shows it; copies to far GPUs are a tenth slower. Take the drop-in away, log in anew.",
)
