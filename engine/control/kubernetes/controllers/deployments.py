"""The Deployment controller: a ReplicaSet for each pod template, and rolling updates between them
(pkg/controller/deployment).
"""

from __future__ import annotations

from copy import deepcopy

from engine.control.kubernetes import control_plane, creating, deleting, events_log, pod_status, store, workload_status
from engine.control.kubernetes.objects import (
    KubeDict,
    controller_of,
    freeze,
    name_of,
    namespace_of,
    owner_reference,
    template_hash,
)
from engine.control.kubernetes.workload_status import REVISION, bounds, owned, revision
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.world import World

Sim = Simulation[World]
HASH = "pod-template-hash"
_COMPONENT = "deployment-controller"


def sync(simulation: Sim, key: str) -> None:
    """Bring a Deployment's ReplicaSets nearer to what it asks for."""
    world = simulation.world
    thing = store.find(world, store.DEPLOYMENTS, key)
    if thing is None or thing["metadata"].get("deletionTimestamp") or not control_plane.controls(world):
        return
    if thing["spec"].get("paused"):
        _scale_proportionally(simulation, thing)
        return
    newest = _newest(simulation, thing)
    if newest is None:
        return
    old = [each for each in owned(world, store.REPLICA_SETS, thing) if name_of(each) != name_of(newest)]
    if thing["spec"]["strategy"]["type"] == "Recreate":
        _recreate(simulation, thing, newest, old)
    else:
        _roll(simulation, thing, newest, old)
    _clean_up(simulation, thing, old)


def _template(replica: KubeDict) -> str:
    """A ReplicaSet's template without the hash that the controller put in."""
    template = deepcopy(replica["spec"]["template"])
    template["metadata"].get("labels", {}).pop(HASH, None)
    return freeze(template)


def _newest(simulation: Sim, thing: KubeDict) -> KubeDict | None:
    """The ReplicaSet of the present template; it is made where there is none, and gets the next revision."""
    world = simulation.world
    sets = owned(world, store.REPLICA_SETS, thing)
    highest = max((revision(each) for each in sets), default=0)
    own = freeze(thing["spec"]["template"])
    found = next((each for each in sets if _template(each) == own), None)
    if found is None:
        _mark(simulation, thing, highest + 1)
        return _make(simulation, thing, highest + 1, bool(sets))
    found = store.find(world, store.REPLICA_SETS, store.key_of(found))
    assert found is not None
    if revision(found) < highest:
        found["metadata"].setdefault("annotations", {})[REVISION] = str(highest + 1)
        store.put(simulation, store.REPLICA_SETS, found)
        _mark(simulation, thing, highest + 1)
    return found


def _mark(simulation: Sim, thing: KubeDict, number: int) -> None:
    """The Deployment bears the revision of its newest ReplicaSet."""
    notes = thing["metadata"].setdefault("annotations", {})
    if notes.get(REVISION) != str(number):
        notes[REVISION] = str(number)
        store.put(simulation, store.DEPLOYMENTS, thing)


def _make(simulation: Sim, thing: KubeDict, number: int, update: bool) -> KubeDict | None:
    """A new ReplicaSet: with everything at once for a first one, else with what the surge lets."""
    template = deepcopy(thing["spec"]["template"])
    mark = template_hash(template)
    template["metadata"].setdefault("labels", {})[HASH] = mark
    name, wanted = f"{name_of(thing)}-{mark}", thing["spec"].get("replicas", 1)
    surge = bounds(thing)[0]
    notes = {
        "deployment.kubernetes.io/desired-replicas": str(wanted),
        "deployment.kubernetes.io/max-replicas": str(wanted + surge),
        REVISION: str(number),
    }
    selector = deepcopy(thing["spec"]["selector"])
    selector.setdefault("matchLabels", {})[HASH] = mark
    count = 0 if update else wanted
    replica: KubeDict = {
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {
            "annotations": notes, "labels": template["metadata"]["labels"], "name": name,
            "namespace": namespace_of(thing), "ownerReferences": [owner_reference(thing)],
        },
        "spec": {"replicas": 0, "selector": selector, "template": template},
    }  # fmt: skip
    made = creating.make(simulation, store.REPLICA_SETS, replica)
    if count:
        _scale(simulation, thing, made, count)
    return store.find(simulation.world, store.REPLICA_SETS, store.key_of(made))


