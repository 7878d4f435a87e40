"""Names as a pod finds them: its resolv.conf, and what CoreDNS answers (plugins kubernetes and forward).

A Service is `NAME.NAMESPACE.svc.cluster.local`; a name with fewer than five dots is tried with the pod's search domains
first (ndots:5). Names outside of the cluster are the node's. Without a ready CoreDNS pod, or with another kubelet's
dnsPolicy than ClusterFirst for a pod on the host's network, nobody answers for cluster names.
"""

from __future__ import annotations

from engine.control import host_names
from engine.control.kubernetes import control_plane, pod_status, selectors, store
from engine.control.kubernetes.objects import KubeDict, labels_of
from engine.kernel.quick_dataclass import dataclass
from engine.world.world import World

DOMAIN = "cluster.local"
_DOTS = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query gave: the full name, its addresses (none: NXDOMAIN for `name`), and whether anybody answered."""

    name: str
    addresses: tuple[str, ...] = ()
    answered: bool = True


def server(world: World) -> str:
    """The address of the Service kube-dns."""
    return control_plane.service_address(world, 10)


def resolv_conf(world: World, namespace: str) -> str:
    """/etc/resolv.conf of a pod with dnsPolicy ClusterFirst."""
    domains = f"{namespace}.svc.{DOMAIN} svc.{DOMAIN} {DOMAIN}"
    return f"search {domains}\nnameserver {server(world)}\noptions ndots:{_DOTS}\n"


def pod_of(world: World, host: str, container: str) -> KubeDict | None:
    """The pod that a container of a host belongs to, or None."""
    for key in world.kube_pods.changed():
        run = world.kube_pods[key]
        if run.node == host and any(each.id == container for each in (*run.init, *run.containers)):
            return store.look(world, store.PODS, key)
    return None


def query(world: World, namespace: str, name: str) -> Answer:
    """What a program of a pod in a namespace learns of a name."""
    if not _answers(world):
        return Answer(name, answered=False)
    plain = name.rstrip(".")
    searched = [f"{plain}.{domain}" for domain in (f"{namespace}.svc.{DOMAIN}", f"svc.{DOMAIN}", DOMAIN)]
    first, last = ([], [plain]) if name.endswith(".") else (searched, [plain])
    for full in [*first, *last] if plain.count(".") < _DOTS else [*last, *first]:
        addresses = _lookup(world, full)
        if addresses:
            return Answer(full, addresses)
    return Answer(plain)


def _answers(world: World) -> bool:
    """Whether a pod of CoreDNS is ready."""
    pods = store.objects(world, store.PODS, "kube-system")
    return any(labels_of(pod).get("k8s-app") == "kube-dns" and pod_status.is_pod_ready(world, pod) for pod in pods)


def _lookup(world: World, full: str) -> tuple[str, ...]:
    if not full.endswith(f".{DOMAIN}"):
        address = host_names.resolve(world, full)
        return (address,) if address else ()
    parts = full.removesuffix(f".svc.{DOMAIN}").split(".")
    if len(parts) != 2 or not full.endswith(f".svc.{DOMAIN}"):
        return ()
    service = store.look(world, store.SERVICES, f"{parts[1]}/{parts[0]}")
    if service is None:
        return ()
    address = service["spec"].get("clusterIP", "")
    return (address,) if address != "None" else _headless(world, service)


def _headless(world: World, service: KubeDict) -> tuple[str, ...]:
    """The ready pods of a Service without an address of its own."""
    selector = {"matchLabels": service["spec"].get("selector") or {}}
    namespace = service["metadata"]["namespace"]
    found = []
    for pod in store.objects(world, store.PODS, namespace):
        run = pod_status.run_of(world, pod)
        if run and selectors.matches(selector, labels_of(pod)) and pod_status.is_pod_ready(world, pod):
            found.append(run.address)
    return tuple(found)
