"""Time-slicing: a GPU that NVIDIA's plugin offers several times over.

The policy's `devicePlugin.config` names a ConfigMap of the operator's namespace and a key of it; there
`sharing.timeSlicing` has `renameByDefault` and, for each resource, `replicas` (k8s-device-plugin 0.17, README: Shared
Access to GPUs). A replica's id is the device's with `::N`; a renamed resource ends in `.shared`, and without renaming
gpu-feature-discovery adds -SHARED to the product. failRequestsGreaterThanOne and limits to some devices are ignored.
"""

from __future__ import annotations

from typing import Any

from engine.control.kubernetes import store
from engine.control.kubernetes.device_plugins.mig import Offers
from engine.control.kubernetes.gpu_operator import operands
from engine.world.records import KubeDevice
from engine.world.world import World

RENAMED = ".shared"


def settings(world: World) -> tuple[bool, dict[str, int]]:
    """Whether resources are renamed, and the replicas of those that are shared."""
    policy = operands.policy(world) or {}
    named = ((policy.get("spec") or {}).get("devicePlugin") or {}).get("config") or {}
    if not named.get("name") or not named.get("default"):
        return False, {}
    import yaml

    kept = store.look(world, "configmaps", f"{operands.NAMESPACE}/{named['name']}") or {}
    text = (kept.get("data") or {}).get(named["default"], "")
    try:
        document: Any = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}
        slicing = (document.get("sharing") or {}).get("timeSlicing") or {}
        found = {str(each["name"]): int(each["replicas"]) for each in slicing.get("resources") or ()}
    except (yaml.YAMLError, AttributeError, KeyError, TypeError, ValueError):
        return False, {}
    return bool(slicing.get("renameByDefault")), {name: count for name, count in found.items() if count > 1}


def share(world: World, offers: Offers) -> Offers:
    """What is offered, with each shared device as many times as it has replicas."""
    renamed, replicas = settings(world)
    found: Offers = {}
    for resource, devices in offers.items():
        count = replicas.get(resource, 1)
        if count == 1:
            found[resource] = devices
            continue
        copies = tuple(KubeDevice(f"{each.id}::{number}") for each in devices for number in range(count))
        found[resource + RENAMED if renamed else resource] = copies
    return found


def labels(world: World, found: dict[str, str]) -> dict[str, str]:
    """Labels of whole GPUs (without `nvidia.com/`) under time-slicing."""
    renamed, replicas = settings(world)
    count = replicas.get("nvidia.com/gpu", 1)
    if count == 1:
        return found
    product = found["gpu.product"] if renamed else f"{found['gpu.product']}-SHARED"
    return found | {"gpu.product": product, "gpu.replicas": str(count), "gpu.sharing-strategy": "time-slicing"}
