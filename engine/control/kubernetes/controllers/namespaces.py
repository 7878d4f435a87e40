"""The namespace controller: what every namespace has, and the end of one that is going."""

from __future__ import annotations

from typing import Any

from engine.control.kubernetes import control_plane, creating, deleting, registries, store
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.world import World

Sim = Simulation[World]


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    """A new namespace gets its service account and the CA's certificate; one whose last pod is gone ends."""
    world = simulation.world
    if event.store == store.PODS and event.gone:
        deleting.end_namespace(simulation, event.key.partition("/")[0])
    if event.store != store.NAMESPACES or event.gone or not control_plane.controls(world):
        return
    name = event.key.partition("/")[2]
    kept = store.find(world, store.NAMESPACES, event.key)
    if kept is None or kept["metadata"].get("deletionTimestamp"):
        return
    wanted: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
        ("configmaps", "ConfigMap", "kube-root-ca.crt", {"data": {"ca.crt": registries.authority(world, 0)}}),
        ("serviceaccounts", "ServiceAccount", "default", {}),
    )
    for of_store, kind, own, more in wanted:
        if not store.exists(world, of_store, f"{name}/{own}"):
            metadata = {"name": own, "namespace": name}
            creating.make(simulation, of_store, {"apiVersion": "v1", "kind": kind, "metadata": metadata, **more})


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)
