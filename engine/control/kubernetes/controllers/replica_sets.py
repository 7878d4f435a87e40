"""The ReplicaSet controller: as many pods as are wanted (pkg/controller/replicaset).

It makes pods in bursts that double (1, 2, 4 ...), which takes no time here, and removes first those that are pending,
then those that are not ready, then the youngest. In place of pods that a kubelet rejected it makes others every 11 s:
reports tell of 5 a minute (pytorch/ci-infra#1057) and of 200 a minute (NVIDIA/k8s-device-plugin#2039).
"""

from __future__ import annotations

from engine.control.kubernetes import (
    control_plane,
    creating,
    deleting,
    events_log,
    pod_status,
    quotas,
    store,
    workload_status,
)
from engine.control.kubernetes.objects import KubeDict, controller_of, name_of, namespace_of
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.kubernetes_events import KubeObjectChanged, ReplicasDue
from engine.world.world import World

Sim = Simulation[World]
_COMPONENT = "replicaset-controller"
_REJECTED = 11 * SECOND


def sync(simulation: Sim, key: str) -> None:
    """Make or remove pods of a ReplicaSet."""
    world = simulation.world
    thing = store.find(world, store.REPLICA_SETS, key)
    if thing is None or thing["metadata"].get("deletionTimestamp") or not control_plane.controls(world):
        return
    pods = [pod for pod in workload_status.owned(world, store.PODS, thing) if workload_status.is_active(world, pod)]
    lacking = thing["spec"].get("replicas", 1) - len(pods)
    if lacking > 0 and (wait := _pause(simulation, thing)) > 0:
        simulation.schedule(ReplicasDue(key, thing["metadata"]["uid"]), wait)
        return
    for _ in range(lacking):
        if quotas.holds_back(simulation, thing, _COMPONENT):
            return
        pod = creating.owned_pod(simulation, thing, thing["spec"]["template"])
        text = f"Created pod: {name_of(pod)}"
        events_log.record(simulation, thing, "Normal", "SuccessfulCreate", text, _COMPONENT)
    if lacking < 0:
        for pod in sorted(pods, key=lambda each: _rank(world, each))[:-lacking]:
            text = f"Deleted pod: {name_of(pod)}"
            events_log.record(simulation, thing, "Normal", "SuccessfulDelete", text, _COMPONENT)
            deleting.pod(simulation, store.key_of(pod))


def _pause(simulation: Sim, thing: KubeDict) -> int:
    """How long the controller is still busy after a kubelet rejected one of its pods (ns)."""
    world = simulation.world
    runs = (pod_status.run_of(world, pod) for pod in workload_status.owned(world, store.PODS, thing))
    rejected = [run.taken for run in runs if run and run.phase == "Failed" and run.reason and run.taken is not None]
    return max(rejected) + _REJECTED - simulation.now if rejected else 0


def _due(simulation: Sim, event: ReplicasDue) -> None:
    thing = store.look(simulation.world, store.REPLICA_SETS, event.key)
    if thing is not None and thing["metadata"]["uid"] == event.uid:
        sync(simulation, event.key)


def _rank(world: World, pod: KubeDict) -> tuple[int, int, int]:
    """What goes first has the lowest."""
    run = pod_status.run_of(world, pod)
    age = -run.bound if run else 0
    return int(run is not None and run.phase == "Running"), int(pod_status.is_pod_ready(world, pod)), age


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    freed = quotas.concerns(simulation.world, event.store, event.key, event.gone)
    for key in store.keys(simulation.world, store.REPLICA_SETS, freed) if freed else ():
        sync(simulation, key)
    if event.store == store.REPLICA_SETS and not event.gone:
        sync(simulation, event.key)
    elif event.store == store.PODS:
        for key in _concerned(simulation.world, event):
            sync(simulation, key)


def _concerned(world: World, event: KubeObjectChanged) -> list[str]:
    """The ReplicaSets that a pod may belong to: its own, or when it is gone those of its namespace whose name it
    has.
    """
    namespace, _, name = event.key.partition("/")
    pod = None if event.gone else store.look(world, store.PODS, event.key)
    if pod is not None:
        owner = controller_of(pod)
        return [f"{namespace_of(pod)}/{owner['name']}"] if owner and owner["kind"] == "ReplicaSet" else []
    begin = name.rpartition("-")[0]
    return [key for key in store.keys(world, store.REPLICA_SETS, namespace) if key == f"{namespace}/{begin}"]


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed), (ReplicasDue, _due))