def _scale(simulation: Sim, thing: KubeDict, replica: KubeDict, count: int) -> None:
    """A ReplicaSet of the Deployment gets another size."""
    now = store.find(simulation.world, store.REPLICA_SETS, store.key_of(replica))
    if now is None or now["spec"]["replicas"] == count:
        return
    before = now["spec"]["replicas"]
    way = "up" if count > before else "down"
    text = f"Scaled {way} replica set {name_of(replica)} from {before} to {count}"
    events_log.record(simulation, thing, "Normal", "ScalingReplicaSet", text, _COMPONENT)
    now["spec"]["replicas"] = count
    now["metadata"]["generation"] = now["metadata"].get("generation", 1) + 1
    notes = now["metadata"].setdefault("annotations", {})
    wanted = thing["spec"].get("replicas", 1)
    notes["deployment.kubernetes.io/desired-replicas"] = str(wanted)
    notes["deployment.kubernetes.io/max-replicas"] = str(wanted + bounds(thing)[0])
    store.put(simulation, store.REPLICA_SETS, now)


def _size(simulation: Sim, replica: KubeDict) -> int:
    now = store.find(simulation.world, store.REPLICA_SETS, store.key_of(replica))
    return int(now["spec"]["replicas"]) if now else 0


def _roll(simulation: Sim, thing: KubeDict, newest: KubeDict, old: list[KubeDict]) -> None:
    """A rolling update: up as far as the surge lets, down as far as enough are available."""
    wanted = thing["spec"].get("replicas", 1)
    surge, missing = bounds(thing)
    total = sum(_size(simulation, each) for each in old) + _size(simulation, newest)
    if not any(_size(simulation, each) for each in old):
        _scale(simulation, thing, newest, wanted)
        return
    room = wanted + surge - total
    size = _size(simulation, newest)
    if size > wanted:
        _scale(simulation, thing, newest, wanted)
    elif room > 0:
        _scale(simulation, thing, newest, min(wanted, size + room))
    _shrink_old(simulation, thing, newest, old, wanted - missing)


def _shrink_old(simulation: Sim, thing: KubeDict, newest: KubeDict, old: list[KubeDict], least: int) -> None:
    """Old ReplicaSets go down: first what is not ready, then as many as leave enough available ones."""
    world = simulation.world
    for replica in sorted(old, key=revision):
        size = _size(simulation, replica)
        unready = size - _available(world, replica)
        if unready > 0:
            _scale(simulation, thing, replica, size - unready)
    spare = sum(_available(world, each) for each in [newest, *old]) - least
    for replica in sorted(old, key=revision):
        size = _size(simulation, replica)
        step = min(size, max(0, spare))
        if step:
            _scale(simulation, thing, replica, size - step)
            spare -= step


def _available(world: World, replica: KubeDict) -> int:
    pods = owned(world, store.PODS, replica)
    return sum(workload_status.is_active(world, pod) and pod_status.is_pod_ready(world, pod) for pod in pods)


def _recreate(simulation: Sim, thing: KubeDict, newest: KubeDict, old: list[KubeDict]) -> None:
    """All old pods go before new ones come."""
    for replica in old:
        _scale(simulation, thing, replica, 0)
    left = [pod for each in old for pod in owned(simulation.world, store.PODS, each)]
    if not any(not workload_status.is_over(simulation.world, pod) for pod in left):
        _scale(simulation, thing, newest, thing["spec"].get("replicas", 1))


def _scale_proportionally(simulation: Sim, thing: KubeDict) -> None:
    """A paused Deployment is still scaled, if one ReplicaSet alone has pods."""
    sets = [each for each in owned(simulation.world, store.REPLICA_SETS, thing) if _size(simulation, each)]
    if len(sets) == 1:
        _scale(simulation, thing, sets[0], thing["spec"].get("replicas", 1))


def _clean_up(simulation: Sim, thing: KubeDict, old: list[KubeDict]) -> None:
    """Old ReplicaSets beyond the history's limit go."""
    empty = [each for each in old if not _size(simulation, each)]
    for replica in sorted(empty, key=revision)[: max(0, len(empty) - thing["spec"].get("revisionHistoryLimit", 10))]:
        deleting.now(simulation, store.REPLICA_SETS, store.key_of(replica))


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    if event.store == store.DEPLOYMENTS and not event.gone:
        sync(simulation, event.key)
    elif event.store in (store.REPLICA_SETS, store.PODS):
        for key in _concerned(simulation.world, event):
            sync(simulation, key)


def _concerned(world: World, event: KubeObjectChanged) -> list[str]:
    """The Deployment above a ReplicaSet or a pod; of one that is gone, those whose name begins it."""
    namespace, _, name = event.key.partition("/")
    thing = None if event.gone else store.look(world, event.store, event.key)
    if thing is None:
        known = store.keys(world, store.DEPLOYMENTS, namespace)
        return [key for key in known if name.startswith(f"{key.partition('/')[2]}-")]
    owner = controller_of(thing)
    if owner is not None and owner["kind"] == "ReplicaSet":
        replica = store.look(world, store.REPLICA_SETS, f"{namespace}/{owner['name']}")
        owner = controller_of(replica) if replica else None
    return [f"{namespace}/{owner['name']}"] if owner is not None and owner["kind"] == "Deployment" else []


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)
