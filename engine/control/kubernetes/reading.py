"""What a read of the API gives: objects of etcd with the status that is worked out, and resources that are derived
whole.

Events, Endpoints, EndpointSlices of Services, Leases and ComponentStatuses lie nowhere: they follow from the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.control.kubernetes import autoscaling, derived, events_log, node_status, pod_status, store, workload_status
from engine.control.kubernetes.batch import kai
from engine.control.kubernetes.gpu_operator import cluster_policy
from engine.control.kubernetes.network_operator import networks, policy, settings
from engine.control.kubernetes.objects import KubeDict
from engine.control.kubernetes.resources import Resource
from engine.kernel.simulation import Simulation
from engine.world.world import World

Sim = Simulation[World]

_STATUS: dict[str, Callable[[Sim, KubeDict], KubeDict]] = {
    store.PODS: pod_status.status,
    store.NODES: node_status.status,
    store.DEPLOYMENTS: workload_status.deployment,
    store.REPLICA_SETS: workload_status.replica_set,
    store.DAEMON_SETS: workload_status.daemon_set,
    store.STATEFUL_SETS: workload_status.stateful_set,
    store.NAMESPACES: lambda _, thing: {
        "phase": "Terminating" if thing["metadata"].get("deletionTimestamp") else "Active"
    },
    store.SERVICES: lambda _simulation, _thing: {"loadBalancer": {}},
    "poddisruptionbudgets.policy": workload_status.disruption_budget,
    "clusterpolicies.nvidia.com": cluster_policy.status,
    kai.QUEUES: kai.status,
    autoscaling.STORE: autoscaling.status,
    settings.POLICIES: policy.status,
    **dict.fromkeys(networks.STORES, networks.status),
}

_DERIVED: dict[str, Callable[[Sim], list[KubeDict]]] = {
    "endpoints": derived.endpoints,
    "endpointslices.discovery.k8s.io": derived.endpoint_slices,
    "leases.coordination.k8s.io": derived.leases,
    "componentstatuses": derived.component_statuses,
}


def find(simulation: Sim, resource: Resource, key: str) -> KubeDict | None:
    """One object by namespace/name, or None."""
    if resource.store == "events":
        return _event(simulation, resource, key)
    if resource.store in _DERIVED:
        return next((each for each in _DERIVED[resource.store](simulation) if store.key_of(each) == key), None)
    thing = store.find(simulation.world, resource.store, key)
    return None if thing is None else complete(simulation, resource.store, thing)


def objects(simulation: Sim, resource: Resource, namespace: str = "") -> Iterator[KubeDict]:
    """All objects of a resource, of one namespace or of all, in order."""
    if resource.store == "events":
        for key, event in events_log.living(simulation, namespace):
            yield _as_served(resource, events_log.as_object(simulation.world, key, event))
    elif resource.store in _DERIVED:
        for thing in _DERIVED[resource.store](simulation):
            if not namespace or thing["metadata"].get("namespace") == namespace:
                yield thing
    else:
        for key in store.keys(simulation.world, resource.store, namespace):
            found = store.find(simulation.world, resource.store, key)
            assert found is not None
            yield complete(simulation, resource.store, found)


def complete(simulation: Sim, of_store: str, thing: KubeDict) -> KubeDict:
    """An object of etcd with its status."""
    make = _STATUS.get(of_store)
    if make is not None:
        thing["status"] = make(simulation, thing)
    return thing


def _event(simulation: Sim, resource: Resource, key: str) -> KubeDict | None:
    table = simulation.world.kube_events
    if key not in table or table[key].last <= simulation.now - events_log.TIME_TO_LIVE:
        return None
    return _as_served(resource, events_log.as_object(simulation.world, key, table[key]))


def _as_served(resource: Resource, event: KubeDict) -> KubeDict:
    """An event in the words of the group that was asked (events.k8s.io calls its parts otherwise)."""
    if not resource.group:
        return event
    renamed = {
        "involvedObject": "regarding", "message": "note", "source": "deprecatedSource", "count": "deprecatedCount",
        "firstTimestamp": "deprecatedFirstTimestamp", "lastTimestamp": "deprecatedLastTimestamp",
        "reportingComponent": "reportingController",
    }  # fmt: skip
    return {renamed.get(key, key): value for key, value in event.items()} | {"apiVersion": resource.api_version}
