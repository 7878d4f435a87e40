"""Harm to others' work in a cluster: running pods with devices that no controller brings back, and nodes that it counts
on (engine.control.harm).
"""

from __future__ import annotations

from engine.control import harm
from engine.control.containers import CONTAINER
from engine.control.kubernetes import dns, pod_status, store
from engine.control.kubernetes.objects import KubeDict
from engine.kernel.simulation import Simulation
from engine.world.records import Process
from engine.world.world import World

Sim = Simulation[World]


def is_node(world: World, host: str) -> bool:
    """Whether a host is a node of the cluster."""
    cluster = world.inventory.kubernetes
    return cluster is not None and host in cluster.nodes


def pod_goes(simulation: Sim, pod: KubeDict, cause: str) -> None:
    """Somebody ends a pod."""
    run = pod_status.run_of(simulation.world, pod)
    alone = not pod["metadata"].get("ownerReferences")
    if run is not None and run.phase == "Running" and run.devices and alone:
        harm.record(simulation, "job_killed", f"pod {store.key_of(pod)} on {run.node}", cause)


def node_stops(simulation: Sim, host: str, cause: str) -> None:
    """Somebody takes a node's system down: its pods end, and unless it was cordoned it is missed."""
    node = store.look(simulation.world, store.NODES, f"/{host}")
    for pod in list(store.objects(simulation.world, store.PODS)):
        if pod["spec"].get("nodeName") == host:
            pod_goes(simulation, pod, cause)
    if node is not None and not node["spec"].get("unschedulable"):
        harm.record(simulation, "node_down", host, cause)


def process_goes(simulation: Sim, host: str, process: Process, cause: str) -> None:
    """Somebody kills a process, which may be a pod's."""
    container = dict(process.environment).get(CONTAINER)
    pod = dns.pod_of(simulation.world, host, container) if container else None
    if pod is not None:
        pod_goes(simulation, pod, cause)
