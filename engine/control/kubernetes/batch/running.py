"""Whether an operator's Deployment has a pod that is ready: only then does it act."""

from __future__ import annotations

from engine.control.kubernetes import control_plane, pod_status, store
from engine.world.world import World


def is_up(world: World, namespace: str, deployment: str) -> bool:
    """Whether it can act: its own pod and the API server are there."""
    begin = f"{namespace}/{deployment}-"
    return control_plane.serves(world) and any(
        store.key_of(pod).startswith(begin) and pod_status.is_pod_ready(world, pod)
        for pod in store.objects(world, store.PODS, namespace)
    )
