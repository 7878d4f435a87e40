"""What the NicClusterPolicy says (Network Operator 24.10): its sections, and the JSON that plugins take from it."""

from __future__ import annotations

import json
from typing import Any

from engine.control.kubernetes import store
from engine.control.kubernetes.objects import KubeDict
from engine.world.world import World

POLICIES = "nicclusterpolicies.mellanox.com"
NAMESPACE = "nvidia-network-operator"


def section(world: World, path: str) -> KubeDict | None:
    """The part of the policy's spec at a path such as secondaryNetwork.multus, or None where it is not asked for."""
    return at(next(store.objects(world, POLICIES), {}), path)


def at(policy: KubeDict, path: str) -> KubeDict | None:
    """The same of one policy."""
    found: Any = policy.get("spec")
    for step in path.split("."):
        found = found.get(step) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None


def listed(world: World, path: str, name: str) -> list[KubeDict]:
    """The list in the JSON text `config` of a section; nothing where that cannot be read."""
    try:
        found: list[KubeDict] = json.loads(str((section(world, path) or {}).get("config", "")))[name]
    except (ValueError, KeyError, TypeError):
        return []
    return [each for each in found if isinstance(each, dict) and each.get("resourceName")]
