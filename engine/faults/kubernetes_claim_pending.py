"""A workload waits for storage that never comes: its claim names a storage class that the cluster does not have. The
claim is Pending (ProvisioningFailed), and the scheduler says `unbound immediate PersistentVolumeClaims`. A new claim
with a class that exists mends it; the class of a claim cannot be changed.
"""

from __future__ import annotations

from engine.control.kubernetes import creating, store
from engine.control.kubernetes.controllers.claims import CLAIMS
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], _: str, values: Values) -> None:
    """Somebody applies a claim and a pod that mounts it."""
    namespace, name = str(values["namespace"]), str(values["name"])
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": f"{name}-data", "namespace": namespace},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "200Gi"}},
            "storageClassName": str(values["storage_class"]),
        },
    }
    container = {
        "command": ["sleep", "infinity"],
        "image": "nvcr.io/nvidia/pytorch:25.10-py3",
        "name": "notebook",
        "resources": {"limits": {"nvidia.com/gpu": "1"}},
        "volumeMounts": [{"mountPath": "/workspace/data", "name": "data"}],
    }
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"labels": {"app": name}, "name": name, "namespace": namespace},
        "spec": {
            "containers": [container],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": f"{name}-data"}}],
        },
    }
    creating.make(simulation, CLAIMS, claim)
    creating.make(simulation, store.PODS, pod)


FAULT = Fault(
    id="kubernetes.claim_pending",
    title="A pod waits for a volume of a class that there is not",
    targets=("kube_control",),
    inject=inject,
    parameters=(
        Parameter("namespace", "text", "research", "Where the pod is."),
        Parameter("name", "text", "notebook", "Its name."),
        Parameter("storage_class", "text", "fast-nvme", "The class that the claim names."),
    ),
    doc="kubectl describe pvc names the class. Make the claim anew with one that kubectl get storageclass shows.",
)
