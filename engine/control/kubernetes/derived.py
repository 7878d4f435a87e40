"""Resources that follow from others: Endpoints and EndpointSlices of Services, Leases, ComponentStatuses."""

from __future__ import annotations

from engine.control import host_names
from engine.control.kubernetes import control_plane, node_status, pod_status, selectors, store
from engine.control.kubernetes.objects import (
    KubeDict,
    labels_of,
    name_of,
    namespace_of,
    random_name,
    time_text,
    uid_of,
)
from engine.kernel.simulation import Simulation
from engine.world.world import World

Sim = Simulation[World]


def backends(simulation: Sim, service: KubeDict) -> list[tuple[KubeDict, bool]]:
    """The pods with an address that a Service selects, each with whether it is ready."""
    world, selector = simulation.world, service["spec"].get("selector")
    if not selector:
        return []
    found = []
    for pod in store.objects(world, store.PODS, namespace_of(service)):
        run = pod_status.run_of(world, pod)
        fits = selectors.matches({"matchLabels": selector}, labels_of(pod))
        if fits and run and run.address and run.phase in ("Pending", "Running"):
            leaving = pod["metadata"].get("deletionTimestamp") is not None
            found.append((pod, pod_status.is_pod_ready(world, pod) and not leaving))
    return found


def endpoints(simulation: Sim) -> list[KubeDict]:
    """An Endpoints object for each Service with a selector, and the API server's."""
    return [_endpoints(simulation, each) for each in store.objects(simulation.world, store.SERVICES) if _has(each)]


def _has(service: KubeDict) -> bool:
    return bool(service["spec"].get("selector")) or _is_api_server(service)


def _is_api_server(service: KubeDict) -> bool:
    return (namespace_of(service), name_of(service)) == ("default", "kubernetes")


def _endpoints(simulation: Sim, service: KubeDict) -> KubeDict:
    world = simulation.world
    subsets: list[KubeDict] = []
    if _is_api_server(service):
        address = host_names.resolve(world, control_plane.main_host(world))
        ports = [{"name": "https", "port": control_plane.PORT, "protocol": "TCP"}]
        subsets = [{"addresses": [{"ip": address}], "ports": ports}]
    else:
        found = backends(simulation, service)
        subset: KubeDict = {}
        for word, wanted in (("addresses", True), ("notReadyAddresses", False)):
            if addresses := [_address(world, pod) for pod, ready in found if ready == wanted]:
                subset[word] = sorted(addresses, key=lambda each: _octets(str(each["ip"])))
        if subset:
            pod = found[0][0]
            subset["ports"] = [_port(port, pod) for port in service["spec"].get("ports", ())]
            subsets = [subset]
    found_labels = dict(labels_of(service))
    return _object(world, "v1", "Endpoints", service, name_of(service), found_labels) | (
        {"subsets": subsets} if subsets else {}
    )


def _octets(address: str) -> tuple[int, ...]:
    return tuple(map(int, address.split(".")))


def _address(world: World, pod: KubeDict) -> KubeDict:
    run = pod_status.run_of(world, pod)
    assert run is not None
    target = {
        "kind": "Pod", "name": name_of(pod), "namespace": namespace_of(pod), "uid": pod["metadata"]["uid"],
    }  # fmt: skip
    return {"ip": run.address, "nodeName": run.node, "targetRef": target}


def target_port(port: KubeDict, pod: KubeDict) -> int:
    """The number of a Service's port at a pod: a target's name is looked up among the pod's ports."""
    target = port.get("targetPort", port["port"])
    if isinstance(target, int):
        return target
    for each in pod["spec"]["containers"]:
        for own in each.get("ports") or ():
            if own.get("name") == target:
                return int(own["containerPort"])
    return 0


def _port(port: KubeDict, pod: KubeDict) -> KubeDict:
    found: KubeDict = {"port": target_port(port, pod), "protocol": port.get("protocol", "TCP")}
    return ({"name": port["name"]} if port.get("name") else {}) | found


def endpoint_slices(simulation: Sim) -> list[KubeDict]:
    """An EndpointSlice for each Service with a selector, and the API server's."""
    return [
        _slice(simulation, service)
        for service in store.objects(simulation.world, store.SERVICES)
        if _has(service)
    ]  # fmt: skip


