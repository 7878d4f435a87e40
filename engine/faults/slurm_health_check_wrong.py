"""The health check of one node wants more than the node has: all nodes count their active InfiniBand ports every five
minutes and drain themselves below eight; the copy on this node was changed and wants every port that the node has,
those included that have no cable here. The node is well, is drained at the next round, and again after every resume.
Mending the script and resuming the node mends it.
"""

from __future__ import annotations

from engine.control import files
from engine.faults._slurm_site import install
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

PATH = "/etc/slurm/healthcheck.sh"


def script(gpus: int, ports: int) -> str:
    """The health check: so many GPUs, so many active InfiniBand ports."""
    return (
        "#!/bin/bash\n# Health check: the node drains itself and says why.\n"
        "fail() {\n"
        '  scontrol update nodename="$SLURMD_NODENAME" state=drain reason="HC: $1"\n'
        '  echo "$1"\n'
        "  exit 1\n"
        "}\n"
        f'[ "$(nvidia-smi -L | wc -l)" -ge {gpus} ] || fail "fewer than {gpus} GPUs"\n'
        'active=$(ibstat | grep -c "State: Active")\n'
        f'[ "$active" -ge {ports} ] || fail "InfiniBand: $active of {ports} ports active"\n'
        "exit 0\n"
    )


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """All nodes have the health check, this one a copy that wants too much."""
    node = simulation.world.node(target)
    gpus, every = len(node.gpus), len(node.hcas)
    cabled = sum(hca.port in simulation.world.inventory.cables for hca in node.hcas)
    install(simulation, PATH, script(gpus, cabled), f"HealthCheckProgram={PATH}\nHealthCheckInterval=300")
    files.write(simulation, target, PATH, script(gpus, max(every, cabled + 1)).encode(), uid=0, gid=0, mode=0o755)


FAULT = Fault(
    id="slurm.health_check_wrong",
    title="The health check of a node wants too much",
    targets=("slurm_node",),
    inject=inject,
    doc="A node without a flaw is drained by its own health check, again after each resume. Mend the script.",
)
