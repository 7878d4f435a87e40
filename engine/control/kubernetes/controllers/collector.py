"""The garbage collector's part in what happens by itself: pods of a node that was deleted go."""

from __future__ import annotations

from engine.control.kubernetes import store
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.world import World


def _changed(simulation: Simulation[World], event: KubeObjectChanged) -> None:
    """Pods bound to a node that is no more are removed (pkg/controller/podgc)."""
    if event.store == store.NODES and event.gone:
        name = event.key.partition("/")[2]
        for pod in list(store.objects(simulation.world, store.PODS)):
            if pod["spec"].get("nodeName") == name:
                store.remove(simulation, store.PODS, store.key_of(pod))


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)