def _slice(simulation: Sim, service: KubeDict) -> KubeDict:
    world, found = simulation.world, []
    if _is_api_server(service):
        name, ports = "kubernetes", [{"name": "https", "port": control_plane.PORT, "protocol": "TCP"}]
        found = [
            {"addresses": [host_names.resolve(world, control_plane.main_host(world))], "conditions": {"ready": True}}
        ]
    else:
        name = f"{name_of(service)}-{random_name(world.seed, 'slice/' + store.key_of(service), 5)}"
        pods = backends(simulation, service)
        ports = [_port(port, pods[0][0]) for port in service["spec"].get("ports", ())] if pods else []
        for pod, ready in pods:
            address = _address(world, pod)
            found.append(
                {
                    "addresses": [address["ip"]],
                    "conditions": {"ready": ready, "serving": ready, "terminating": False},
                    "nodeName": address["nodeName"],
                    "targetRef": address["targetRef"],
                }
            )
    labels = {"kubernetes.io/service-name": name_of(service)} | dict(labels_of(service))
    thing = _object(world, "discovery.k8s.io/v1", "EndpointSlice", service, name, labels)
    return thing | {"addressType": "IPv4", "endpoints": found or None, "ports": ports}


def _object(
    world: World, api_version: str, kind: str, service: KubeDict, name: str, labels: dict[str, str]
) -> KubeDict:
    metadata: KubeDict = {
        "creationTimestamp": service["metadata"]["creationTimestamp"], "name": name,
        "namespace": namespace_of(service), "resourceVersion": service["metadata"]["resourceVersion"],
        "uid": uid_of(world.seed, f"{kind}/{store.key_of(service)}"),
    }  # fmt: skip
    if labels:
        metadata["labels"] = labels
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata}


def leases(simulation: Sim) -> list[KubeDict]:
    """The leases of kubelets, and those of the controller manager and the scheduler."""
    world = simulation.world
    found = []
    for node in store.objects(world, store.NODES):
        name = name_of(node)
        beat = node_status.heartbeat(simulation, name)
        found.append(_lease(world, "kube-node-lease", name, name, beat, 40, node["metadata"]["creationTimestamp"]))
    host = control_plane.main_host(world)
    created = time_text(world.inventory, world.nodes[host].booted_at)
    for name in (control_plane.CONTROLLER_MANAGER, control_plane.SCHEDULER):
        holder = f"{host}_{uid_of(world.seed, name)}"
        found.append(_lease(world, "kube-system", name, holder, simulation.now, 15, created))
    return found


def _lease(world: World, namespace: str, name: str, holder: str, renewed: int, lasts: int, created: str) -> KubeDict:
    text = time_text(world.inventory, renewed)
    return {
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {
            "creationTimestamp": created, "name": name, "namespace": namespace,
            "resourceVersion": str(world.kube[""].version), "uid": uid_of(world.seed, f"lease/{namespace}/{name}"),
        },
        "spec": {
            "holderIdentity": holder, "leaseDurationSeconds": lasts, "renewTime": text.replace("Z", ".000000Z"),
        },
    }  # fmt: skip


def component_statuses(simulation: Sim) -> list[KubeDict]:
    """The old view of the control plane's health."""
    world, found = simulation.world, []
    names = {"scheduler": control_plane.SCHEDULER, "controller-manager": control_plane.CONTROLLER_MANAGER}
    for name in ("controller-manager", "scheduler", "etcd-0"):
        well = control_plane.runs(world, names.get(name, control_plane.ETCD))
        port = 10257 if name == "controller-manager" else 10259
        refused = f'Get "https://127.0.0.1:{port}/healthz": dial tcp 127.0.0.1:{port}: connect: connection refused'
        condition = {"message": "ok" if well else refused, "status": "True" if well else "False", "type": "Healthy"}
        metadata = {"creationTimestamp": None, "name": name}
        found.append({"apiVersion": "v1", "conditions": [condition], "kind": "ComponentStatus", "metadata": metadata})
    return found
