"""etcd, as far as the cluster needs one: objects by resource, namespace and name, with resource versions.

An object lies here without its status, which is worked out (engine.control.kubernetes.reading). Keys are ordered as
etcd orders them: by namespace, then name.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.control.kubernetes.objects import KubeDict, freeze, name_of, namespace_of, seen, thaw
from engine.control.kubernetes.resources import Resource
from engine.kernel.simulation import Simulation
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.records import KubeObject
from engine.world.world import World

PODS, NODES, DEPLOYMENTS, REPLICA_SETS = "pods", "nodes", "deployments.apps", "replicasets.apps"
DAEMON_SETS, JOBS, NAMESPACES = "daemonsets.apps", "jobs.batch", "namespaces"
STATEFUL_SETS, SERVICES = "statefulsets.apps", "services"


def key_of(thing: KubeDict) -> str:
    """`default/trainer-0`; `/gpu-01` for objects of the whole cluster."""
    return f"{namespace_of(thing)}/{name_of(thing)}"


def find(world: World, store: str, key: str) -> KubeDict | None:
    """The object, without its status, or None. What is returned is the caller's own."""
    kept = world.kube_objects[f"{store}/{key}"].manifest
    return thaw(kept) if kept else None


def exists(world: World, store: str, key: str) -> bool:
    """Whether there is such an object."""
    return bool(world.kube_objects[f"{store}/{key}"].manifest)


def keys(world: World, store: str, namespace: str = "") -> list[str]:
    """Keys of a resource's objects, in order; of one namespace, or ("") of all."""
    begin = f"{store}/{namespace}/" if namespace else f"{store}/"
    return [each.removeprefix(f"{store}/") for each in world.kube_objects.beginning(begin)]


def objects(world: World, store: str, namespace: str = "") -> Iterator[KubeDict]:
    """A resource's objects, in order, without their status, for looking alone: who changes one asks `find` for it."""
    for key in keys(world, store, namespace):
        yield seen(world.kube_objects[f"{store}/{key}"].manifest)


def look(world: World, store: str, key: str) -> KubeDict | None:
    """The object, without its status, for looking alone; or None."""
    kept = world.kube_objects[f"{store}/{key}"].manifest
    return seen(kept) if kept else None


def touch(simulation: Simulation[World]) -> int:
    """The next resource version."""
    version = simulation.world.kube.update("", version=simulation.world.kube[""].version + 1).version
    return version


def put(simulation: Simulation[World], store: str, thing: KubeDict) -> KubeDict:
    """Write an object with a new resource version, and tell who watches. Returns it."""
    thing["metadata"]["resourceVersion"] = str(touch(simulation))
    kept = {name: value for name, value in thing.items() if name != "status" or store not in _DERIVED}
    simulation.world.kube_objects[f"{store}/{key_of(thing)}"] = KubeObject(freeze(kept))
    simulation.schedule(KubeObjectChanged(store, key_of(thing)), 0)
    return thing


def remove(simulation: Simulation[World], store: str, key: str) -> None:
    """An object goes, and who watches is told."""
    if exists(simulation.world, store, key):
        touch(simulation)
        simulation.world.kube_objects.forget(f"{store}/{key}")
        simulation.schedule(KubeObjectChanged(store, key, gone=True), 0)


def of(resource: Resource) -> str:
    """The store of a resource."""
    return resource.store


_DERIVED = frozenset(
    {PODS, NODES, DEPLOYMENTS, REPLICA_SETS, DAEMON_SETS, STATEFUL_SETS, "poddisruptionbudgets.policy", "namespaces"}
)
"""Stores whose objects' status is worked out when somebody looks, and not kept."""
