"""The control plane of a kubeadm cluster: static pods on its hosts, who answers, and what its health says.

etcd, kube-apiserver, kube-controller-manager and kube-scheduler are static pods: the kubelet runs what lies in
/etc/kubernetes/manifests and follows changes of that folder. The API server needs etcd. Texts: kube-apiserver's
/readyz?verbose (k8s.io/apiserver/pkg/server/healthz) and Go's net package.
"""

from __future__ import annotations

from ipaddress import ip_network

from engine.control import files, host_names, network
from engine.control.kubernetes.objects import KubeDict
from engine.control.kubernetes.status_error import NoServer
from engine.world.inventory import Kubernetes
from engine.world.records import BootPhase
from engine.world.world import World

ETCD, API_SERVER = "etcd", "kube-apiserver"
CONTROLLER_MANAGER, SCHEDULER = "kube-controller-manager", "kube-scheduler"
STATIC_PODS = (ETCD, API_SERVER, CONTROLLER_MANAGER, SCHEDULER)
MANIFESTS = "/etc/kubernetes/manifests"
PORT = 6443

_CHECKS = (
    "ping", "log", "etcd", "etcd-readiness", "informer-sync", "poststarthook/start-apiserver-admission-initializer",
    "poststarthook/generic-apiserver-start-informers", "poststarthook/priority-and-fairness-config-consumer",
    "poststarthook/priority-and-fairness-filter", "poststarthook/storage-object-count-tracker-hook",
    "poststarthook/start-apiextensions-informers", "poststarthook/start-apiextensions-controllers",
    "poststarthook/crd-informer-synced", "poststarthook/start-system-namespaces-controller",
    "poststarthook/start-cluster-authentication-info-controller",
    "poststarthook/start-kube-apiserver-identity-lease-controller",
    "poststarthook/start-kube-apiserver-identity-lease-garbage-collector",
    "poststarthook/start-legacy-token-tracking-controller", "poststarthook/start-service-ip-repair-controllers",
    "poststarthook/rbac/bootstrap-roles", "poststarthook/scheduling/bootstrap-system-priority-classes",
    "poststarthook/priority-and-fairness-config-producer", "poststarthook/bootstrap-controller",
    "poststarthook/aggregator-reload-proxy-client-cert", "poststarthook/start-kube-aggregator-informers",
    "poststarthook/apiservice-status-local-available-controller",
    "poststarthook/apiservice-status-remote-available-controller", "poststarthook/apiservice-registration-controller",
    "poststarthook/apiservice-discovery-controller", "poststarthook/kube-apiserver-autoregistration",
    "autoregister-completion", "poststarthook/apiservice-openapi-controller",
    "poststarthook/apiservice-openapiv3-controller", "shutdown",
)  # fmt: skip


def cluster(world: World) -> Kubernetes | None:
    """The site's cluster, or None."""
    return world.inventory.kubernetes


def main_host(world: World) -> str:
    """The control plane's first host, at which kubeconfigs point. The site must have a cluster."""
    own = world.inventory.kubernetes
    assert own is not None
    return own.control_plane[0]


def url(world: World) -> str:
    """`https://10.20.0.20:6443`."""
    return f"https://{host_names.resolve(world, main_host(world))}:{PORT}"


def service_address(world: World, number: int) -> str:
    """An address of the services' network: 1 is the API server's, 10 that of DNS."""
    own = world.inventory.kubernetes
    assert own is not None
    return str(ip_network(own.service_network).network_address + number)


def manifest_path(name: str) -> str:
    """Where a static pod's manifest lies."""
    return f"{MANIFESTS}/{name}.yaml"


def runs(world: World, name: str) -> bool:
    """Whether a static pod of the control plane is up: the kubelet has started it, and its host runs."""
    host = main_host(world)
    if world.nodes[host].phase is not BootPhase.RUNNING:
        return False
    return name not in world.kube_nodes[host].stopped


def wanted(world: World, host: str, name: str) -> bool:
    """Whether the manifest of a static pod lies where the kubelet looks."""
    return not files.removed(world, host, manifest_path(name))


def serves(world: World) -> bool:
    """Whether the API server answers requests."""
    return runs(world, API_SERVER) and runs(world, ETCD)


def controls(world: World) -> bool:
    """Whether controllers act."""
    return serves(world) and runs(world, CONTROLLER_MANAGER)


def schedules(world: World) -> bool:
    """Whether the scheduler acts."""
    return serves(world) and runs(world, SCHEDULER)


def reach(world: World, source: str = "") -> None:
    """Nothing, where the API server can be asked from a host. Raises NoServer."""
    if cluster(world) is None:
        raise NoServer("connect: connection refused")
    host = main_host(world)
    if world.nodes[host].phase is not BootPhase.RUNNING or (source and not network.reachable(world, source, host)):
        raise NoServer("i/o timeout")
    if not serves(world):
        raise NoServer("connect: connection refused")


def version(world: World) -> KubeDict:
    """The answer to /version (build data of the release are guesses beside its numbers)."""
    text = world.software.get("kubernetes", "1.32.4")
    major, minor, _ = text.split(".")
    return {
        "major": major, "minor": minor, "gitVersion": f"v{text}", "gitTreeState": "clean",
        "gitCommit": "59526cd4867447956156ae3a602fcbac10a2c335", "buildDate": "2025-04-22T16:02:27Z",
        "goVersion": "go1.23.6", "compiler": "gc", "platform": "linux/amd64",
    }  # fmt: skip


def health(path: str) -> tuple[int, str]:
    """Status and body of /readyz, /livez, /healthz. Without etcd the server does not answer at all here."""
    plain, _, query = path.partition("?")
    word = plain.strip("/")
    if word not in ("readyz", "livez", "healthz"):
        return 404, "404 page not found"
    if "verbose" not in query:
        return 200, "ok"
    left_out = {"readyz": (), "livez": ("etcd-readiness", "informer-sync", "shutdown")}.get(word, ("shutdown",))
    lines = [f"[+]{name} ok" for name in _CHECKS if name not in left_out]
    return 200, "\n".join([*lines, f"{word} check passed", ""])
