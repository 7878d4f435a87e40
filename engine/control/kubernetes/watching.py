"""What happens on hosts at large and concerns a cluster's kubelets: given on, if the site has a cluster.

These events are published at every site; the modules that know Kubernetes are imported only where there is one.
"""

from __future__ import annotations

from typing import Any

from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.bus_events import XidReported
from engine.world.events import FileWritten, NodeStopping, NodeUp, ProcessesEnded, ServiceChanged
from engine.world.world import World


def _give_on(simulation: Simulation[World], event: Any) -> None:
    if simulation.world.inventory.kubernetes is None:
        return
    from engine.control.kubernetes.device_plugins import nvidia
    from engine.control.kubernetes.kubelet import node, pods

    for kind, handler in (*node.HOST_HANDLERS, *pods.HOST_HANDLERS, *nvidia.HOST_HANDLERS):
        if type(event) is kind:
            handler(simulation, event)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = tuple(
    (kind, _give_on) for kind in (ServiceChanged, FileWritten, NodeStopping, NodeUp, ProcessesEnded, XidReported)
)
