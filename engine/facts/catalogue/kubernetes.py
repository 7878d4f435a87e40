"""Kubernetes: nodes, what they can be given, pods and workloads, storage, DNS, images."""

from __future__ import annotations

from engine.control.kubernetes import control_plane, devices, pod_status, registries, runtime, store, workload_status
from engine.control.kubernetes.gpu_operator import operands
from engine.control.kubernetes.objects import KubeDict, labels_of
from engine.facts.fact import View, fact
from engine.facts.kinds import Host

_GPU = "nvidia.com/gpu"


@fact("kubernetes.serves")
def serves(view: View) -> bool:
    """Whether the API server answers."""
    return view.world.inventory.kubernetes is not None and control_plane.serves(view.world)


@fact("kubernetes.node_ready")
def node_ready(view: View, host: Host) -> bool:
    """Whether a node of the cluster is Ready."""
    known = store.exists(view.world, store.NODES, f"/{host}")
    return known and view.world.kube_nodes[host].ready == "True"


@fact("kubernetes.schedulable")
def schedulable(view: View, host: Host) -> bool:
    """Whether a node takes new pods: it is neither cordoned nor tainted NoSchedule."""
    node = store.find(view.world, store.NODES, f"/{host}")
    if node is None or node["spec"].get("unschedulable"):
        return False
    return not any(each["effect"] in ("NoSchedule", "NoExecute") for each in node["spec"].get("taints") or ())


@fact("kubernetes.cordoned")
def cordoned(view: View, host: Host) -> bool:
    """Whether somebody has cordoned a node."""
    node = store.find(view.world, store.NODES, f"/{host}")
    return node is not None and bool(node["spec"].get("unschedulable"))


@fact("kubernetes.gpus")
def gpus(view: View, host: Host) -> int:
    """How many GPUs of a node pods may be given: nvidia.com/gpu in its allocatable."""
    return devices.allocatable(view.world, host).get(_GPU, 0)


@fact("kubernetes.allocatable")
def allocatable(view: View, host: Host, resource: str) -> int:
    """How many devices of a resource, by its name (nvidia.com/mig-1g.10gb), pods of a node may be given."""
    return devices.allocatable(view.world, host).get(resource, 0)


@fact("kubernetes.label")
def label(view: View, host: Host, name: str) -> str:
    """The value of a node's label, or none if the node does not bear it."""
    node = store.look(view.world, store.NODES, f"/{host}")
    return str(labels_of(node).get(name, "none")) if node else "none"


@fact("kubernetes.has_runtime")
def has_runtime(view: View, host: Host, name: str) -> bool:
    """Whether containerd of a node knows a runtime."""
    return name in runtime.handlers(view.world, host)


@fact("kubernetes.operands_ready")
def operands_ready(view: View, host: Host) -> bool:
    """Whether the GPU Operator's device plugin and validator run on a node."""
    keys = [operands.pod_on(view.world, host, prefix) for prefix in ("nvidia-device-plugin-", operands.VALIDATOR)]
    pods = [store.look(view.world, store.PODS, key) for key in keys if key]
    return len(pods) == len(keys) and all(pod is not None and pod_status.is_pod_ready(view.world, pod) for pod in pods)


@fact("kubernetes.gpus_held")
def gpus_held(view: View, host: Host) -> int:
    """How many GPUs of a node pods hold."""
    return sum(resource == _GPU for resource, _ in devices.held(view.world, host))


@fact("kubernetes.phase")
def phase(view: View, namespace: str, pod: str) -> str:
    """The phase of a pod: Pending, Running, Succeeded, Failed, or none if there is no such pod."""
    found = store.find(view.world, store.PODS, f"{namespace}/{pod}")
    if found is None:
        return "none"
    run = pod_status.run_of(view.world, found)
    return run.phase if run else "Pending"


@fact("kubernetes.pod_ready")
def pod_ready(view: View, namespace: str, pod: str) -> bool:
    """Whether a pod is there and Ready."""
    found = store.find(view.world, store.PODS, f"{namespace}/{pod}")
    return found is not None and pod_status.is_pod_ready(view.world, found)


@fact("kubernetes.ready_pods")
def ready_pods(view: View, namespace: str, app: str) -> int:
    """How many pods with the label app=... are Ready in a namespace."""
    return sum(pod_status.is_pod_ready(view.world, pod) for pod in _labelled(view, namespace, app))


@fact("kubernetes.waiting_pods")
def waiting_pods(view: View, namespace: str) -> int:
    """How many pods of a namespace have no node yet."""
    return sum(not pod["spec"].get("nodeName") for pod in store.objects(view.world, store.PODS, namespace))


@fact("kubernetes.pods_on")
def pods_on(view: View, host: Host, namespace: str) -> int:
    """How many pods of a namespace a node has that have not ended."""
    return sum(
        pod["spec"].get("nodeName") == host and not workload_status.is_over(view.world, pod)
        for pod in store.objects(view.world, store.PODS, namespace)
    )


@fact("kubernetes.claim_bound")
def claim_bound(view: View, namespace: str, claim: str) -> bool:
    """Whether a claim for storage has its volume."""
    found = store.find(view.world, "persistentvolumeclaims", f"{namespace}/{claim}")
    return found is not None and (found.get("status") or {}).get("phase") == "Bound"


@fact("kubernetes.attachment")
def attachment(view: View, namespace: str, name: str) -> bool:
    """Whether a namespace has a NetworkAttachmentDefinition of a name."""
    return store.exists(view.world, "network-attachment-definitions.k8s.cni.cncf.io", f"{namespace}/{name}")


@fact("kubernetes.dns")
def dns(view: View) -> bool:
    """Whether a CoreDNS pod is Ready, so that names of Services are found."""
    return any(
        pod_status.is_pod_ready(view.world, pod) for pod in _labelled(view, "kube-system", "kube-dns", key="k8s-app")
    )


@fact("kubernetes.pulls")
def pulls(view: View, host: Host, image: str) -> bool:
    """Whether a node could pull an image now."""
    try:
        registries.check(view.world, host, registries.canonical(image))
    except registries.PullRefused:
        return False
    return True


def _labelled(view: View, namespace: str, value: str, key: str = "app") -> list[KubeDict]:
    return [pod for pod in store.objects(view.world, store.PODS, namespace) if labels_of(pod).get(key) == value]
