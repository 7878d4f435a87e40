"""A container was started without /dev/infiniband (NVIDIA/nccl#451): NCCL inside finds no RDMA device and uses sockets,
while the host's adapters are active. /sys shows the adapters inside as well, which misleads. A start with `--device
/dev/infiniband` and `--ulimit memlock=-1` mends it.
"""

from __future__ import annotations

from engine.faults.container_gpus_lost import start_service
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The container starts without the devices."""
    start_service(simulation, target, str(values["name"]), network="host")


FAULT = Fault(
    id="container.without_infiniband",
    title="A container has no RDMA devices",
    targets=("gpu_node",),
    inject=inject,
    parameters=(Parameter("name", "text", "trainer", "The container's name."),),
    doc="NCCL in the container: NET/IB : No device found, Using network Socket. Pass /dev/infiniband.",
)
