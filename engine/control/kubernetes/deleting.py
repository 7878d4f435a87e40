"""How objects go: pods with a grace period, owners before or after what they own, namespaces with everything inside.

Background: the owner goes at once, the garbage collector removes what it owned. Foreground is the same here, as nothing
takes time but pods. Orphan: what it owned loses its owner (pkg/controller/garbagecollector).
"""

from __future__ import annotations

from engine.control.kubernetes import pod_status, store
from engine.control.kubernetes.objects import KubeDict, namespace_of, time_of, time_text
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World

Sim = Simulation[World]


def pod(simulation: Sim, key: str, grace: int | None = None) -> KubeDict | None:
    """A pod is told to go within `grace` seconds (None: its own). One that no kubelet has, or that has ended and is not
    held, goes at once. Gives the pod, as it was left.
    """
    world = simulation.world
    thing = store.find(world, store.PODS, key)
    if thing is None:
        return None
    run = pod_status.run_of(world, thing)
    if grace is None:
        grace = int(thing["spec"].get("terminationGracePeriodSeconds", 30))
    if run is None or grace == 0 or run.phase in ("Succeeded", "Failed"):
        store.remove(simulation, store.PODS, key)
        return thing
    before = thing["metadata"].get("deletionTimestamp")
    due = simulation.now + grace * SECOND
    if before is None or time_of(world.inventory, before) > due:
        thing["metadata"]["deletionTimestamp"] = time_text(world.inventory, due)
        thing["metadata"]["deletionGracePeriodSeconds"] = grace
        store.put(simulation, store.PODS, thing)
    return thing


def now(simulation: Sim, of_store: str, key: str, propagation: str = "Background") -> None:
    """An object goes, and what it owned follows, or ("Orphan") is left alone."""
    world = simulation.world
    thing = store.find(world, of_store, key)
    if thing is None:
        return
    if propagation == "Orphan":
        _orphan(simulation, thing)
    store.remove(simulation, of_store, key)
    if propagation != "Orphan":
        collect(simulation, thing["metadata"]["uid"], namespace_of(thing))


def collect(simulation: Sim, uid: str, namespace: str) -> None:
    """The garbage collector removes what an owner that is gone had."""
    for of_store, key in list(_dependants(simulation.world, uid, namespace)):
        if of_store == store.PODS:
            pod(simulation, key)
        else:
            now(simulation, of_store, key)


def _dependants(world: World, uid: str, namespace: str) -> list[tuple[str, str]]:
    """(store, key) of what an owner had; only its namespace is looked at where it has one."""
    found = []
    for full in world.kube_objects.changed():
        of_store, _, key = full.partition("/")
        if namespace and not key.startswith(f"{namespace}/"):
            continue
        if uid in world.kube_objects[full].manifest:
            thing = store.find(world, of_store, key)
            owners = (thing or {"metadata": {}})["metadata"].get("ownerReferences") or ()
            if any(owner["uid"] == uid for owner in owners):
                found.append((of_store, key))
    return found


def _orphan(simulation: Sim, owner: KubeDict) -> None:
    uid = owner["metadata"]["uid"]
    for of_store, key in _dependants(simulation.world, uid, namespace_of(owner)):
        thing = store.find(simulation.world, of_store, key)
        if thing is not None:
            kept = [each for each in thing["metadata"]["ownerReferences"] if each["uid"] != uid]
            thing["metadata"]["ownerReferences"] = kept
            if not kept:
                del thing["metadata"]["ownerReferences"]
            store.put(simulation, of_store, thing)


def namespace(simulation: Sim, name: str) -> None:
    """A namespace goes with everything in it; it is Terminating while a pod is left."""
    world = simulation.world
    thing = store.find(world, store.NAMESPACES, f"/{name}")
    if thing is None:
        return
    if thing["metadata"].get("deletionTimestamp") is None:
        thing["metadata"]["deletionTimestamp"] = time_text(world.inventory, simulation.now)
        store.put(simulation, store.NAMESPACES, thing)
    inside = [
        full.partition("/")[::2]
        for full in world.kube_objects.changed()
        if full.partition("/")[2].startswith(f"{name}/")
    ]
    for of_store, key in sorted(inside, key=lambda each: each[0] == store.PODS):
        if of_store == store.PODS:
            pod(simulation, key)
        else:
            store.remove(simulation, of_store, key)
    end_namespace(simulation, name)


def end_namespace(simulation: Sim, name: str) -> None:
    """A namespace that is going and has no pods left is gone."""
    world = simulation.world
    thing = store.find(world, store.NAMESPACES, f"/{name}")
    if thing is not None and thing["metadata"].get("deletionTimestamp") and not store.keys(world, store.PODS, name):
        for key in world.kube_events.changed():
            if key.startswith(f"{name}/"):
                world.kube_events.forget(key)
        store.remove(simulation, store.NAMESPACES, f"/{name}")
