"""Whether a kubelet takes a pod: its node's selector, what is free, and the devices that it asks for.

A pod that asks for devices which a plugin no longer offers fails for good (pkg/kubelet/cm/devicemanager: Allocate
failed); one that does not fit fails with OutOfcpu, OutOfmemory and the like (pkg/kubelet/lifecycle/predicate.go).
"""

from __future__ import annotations

from engine.control.kubernetes import devices, pod_status, store
from engine.control.kubernetes.device_plugins import nvidia
from engine.control.kubernetes.kubelet import runs
from engine.control.kubernetes.objects import KubeDict
from engine.kernel.simulation import Simulation
from engine.world.world import World

Sim = Simulation[World]
_WARNING = "Warning"
_REASON = "UnexpectedAdmissionError"


def take(simulation: Sim, pod: KubeDict) -> bool:
    """The kubelet takes a pod up, or fails it. Gives whether it took it."""
    key = store.key_of(pod)
    got = _allocate(simulation, pod)
    if isinstance(got, str):
        _fail(simulation, pod, got)
        return False
    runs.change(simulation, key, taken=simulation.now, devices=got)
    return True


def again(simulation: Sim, pod: KubeDict) -> bool:
    """After its node's start a pod is admitted anew: with devices only if a plugin has registered them by then."""
    world, key = simulation.world, store.key_of(pod)
    run = world.kube_pods[key]
    for resource in sorted({resource for resource, _ in run.devices}):
        offered = devices.plugin(world, run.node, resource)
        if offered is None or not offered.connected:
            _fail(simulation, pod, _refusal(resource, "no healthy devices present; cannot allocate unhealthy devices"))
            return False
    return True


def _allocate(simulation: Sim, pod: KubeDict) -> tuple[tuple[str, str], ...] | str:
    """The devices for a pod, or why there are none."""
    world = simulation.world
    node = world.kube_pods[store.key_of(pod)].node
    found: list[tuple[str, str]] = []
    for resource, count in sorted(pod_status.requested(pod).items()):
        if "/" not in resource or not count:
            continue
        picked = devices.pick(world, node, resource, count)
        if picked is None:
            offered = devices.plugin(world, node, resource)
            healthy = [each for each in offered.devices if each.healthy] if offered and offered.connected else []
            if not healthy:
                return _refusal(resource, "no healthy devices present; cannot allocate unhealthy devices")
            counts = f"Requested: {count}, Available: {len(devices.free(world, node, resource))}"
            return (
                f"Allocate failed due to requested number of devices unavailable for {resource}. {counts}, "
                "which is unexpected"
            )
        why = _preference(world, node, resource, count)
        if why is not None:
            return why
        found += [(resource, each) for each in picked]
    return tuple(found)


def _preference(world: World, node: str, resource: str, count: int) -> str | None:
    """What a plugin that is asked which devices it prefers answers in vain; it is asked where there is a choice."""
    if resource != nvidia.RESOURCE or count >= len(devices.free(world, node, resource)):
        return None
    error = nvidia.preference_error(world, node)
    if error is None:
        return None
    rpc = f"device plugin GetPreferredAllocation rpc failed with err: rpc error: code = Unknown desc = {error}"
    return f"Allocate failed due to {rpc}, which is unexpected"


def _refusal(resource: str, why: str) -> str:
    return f"Allocate failed due to {why} {resource}, which is unexpected"


def _fail(simulation: Sim, pod: KubeDict, why: str) -> None:
    key = store.key_of(pod)
    runs.change(
        simulation, key, phase="Failed", reason=_REASON, message=f"Pod was rejected: {why}", devices=(),
        taken=simulation.now,
    )  # fmt: skip
    runs.say(simulation, pod, _WARNING, _REASON, why)
