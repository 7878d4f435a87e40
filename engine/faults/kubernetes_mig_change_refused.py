"""A change of MIG was asked for while work held GPUs of the node: the MIG manager switches the mode of those that are
free, the mode of the others stays pending, no instance is made, and nvidia.com/mig.config.state is `failed`. With the
strategy `single` the device plugin refuses GPUs in MIG mode without instances and crashes, so that the node has no GPU
to give. Asking for the former configuration (all-disabled) mends it, also while the work runs.
"""

from __future__ import annotations

from engine.control.kubernetes import store
from engine.control.kubernetes.gpu_operator import mig_manager
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Ask for the configuration."""
    ask(simulation, target, str(values["config"]))


def ask(simulation: Simulation[World], target: str, config: str) -> None:
    """Set the label that the MIG manager follows."""
    node = store.find(simulation.world, store.NODES, f"/{target}")
    if node is not None:
        node["metadata"].setdefault("labels", {})[mig_manager.CONFIG] = config
        store.put(simulation, store.NODES, node)


FAULT = Fault(
    id="kubernetes.mig_change_refused",
    title="A change of MIG failed half-way, as work held GPUs",
    targets=("kube_worker",),
    inject=inject,
    parameters=(Parameter("config", "text", "all-1g.10gb", "The configuration that was asked for."),),
    doc="mig.config.state=failed; the MIG manager's log names the GPU in use. Label the node with all-disabled.",
)
