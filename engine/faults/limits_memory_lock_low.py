"""A hardening rule limits how much memory a login's programs may lock. RDMA programs register their buffers, and
registered memory is locked memory: what starts over ssh (mpirun, benchmarks) cannot register it. The rule lies in a
file that is read after the RDMA stack's own. Jobs that slurmd starts have the limits of its unit.
"""

from __future__ import annotations

from engine.control import files
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

PATH = "/etc/security/limits.d/zz-hardening.conf"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Roll the rule out on the node; logins from now on have it."""
    lines = [f"*  {side}  memlock  {values['kib']}\n" for side in ("soft", "hard")]
    files.write(simulation, target, PATH, "".join(lines).encode(), uid=0, gid=0)


FAULT = Fault(
    id="limits.memory_lock_low",
    title="Programs may lock too little memory (memlock)",
    targets=("gpu_node",),
    inject=inject,
    parameters=(Parameter("kib", "integer", "64", "KiB that a login's programs may lock.", least=0),),
    doc="RDMA programs cannot register memory; ulimit -l shows it. Take the rule away and log in anew.",
)
