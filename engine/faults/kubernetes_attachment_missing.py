"""A second network is not where its users look: the IPoIBNetwork was applied again without `networkNamespace`, so
that the operator moved its NetworkAttachmentDefinition to the namespace default. Multus looks in the pod's own
namespace, and every new pod that names the network stays in ContainerCreating (cannot find a
network-attachment-definition); what runs goes on. The right namespace in the network mends it, and so does naming
default/... in the pods.
"""

from __future__ import annotations

from engine.control.kubernetes import creating, store
from engine.control.kubernetes.network_operator import multus, networks
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], _: str, values: Values) -> None:
    """Apply the network without its namespace, and then a pod that wants it."""
    world = simulation.world
    for of_store in networks.STORES:
        for key in store.keys(world, of_store):
            thing = store.find(world, of_store, key)
            if thing is None or thing["spec"].get("networkNamespace") != values["namespace"]:
                continue
            del thing["spec"]["networkNamespace"]
            thing["metadata"]["generation"] = thing["metadata"].get("generation", 1) + 1
            store.put(simulation, of_store, thing)
            _wants(simulation, str(values["namespace"]), str(values["pod"]), thing["metadata"]["name"])


def _wants(simulation: Simulation[World], namespace: str, name: str, network: str) -> None:
    container = {
        "command": ["sleep", "infinity"],
        "image": "nvcr.io/nvidia/pytorch:25.10-py3",
        "name": "trainer",
        "resources": {"limits": {"nvidia.com/gpu": "1", "rdma/rdma_shared_device_ib": "1"}},
    }
    metadata = {
        "annotations": {multus.WANTED: network}, "labels": {"app": name}, "name": name, "namespace": namespace
    }  # fmt: skip
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}
    creating.make(simulation, store.PODS, pod)


FAULT = Fault(
    id="kubernetes.attachment_missing",
    title="A secondary network is in another namespace than its users",
    targets=("kube_control",),
    inject=inject,
    parameters=(
        Parameter("namespace", "text", "research", "Where the network was, and is wanted."),
        Parameter("pod", "text", "nccl-pair-0", "A pod that wants it."),
    ),
    doc="The event NoNetworkFound names both. Give the IPoIBNetwork its networkNamespace again.",
)
