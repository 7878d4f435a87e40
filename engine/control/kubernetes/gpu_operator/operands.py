"""Operands of the GPU Operator on a node: their labels, and whether their containers run.

The operator puts a label `nvidia.com/gpu.deploy.<operand>` on nodes with an NVIDIA device; the DaemonSets select it
(controllers/state_manager.go). `nvidia.com/gpu.deploy.operands=false` on a node keeps every operand away from it.
"""

from __future__ import annotations

from engine.control.kubernetes import store
from engine.control.kubernetes.kubelet import runs
from engine.control.kubernetes.objects import KubeDict, labels_of
from engine.world.records import ContainerRun
from engine.world.world import World

NAMESPACE = "gpu-operator"
POLICIES = "clusterpolicies.nvidia.com"
DEPLOY = "nvidia.com/gpu.deploy."
KEEP_AWAY = f"{DEPLOY}operands"
PCI_DEVICE = "feature.node.kubernetes.io/pci-10de.present"
COMPONENTS = (
    ("container-toolkit", "true"), ("dcgm", "true"), ("dcgm-exporter", "true"), ("device-plugin", "true"),
    ("driver", "pre-installed"), ("gpu-feature-discovery", "true"), ("mig-manager", "true"),
    ("node-status-exporter", "true"), ("operator-validator", "true"),
)  # fmt: skip
"""Operands and the values that their labels get, where the driver came with the system."""

WORKER, DISCOVERY = "gpu-operator-node-feature-discovery-worker-", "gpu-feature-discovery-"
VALIDATOR, MANAGER = "nvidia-operator-validator-", "nvidia-mig-manager-"


def policy(world: World) -> KubeDict | None:
    """The cluster's policy, or None where no operator was installed."""
    return next(store.objects(world, POLICIES), None)


def pod_on(world: World, node: str, prefix: str) -> str | None:
    """The key of a node's pod of an operand, or None."""
    begin = f"{NAMESPACE}/{prefix}"
    return next((key for key, _ in runs.of_node(world, node) if key.startswith(begin)), None)


def running(world: World, node: str, prefix: str) -> ContainerRun | None:
    """The running container of an operand on a node, or None."""
    key = pod_on(world, node, prefix)
    found = world.kube_pods[key].containers if key else ()
    return next((each for each in found if each.state == "running"), None)


def validated(world: World, node: str, container: str) -> bool:
    """Whether an init container of the validator has ended well: the file /run/nvidia/validations/toolkit-ready and
    its like, which go with the validator's pod.
    """
    key = pod_on(world, node, VALIDATOR)
    found = world.kube_pods[key].init if key else ()
    return any(each.name == container and each.ended is not None and each.ended.exit_code == 0 for each in found)


def set_labels(thing: KubeDict, wanted: dict[str, str], owned: tuple[str, ...]) -> bool:
    """Make the labels of an object that begin with one of `owned` what is wanted. Gives whether something changed."""
    before = dict(labels_of(thing))
    kept = {key: value for key, value in before.items() if not key.startswith(owned)}
    after = kept | wanted
    thing["metadata"]["labels"] = after
    return after != before
