"""Storage claims in a first form: the local path provisioner, and what schedulers and people see of claims.

A class with WaitForFirstConsumer binds when a pod that uses the claim is given to a node; its volume then ties the pod
to that node. A class that is not there, or whose provisioner does not run, leaves the claim Pending. Texts:
pkg/controller/volume/persistentvolume, pkg/scheduler/framework/plugins/volumebinding.
"""

from __future__ import annotations

from engine.control.kubernetes import creating, events_log, store
from engine.control.kubernetes.objects import KubeDict, name_of, namespace_of
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.world import World

Sim = Simulation[World]
CLAIMS, VOLUMES, CLASSES = "persistentvolumeclaims", "persistentvolumes", "storageclasses.storage.k8s.io"
_COMPONENT = "persistentvolume-controller"
_PROVISIONER = "rancher.io/local-path"


def of_pod(pod: KubeDict) -> list[str]:
    """The names of the claims that a pod mounts."""
    volumes = pod["spec"].get("volumes") or ()
    return [each["persistentVolumeClaim"]["claimName"] for each in volumes if "persistentVolumeClaim" in each]


def refusal(world: World, pod: KubeDict) -> str | None:
    """Why no node at all can be had for a pod with these claims, or None."""
    for name in of_pod(pod):
        claim = store.find(world, CLAIMS, f"{namespace_of(pod)}/{name}")
        if claim is None:
            return f'persistentvolumeclaim "{name}" not found.'
        if claim["metadata"].get("deletionTimestamp"):
            return f'persistentvolumeclaim "{name}" is being deleted.'
        if not _bound(claim) and not _waits(world, claim):
            return "pod has unbound immediate PersistentVolumeClaims."
    return None


def node_refusal(world: World, pod: KubeDict, node: str) -> str | None:
    """Why a node does not fit a pod's bound volumes, or None."""
    for name in of_pod(pod):
        claim = store.find(world, CLAIMS, f"{namespace_of(pod)}/{name}")
        volume = store.find(world, VOLUMES, f"/{claim['spec'].get('volumeName', '')}") if claim else None
        if volume is not None and _home(volume) not in (node, ""):
            return "node(s) didn't match PersistentVolume's node affinity"
    return None


def _bound(claim: KubeDict) -> bool:
    return (claim.get("status") or {}).get("phase") == "Bound"


def _class_of(world: World, claim: KubeDict) -> KubeDict | None:
    return store.find(world, CLASSES, f"/{claim['spec'].get('storageClassName', '')}")


def _waits(world: World, claim: KubeDict) -> bool:
    """Whether a claim is bound with its first pod."""
    kept = _class_of(world, claim)
    return kept is not None and kept.get("volumeBindingMode") == "WaitForFirstConsumer"


def _home(volume: KubeDict) -> str:
    """The node that a local volume is on, "" for one that is everywhere."""
    required = (volume["spec"].get("nodeAffinity") or {}).get("required") or {}
    for term in required.get("nodeSelectorTerms") or ():
        for each in term.get("matchExpressions") or ():
            if each["key"] == "kubernetes.io/hostname":
                return str(each["values"][0])
    return ""


def bind_for(simulation: Sim, pod: KubeDict, node: str) -> None:
    """The claims of a pod that is given to a node are bound there."""
    for name in of_pod(pod):
        claim = store.find(simulation.world, CLAIMS, f"{namespace_of(pod)}/{name}")
        if claim is not None and not _bound(claim):
            _provision(simulation, claim, node)


def _provision(simulation: Sim, claim: KubeDict, node: str) -> None:
    spec, size = claim["spec"], claim["spec"]["resources"]["requests"]["storage"]
    volume = f"pvc-{claim['metadata']['uid']}"
    path = f"/opt/local-path-provisioner/{volume}_{namespace_of(claim)}_{name_of(claim)}"
    term = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}
    creating.make(
        simulation, VOLUMES,
        {
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {"name": volume, "annotations": {"pv.kubernetes.io/provisioned-by": _PROVISIONER}},
            "spec": {
                "accessModes": spec["accessModes"], "capacity": {"storage": size},
                "claimRef": {
                    "apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": name_of(claim),
                    "namespace": namespace_of(claim), "uid": claim["metadata"]["uid"],
                },
                "hostPath": {"path": path, "type": "DirectoryOrCreate"},
                "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}},
                "persistentVolumeReclaimPolicy": "Delete", "storageClassName": spec.get("storageClassName", ""),
                "volumeMode": "Filesystem",
            },
        },
    )  # fmt: skip
    kept = store.find(simulation.world, VOLUMES, f"/{volume}")
    assert kept is not None
    kept["status"] = {"phase": "Bound"}
    store.put(simulation, VOLUMES, kept)
    spec["volumeName"] = volume
    claim["status"] = {"accessModes": spec["accessModes"], "capacity": {"storage": size}, "phase": "Bound"}
    store.put(simulation, CLAIMS, claim)
    done = f"Successfully provisioned volume {volume}"
    events_log.record(simulation, claim, "Normal", "ProvisioningSucceeded", done, _PROVISIONER)


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    """A new claim is looked at; the volume of one that is gone goes with it."""
    world = simulation.world
    if event.store != CLAIMS:
        return
    if event.gone:
        for volume in list(store.objects(world, VOLUMES)):
            found = volume["spec"].get("claimRef") or {}
            if f"{found.get('namespace')}/{found.get('name')}" == event.key:
                store.remove(simulation, VOLUMES, f"/{name_of(volume)}")
        return
    claim = store.find(world, CLAIMS, event.key)
    if claim is None or claim.get("status"):
        return
    claim["status"] = {"phase": "Pending"}
    store.put(simulation, CLAIMS, claim)
    name = claim["spec"].get("storageClassName", "")
    if not name:
        text = "no persistent volumes available for this claim and no storage class is set"
        events_log.record(simulation, claim, "Normal", "FailedBinding", text, _COMPONENT)
    elif _class_of(world, claim) is None:
        text = f'storageclass.storage.k8s.io "{name}" not found'
        events_log.record(simulation, claim, "Warning", "ProvisioningFailed", text, _COMPONENT)
    elif _waits(world, claim):
        text = "waiting for first consumer to be created before binding"
        events_log.record(simulation, claim, "Normal", "WaitForFirstConsumer", text, _COMPONENT)
    else:
        text = (
            f"Waiting for a volume to be created either by the external provisioner "
            f"'{(_class_of(world, claim) or {})['provisioner']}' or manually by the system administrator. If volume "
            "creation is delayed, please verify that the provisioner is running and correctly registered."
        )
        events_log.record(simulation, claim, "Normal", "ExternalProvisioning", text, _COMPONENT)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)
