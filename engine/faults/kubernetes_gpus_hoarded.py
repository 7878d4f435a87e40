"""Every GPU that nobody had is held by pods that do nothing: a Deployment of somebody's, scaled up for a test and left,
sleeps in as many pods as there were GPUs. nvidia.com/gpu is allocatable and requested on every worker, new pods wait
(Insufficient nvidia.com/gpu), and nvidia-smi shows idle GPUs. Scaling it down, as its owner agrees, mends it.
"""

from __future__ import annotations

from engine.control.kubernetes import creating, devices, pod_status, store
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_GPU = "nvidia.com/gpu"


def inject(simulation: Simulation[World], _: str, values: Values) -> None:
    """Somebody applies it, with a replica for each GPU that is free."""
    world, name = simulation.world, str(values["name"])
    free = sum(devices.allocatable(world, node).get(_GPU, 0) for node in world.kube_nodes.changed())
    for pod in store.objects(world, store.PODS):
        run = pod_status.run_of(world, pod)
        if run is not None and run.phase in ("Pending", "Running"):
            free -= pod_status.requested(pod).get(_GPU, 0)
    container = {
        "command": ["sleep", "infinity"],
        "image": "nvcr.io/nvidia/pytorch:25.10-py3",
        "name": "worker",
        "resources": {"limits": {_GPU: "1"}},
    }
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"labels": {"app": name}, "name": name, "namespace": str(values["namespace"])},
        "spec": {
            "replicas": max(free, 1),
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}},
        },
    }
    creating.make(simulation, store.DEPLOYMENTS, deployment)


FAULT = Fault(
    id="kubernetes.gpus_hoarded",
    title="Pods that do nothing hold every free GPU",
    targets=("kube_control",),
    inject=inject,
    parameters=(
        Parameter("namespace", "text", "research", "Whose they are."),
        Parameter("name", "text", "sweep-warm", "The Deployment's name."),
    ),
    doc="kubectl describe nodes says who requests GPUs; nvidia-smi that they are idle. Scale the Deployment to 0.",
)
