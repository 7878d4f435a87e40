"""A taint that no workload tolerates was left on workers after maintenance: new pods do not go there and wait as
Pending with its key in the scheduler's reasons; what runs goes on. With `nodes=all` it stands on every worker, and
nothing new starts at all. Removing the taint mends it.
"""

from __future__ import annotations

from engine.control.kubernetes import store
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_ONE, _ALL = "one", "all"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Taint the worker, or all of them."""
    cluster = simulation.world.inventory.kubernetes
    workers = cluster.workers if cluster and values["nodes"] == _ALL else (target,)
    for name in workers:
        node = store.find(simulation.world, store.NODES, f"/{name}")
        if node is None:
            continue
        taint = {"effect": "NoSchedule", "key": str(values["key"]), "value": str(values["value"])}
        kept = [each for each in node["spec"].get("taints") or () if each["key"] != taint["key"]]
        node["spec"]["taints"] = [*kept, taint]
        store.put(simulation, store.NODES, node)


FAULT = Fault(
    id="kubernetes.taint_forgotten",
    title="Workers bear a taint that nothing tolerates",
    targets=("kube_worker",),
    inject=inject,
    parameters=(
        Parameter("key", "text", "maintenance", "Its key."),
        Parameter("value", "text", "planned", "Its value."),
        Parameter("nodes", "choice", _ONE, "This worker, or all.", (_ONE, _ALL)),
    ),
    doc="FailedScheduling names the taint. kubectl taint nodes NODE KEY- removes it.",
)
