"""The kubelet's record of a pod, and how it changes. Whoever changes it tells the cluster (KubeObjectChanged)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from engine.control import journald, service_state
from engine.control.kubernetes import events_log, store
from engine.control.kubernetes.objects import KubeDict
from engine.kernel.calendar import utc
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND
from engine.world.kubernetes_events import KubeObjectChanged, PodStepDue
from engine.world.records import BootPhase, ContainerRun, PodRun
from engine.world.world import World

Sim = Simulation[World]
KUBELET, CONTAINERD = "kubelet.service", "containerd.service"


def works(world: World, node: str) -> bool:
    """Whether a node's kubelet runs."""
    return world.nodes[node].phase is BootPhase.RUNNING and service_state.is_active(world, node, KUBELET)


def runtime_works(world: World, node: str) -> bool:
    """Whether containerd answers on a node."""
    return service_state.is_active(world, node, CONTAINERD)


def of_node(world: World, node: str) -> Iterator[tuple[str, PodRun]]:
    """The pods that a node has, by key."""
    for key in world.kube_pods.changed():
        if world.kube_pods[key].node == node:
            yield key, world.kube_pods[key]


def change(simulation: Sim, key: str, **changes: Any) -> PodRun:
    """Fields of a pod's record change; watchers of the pod are told."""
    before = simulation.world.kube_pods[key]
    after = simulation.world.kube_pods.update(key, **changes)
    if after != before:
        store.touch(simulation)
    return after


def tell(simulation: Sim, key: str) -> None:
    """Watchers hear that a pod's status is another one."""
    simulation.schedule(KubeObjectChanged(store.PODS, key), 0)


def container(run: PodRun, name: str) -> ContainerRun:
    """A container of a pod. Raises StopIteration for an unknown name."""
    return next(each for each in (*run.init, *run.containers) if each.name == name)


def change_container(simulation: Sim, key: str, name: str, **changes: Any) -> ContainerRun:
    """Fields of a container's record change. Gives the new one."""
    run = simulation.world.kube_pods[key]
    after = replace(container(run, name), **changes)
    parts = {
        part: tuple(after if each.name == name else each for each in getattr(run, part))
        for part in ("init", "containers")
    }
    change(simulation, key, **parts)
    return after


def later(simulation: Sim, key: str, uid: str, name: str, delay: int) -> None:
    """The kubelet goes on with a container (""; the pod) after a while; what it had in mind before is outdated."""
    due = simulation.now + delay
    if name:
        change_container(simulation, key, name, due=due)
    else:
        change(simulation, key, due=due)
    simulation.schedule(PodStepDue(key, uid, name, due), delay)


def spec_of(pod: KubeDict, name: str) -> KubeDict:
    """The spec of a pod's container."""
    found: KubeDict = next(
        each for each in [*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"]]
        if each["name"] == name
    )  # fmt: skip
    return found


def say(
    simulation: Sim, pod: KubeDict, kind: str, reason: str, message: str, name: str = "", *, times: int = 1
) -> None:
    """The kubelet of the pod's node tells an event, about one of its containers if one is named."""
    init = any(each["name"] == name for each in pod["spec"].get("initContainers") or ())
    path = f"spec.{'initContainers' if init else 'containers'}{{{name}}}" if name else ""
    node = simulation.world.kube_pods[store.key_of(pod)].node
    events_log.record(simulation, pod, kind, reason, message, "kubelet", node, path, times)


def log(simulation: Sim, node: str, text: str, level: str = "E") -> None:
    """The kubelet writes to its node's journal, with klog's head."""
    pid = service_state.service(simulation.world, node, KUBELET).pid
    spread = hash64(simulation.seed, node, text) % MILLISECOND
    moment = utc(simulation.world.inventory.start + simulation.now + spread)
    line = f"{level}{moment:%m%d %H:%M:%S.%f} {pid:7d} {text}"
    journald.log(simulation, node, line, source="kubelet", pid=pid, unit=KUBELET)


def log_failure(simulation: Sim, pod: KubeDict, what: str, name: str, reason: str, message: str) -> None:
    """The kubelet writes that it cannot go on with a pod: `what` is StartContainer or CreatePodSandbox of `name`."""
    key, uid = store.key_of(pod), pod["metadata"]["uid"]
    quoted = message.replace("\\", "\\\\").replace('"', '\\\\\\"')
    why = f'failed to \\"{what}\\" for \\"{name}\\" with {reason}: \\"{quoted}\\"'
    text = f'pod_workers.go:1301] "Error syncing pod, skipping" err="{why}" pod="{key}" podUID="{uid}"'
    log(simulation, simulation.world.kube_pods[key].node, text)
