"""Static pods of the control plane and their mirrors in the API (kubeadm's manifests, shortened).

A kubelet runs what lies in /etc/kubernetes/manifests and shows it as a mirror pod that the Node owns; a deleted mirror
comes back. A manifest that is taken away ends its pod.
"""

from __future__ import annotations

from engine.control import host_names
from engine.control.kubernetes import control_plane, creating, store
from engine.control.kubernetes.objects import KubeDict
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.inventory import stable_hexadecimal
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.world import World

Sim = Simulation[World]
_IMAGES = {control_plane.ETCD: "etcd:3.5.16-0"}
_CPU = {"etcd": "100m", "kube-apiserver": "250m", "kube-controller-manager": "200m", "kube-scheduler": "100m"}
_PORTS = {"etcd": 2381, "kube-apiserver": 6443, "kube-controller-manager": 10257, "kube-scheduler": 10259}


def image(world: World, name: str) -> str:
    """The image of a component."""
    return "registry.k8s.io/" + _IMAGES.get(name, f"{name}:v{world.software.get('kubernetes', '')}")


def command(world: World, name: str) -> list[str]:
    """The words of a component's first process."""
    host = control_plane.main_host(world)
    address, cluster = host_names.resolve(world, host), world.inventory.kubernetes
    assert cluster is not None
    folder = "/etc/kubernetes/pki"
    options = {
        "etcd": [
            f"--advertise-client-urls=https://{address}:2379", f"--cert-file={folder}/etcd/server.crt",
            "--client-cert-auth=true", "--data-dir=/var/lib/etcd", f"--initial-cluster={host}=https://{address}:2380",
            f"--listen-client-urls=https://127.0.0.1:2379,https://{address}:2379",
            "--listen-metrics-urls=http://127.0.0.1:2381", f"--name={host}",
            f"--trusted-ca-file={folder}/etcd/ca.crt",
        ],
        "kube-apiserver": [
            f"--advertise-address={address}", "--allow-privileged=true", "--authorization-mode=Node,RBAC",
            f"--client-ca-file={folder}/ca.crt", "--enable-admission-plugins=NodeRestriction",
            "--etcd-servers=https://127.0.0.1:2379", "--secure-port=6443",
            f"--service-cluster-ip-range={cluster.service_network}", f"--tls-cert-file={folder}/apiserver.crt",
            f"--tls-private-key-file={folder}/apiserver.key",
        ],
        "kube-controller-manager": [
            "--allocate-node-cidrs=true", "--bind-address=127.0.0.1", f"--cluster-cidr={cluster.pod_network}",
            "--cluster-name=kubernetes", "--controllers=*,bootstrapsigner,tokencleaner",
            "--kubeconfig=/etc/kubernetes/controller-manager.conf", "--leader-elect=true",
            f"--service-cluster-ip-range={cluster.service_network}", "--use-service-account-credentials=true",
        ],
        "kube-scheduler": [
            "--authentication-kubeconfig=/etc/kubernetes/scheduler.conf",
            "--authorization-kubeconfig=/etc/kubernetes/scheduler.conf", "--bind-address=127.0.0.1",
            "--kubeconfig=/etc/kubernetes/scheduler.conf", "--leader-elect=true",
        ],
    }[name]  # fmt: skip
    return [name, *options]


def manifest(world: World, name: str) -> KubeDict:
    """The pod that lies in the folder of manifests."""
    port = _PORTS[name]
    container: KubeDict = {
        "command": command(world, name),
        "image": image(world, name),
        "imagePullPolicy": "IfNotPresent",
        "livenessProbe": {
            "failureThreshold": 8,
            "httpGet": {
                "host": "127.0.0.1", "path": "/livez", "port": port, "scheme": "HTTP" if name == "etcd" else "HTTPS",
            },
            "initialDelaySeconds": 10, "periodSeconds": 10, "timeoutSeconds": 15,
        },
        "name": name,
        "resources": {"requests": {"cpu": _CPU[name]} | ({"memory": "100Mi"} if name == "etcd" else {})},
    }  # fmt: skip
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"labels": {"component": name, "tier": "control-plane"}, "name": name, "namespace": "kube-system"},
        "spec": {
            "containers": [container], "hostNetwork": True, "priority": 2000001000,
            "priorityClassName": "system-node-critical",
            "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        },
    }  # fmt: skip


def mirror(simulation: Sim, host: str, name: str) -> None:
    """The kubelet shows a static pod in the API."""
    world = simulation.world
    pod = manifest(world, name)
    node = store.find(world, store.NODES, f"/{host}")
    if node is None or store.exists(world, store.PODS, f"kube-system/{name}-{host}"):
        return
    mark = stable_hexadecimal(32, world.inventory.name, host, name, "static")
    pod["metadata"] |= {
        "annotations": {
            "kubernetes.io/config.hash": mark, "kubernetes.io/config.mirror": mark,
            "kubernetes.io/config.seen": node["metadata"]["creationTimestamp"].replace("Z", ".000000000Z"),
            "kubernetes.io/config.source": "file",
        },
        "name": f"{name}-{host}",
        "ownerReferences": [
            {
                "apiVersion": "v1", "controller": True, "kind": "Node", "name": host, "uid": node["metadata"]["uid"],
            }
        ],
    }  # fmt: skip
    pod["spec"] |= {"nodeName": host, "tolerations": [{"effect": "NoExecute", "operator": "Exists"}]}
    creating.make(simulation, store.PODS, pod)


def follow(simulation: Sim, host: str, before: tuple[str, ...], stopped: tuple[str, ...]) -> None:
    """Manifests were taken away or put back."""
    for name in stopped:
        if name not in before:
            store.remove(simulation, store.PODS, f"kube-system/{name}-{host}")
    for name in before:
        if name not in stopped:
            mirror(simulation, host, name)
    if before and not stopped:
        wake(simulation)


def wake(simulation: Sim) -> None:
    """Controllers and scheduler that come back look at everything."""
    for of_store in (store.DEPLOYMENTS, store.REPLICA_SETS, store.DAEMON_SETS, store.JOBS, store.NODES):
        for key in store.keys(simulation.world, of_store):
            simulation.schedule(KubeObjectChanged(of_store, key), 0)


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    """A mirror that somebody deleted comes back while its manifest is there."""
    world = simulation.world
    cluster = world.inventory.kubernetes
    if event.store != store.PODS or not event.gone or cluster is None:
        return
    for host in cluster.control_plane:
        for name in control_plane.STATIC_PODS:
            if event.key == f"kube-system/{name}-{host}" and name not in world.kube_nodes[host].stopped:
                mirror(simulation, host, name)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)
