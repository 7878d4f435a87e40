"""New objects: identity, defaults, and the way into etcd, for clients and controllers alike."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any

from engine.control.kubernetes import defaults, store
from engine.control.kubernetes.objects import KubeDict, owner_reference, random_name, time_text, uid_of
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.world.world import World

_GENERATION = frozenset(
    {store.DEPLOYMENTS, store.REPLICA_SETS, store.DAEMON_SETS, store.STATEFUL_SETS, store.JOBS,
     "cronjobs.batch", "ingresses.networking.k8s.io",
     "poddisruptionbudgets.policy", "networkpolicies.networking.k8s.io"}
)  # fmt: skip
"""Stores whose objects count the changes of their specs."""


def counts_generations(of_store: str) -> bool:
    """Whether objects of a store bear metadata.generation; those of custom resources do, too."""
    return of_store in _GENERATION


def admit(simulation: Simulation[World], of_store: str, thing: KubeDict, *, custom: bool = False) -> KubeDict:
    """Give a new object its name, uid, time and defaults. It is changed in place, and returned."""
    world, metadata = simulation.world, thing["metadata"]
    number = world.kube[""].names
    world.kube.update("", names=number + 1)
    if not metadata.get("name"):
        metadata["name"] = metadata["generateName"] + random_name(world.seed, f"{metadata['generateName']}/{number}", 5)
    metadata["uid"] = uid_of(world.seed, f"{of_store}/{store.key_of(thing)}/{number}")
    metadata["creationTimestamp"] = time_text(world.inventory, simulation.now)
    for name in ("resourceVersion", "selfLink", "deletionTimestamp", "managedFields"):
        metadata.pop(name, None)
    if counts_generations(of_store) or custom:
        metadata["generation"] = 1
    for name in ("labels", "annotations"):
        if name in metadata and not metadata[name]:
            del metadata[name]
    thing.pop("status", None)
    defaults.fill(world, of_store, thing)
    if of_store == store.SERVICES:
        _address(world, thing)
    return thing


def make(simulation: Simulation[World], of_store: str, thing: KubeDict, *, custom: bool = False) -> KubeDict:
    """A new object comes into the cluster. Returns it."""
    return store.put(simulation, of_store, admit(simulation, of_store, thing, custom=custom))


def of_template(owner: KubeDict, template: KubeDict) -> KubeDict:
    """The pod that a controller means by a template, before it has a name of its own."""
    from copy import deepcopy

    metadata: KubeDict = {
        "generateName": f"{owner['metadata']['name']}-",
        "namespace": owner["metadata"]["namespace"],
        "ownerReferences": [owner_reference(owner)],
    }
    for name in ("labels", "annotations"):
        if template.get("metadata", {}).get(name):
            metadata[name] = dict(template["metadata"][name])
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": deepcopy(template["spec"])}


def owned_pod(simulation: Simulation[World], owner: KubeDict, template: KubeDict, **more: Any) -> KubeDict:
    """A controller makes a pod of its template; `more` are values for its spec. Returns it."""
    pod = of_template(owner, template)
    pod["metadata"] |= more.pop("metadata", {})
    pod["spec"] |= more
    return make(simulation, store.PODS, pod)


def _address(world: World, service: KubeDict) -> None:
    """A Service gets an address of the services' network that nobody has."""
    spec, cluster = service["spec"], world.inventory.kubernetes
    if spec["type"] == "ExternalName" or spec.get("clusterIP") or cluster is None:
        if spec.get("clusterIP"):
            spec.setdefault("clusterIPs", [spec["clusterIP"]])
        return
    network = ip_network(cluster.service_network)
    taken = {each["spec"].get("clusterIP") for each in store.objects(world, store.SERVICES)}
    draw = 0
    while (address := str(network.network_address + _number(world, service, draw, network.num_addresses))) in taken:
        draw += 1
    spec |= {"clusterIP": address, "clusterIPs": [address]}
    if spec["type"] in ("NodePort", "LoadBalancer"):
        for index, port in enumerate(spec.get("ports", ())):
            port.setdefault("nodePort", 30_000 + hash64(world.seed, "node port", address, index) % 2768)


def _number(world: World, service: KubeDict, draw: int, size: int) -> int:
    """The place of an address; the first 256 are kept for those that ask for one."""
    return 256 + hash64(world.seed, "cluster address", store.key_of(service), draw) % (size - 512)
