"""The StatefulSet controller in a first form: pods with numbers, made in order, each when the one before it is ready,
and removed from the last (pkg/controller/statefulset). Claims of volumeClaimTemplates are made with their pod and stay.
Updates replace pods from the last, one at a time.
"""

from __future__ import annotations

from copy import deepcopy

from engine.control.kubernetes import control_plane, creating, deleting, events_log, pod_status, store, workload_status
from engine.control.kubernetes.controllers.claims import CLAIMS
from engine.control.kubernetes.objects import KubeDict, controller_of, name_of, namespace_of, template_hash
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.world import World

Sim = Simulation[World]
HASH = "controller-revision-hash"
_COMPONENT = "statefulset-controller"


def sync(simulation: Sim, key: str) -> None:
    """Make, replace or remove one pod, if it is time."""
    world = simulation.world
    thing = store.find(world, store.STATEFUL_SETS, key)
    if thing is None or thing["metadata"].get("deletionTimestamp") or not control_plane.controls(world):
        return
    wanted = thing["spec"].get("replicas", 1)
    pods = {name_of(pod): pod for pod in workload_status.owned(world, store.PODS, thing)}
    for number in range(wanted):
        pod = pods.get(f"{name_of(thing)}-{number}")
        if pod is None:
            _make(simulation, thing, number)
            return
        if workload_status.is_over(world, pod):
            _delete(simulation, thing, pod)
            return
        settled = pod_status.is_pod_ready(world, pod) and not pod["metadata"].get("deletionTimestamp")
        if not settled and thing["spec"].get("podManagementPolicy") != "Parallel":
            return
    extra = [pod for name, pod in pods.items() if int(name.rpartition("-")[2]) >= wanted]
    old = [pod for pod in pods.values() if _hash(pod) != template_hash(thing["spec"]["template"])]
    going = [pod for pod in pods.values() if pod["metadata"].get("deletionTimestamp")]
    for pod in sorted(extra or old, key=lambda each: -int(name_of(each).rpartition("-")[2]))[:1]:
        if not going:
            _delete(simulation, thing, pod)


def _hash(pod: KubeDict) -> str:
    return str((pod["metadata"].get("labels") or {}).get(HASH, ""))


def _make(simulation: Sim, thing: KubeDict, number: int) -> None:
    name, namespace = f"{name_of(thing)}-{number}", namespace_of(thing)
    template = deepcopy(thing["spec"]["template"])
    labels = template.setdefault("metadata", {}).setdefault("labels", {})
    labels |= {
        HASH: template_hash(thing["spec"]["template"]),
        "apps.kubernetes.io/pod-index": str(number),
        "statefulset.kubernetes.io/pod-name": name,
    }
    for claim in thing["spec"].get("volumeClaimTemplates") or ():
        _claim(simulation, claim, name, namespace)
        own = claim["metadata"]["name"]
        volume = {"name": own, "persistentVolumeClaim": {"claimName": f"{own}-{name}"}}
        template["spec"].setdefault("volumes", []).append(volume)
    creating.owned_pod(
        simulation, thing, template, hostname=name, subdomain=thing["spec"].get("serviceName", ""),
        metadata={"name": name},
    )  # fmt: skip
    text = f"create Pod {name} in StatefulSet {name_of(thing)} successful"
    events_log.record(simulation, thing, "Normal", "SuccessfulCreate", text, _COMPONENT)


def _claim(simulation: Sim, template: KubeDict, pod: str, namespace: str) -> None:
    name = f"{template['metadata']['name']}-{pod}"
    if not store.exists(simulation.world, CLAIMS, f"{namespace}/{name}"):
        claim = {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": namespace},
            "spec": deepcopy(template["spec"]),
        }  # fmt: skip
        creating.make(simulation, CLAIMS, claim)


def _delete(simulation: Sim, thing: KubeDict, pod: KubeDict) -> None:
    text = f"delete Pod {name_of(pod)} in StatefulSet {name_of(thing)} successful"
    events_log.record(simulation, thing, "Normal", "SuccessfulDelete", text, _COMPONENT)
    deleting.pod(simulation, store.key_of(pod))


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    if event.store == store.STATEFUL_SETS and not event.gone:
        sync(simulation, event.key)
    elif event.store == store.PODS:
        namespace, _, name = event.key.partition("/")
        pod = None if event.gone else store.look(simulation.world, store.PODS, event.key)
        owner = controller_of(pod) if pod else None
        if owner is not None and owner["kind"] == "StatefulSet":
            sync(simulation, f"{namespace}/{owner['name']}")
        elif pod is None and store.exists(
            simulation.world, store.STATEFUL_SETS, f"{namespace}/{name.rpartition('-')[0]}"
        ):
            sync(simulation, f"{namespace}/{name.rpartition('-')[0]}")


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)
