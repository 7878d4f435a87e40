"""Probes in a first form: readiness and liveness as the program's own state decides, at the kubelet's moments.

A program serves from `ready` after its start on (engine.control.kubernetes.programs). A readiness probe sees that at
its next turn (initial delay, then each period); without one a container is ready when it runs. A program that never
serves is told Unhealthy at each probe. Liveness probes of programs that run succeed.
"""

from __future__ import annotations

from engine.control.kubernetes import programs, registries, store
from engine.control.kubernetes.kubelet import launching, runs
from engine.control.kubernetes.objects import KubeDict
from engine.control.kubernetes.programs import Launch
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.records import ContainerRun
from engine.world.world import World

Sim = Simulation[World]


def next_probe(simulation: Sim, pod: KubeDict, each: ContainerRun) -> int | None:
    """The next moment at which the kubelet may find a container ready; None for one that is."""
    if each.state != "running" or each.ready is not None:
        return None
    probe = runs.spec_of(pod, each.name).get("readinessProbe")
    if probe is None:
        return simulation.now
    first = each.started + int(probe.get("initialDelaySeconds", 0)) * SECOND + SECOND
    period = int(probe.get("periodSeconds", 10)) * SECOND
    serves = _serves(simulation, pod, each)
    aim = max(first, simulation.now + 1 if serves is None else max(serves, simulation.now))
    return first + -(-(aim - first) // period) * period


def probe(simulation: Sim, pod: KubeDict, each: ContainerRun) -> bool:
    """A look at a running container. Gives whether it has become ready."""
    if each.ready is not None:
        return False
    spec, key = runs.spec_of(pod, each.name), store.key_of(pod)
    serves = _serves(simulation, pod, each)
    if spec.get("readinessProbe") is None or (serves is not None and serves <= simulation.now):
        runs.change_container(simulation, key, each.name, ready=simulation.now)
        return True
    runs.say(
        simulation, pod, "Warning", "Unhealthy", f"Readiness probe failed: {_failure(simulation, pod, spec)}", each.name
    )
    return False


def _serves(simulation: Sim, pod: KubeDict, each: ContainerRun) -> int | None:
    """When a running container begins to serve; None if it never does."""
    world, node = simulation.world, simulation.world.kube_pods[store.key_of(pod)].node
    spec = runs.spec_of(pod, each.name)
    held = registries.find_held(world, node, spec["image"])
    gpus = launching.gpus_of(world, pod, each.name, node)
    launch = Launch(node, pod, spec, gpus, held.image.kind if held else "")
    ready = programs.program(simulation, launch).ready
    return None if ready is None else each.started + ready


def _failure(simulation: Sim, pod: KubeDict, spec: KubeDict) -> str:
    """The kubelet's words for an endpoint that refuses the connection."""
    probe = spec["readinessProbe"]
    address = simulation.world.kube_pods[store.key_of(pod)].address
    get = probe.get("httpGet")
    port = (get or probe.get("tcpSocket") or {}).get("port", 0)
    named = {each.get("name"): each["containerPort"] for each in spec.get("ports") or ()}
    place = f"{address}:{named.get(port, port)}"
    if get:
        url = f"{get.get('scheme', 'HTTP').lower()}://{place}{get.get('path', '/')}"
        return f'Get "{url}": dial tcp {place}: connect: connection refused'
    return f"dial tcp {place}: connect: connection refused" if probe.get("tcpSocket") else "command failed"
