"""A node's GPUs are cut into instances of several profiles (all-balanced), and the GPU Operator's MIG strategy is
`single`, which knows one kind of device a node: the device plugin refuses (`more than one MIG device type present on
node`) and crashes, gpu-feature-discovery says MIG-INVALID, and the node has no GPU to give. Either the strategy `mixed`
for the cluster, or a uniform configuration for the node, mends it.
"""

from __future__ import annotations

from engine.control.kubernetes import deleting, devices, store
from engine.control.kubernetes.device_plugins import mig
from engine.faults.fault import Fault, Parameter, Values
from engine.faults.kubernetes_mig_change_refused import ask
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Send away what holds GPUs and comes back elsewhere, and ask for the configuration."""
    world = simulation.world
    devices.disconnect(simulation, target, mig.GPU)
    for key in list(world.kube_pods.changed()):
        run, pod = world.kube_pods[key], store.look(world, store.PODS, key)
        if run.node == target and run.devices and pod and pod["metadata"].get("ownerReferences"):
            deleting.pod(simulation, key)
    ask(simulation, target, str(values["config"]))


FAULT = Fault(
    id="kubernetes.mig_geometry_mixed",
    title="MIG instances of several kinds under the strategy single",
    targets=("kube_worker",),
    inject=inject,
    parameters=(Parameter("config", "text", "all-balanced", "The configuration that was asked for."),),
    doc="The plugin's log says more than one MIG device type. Strategy mixed, or a uniform nvidia.com/mig.config.",
)
