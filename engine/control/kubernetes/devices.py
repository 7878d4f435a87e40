"""Extended resources: what device plugins told a node's kubelet, and who holds which device.

A kubelet counts a plugin's devices as capacity and its healthy ones as allocatable; a device is given to one container
only (pkg/kubelet/cm/devicemanager). A plugin that is gone leaves its resource with capacity and no allocatable device
for as long as the kubelet runs (endpoint grace period, 5 minutes, after which the capacity goes as well: here it goes
with the kubelet's next start). Which healthy device is next: the kubelet's order is that of a Go map unless the plugin
prefers some; here the lowest index, and NVIDIA's plugin prefers GPUs alike.
"""

from __future__ import annotations

from dataclasses import replace

from engine.kernel.simulation import Simulation
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.records import DevicePlugin, KubeDevice
from engine.world.world import World


def plugin(world: World, node: str, resource: str) -> DevicePlugin | None:
    """What a node's kubelet knows of a resource's plugin, or None."""
    return next((each for each in world.kube_nodes[node].plugins if each.resource == resource), None)


def capacity(world: World, node: str) -> dict[str, int]:
    """Devices by resource."""
    return {each.resource: len(each.devices) for each in world.kube_nodes[node].plugins}


def allocatable(world: World, node: str) -> dict[str, int]:
    """Devices by resource that pods may get: the healthy ones of connected plugins."""
    return {
        each.resource: sum(device.healthy for device in each.devices) if each.connected else 0
        for each in world.kube_nodes[node].plugins
    }


def held(world: World, node: str) -> set[tuple[str, str]]:
    """(resource, device) of pods on a node that have not ended."""
    runs = (world.kube_pods[key] for key in world.kube_pods.changed())
    return {
        device for run in runs if run.node == node and run.phase in ("Pending", "Running") for device in run.devices
    }


def free(world: World, node: str, resource: str) -> tuple[str, ...]:
    """The healthy devices of a resource that no pod holds."""
    found = plugin(world, node, resource)
    if found is None or not found.connected:
        return ()
    taken = held(world, node)
    return tuple(each.id for each in found.devices if each.healthy and (resource, each.id) not in taken)


def pick(world: World, node: str, resource: str, count: int) -> tuple[str, ...] | None:
    """`count` free healthy devices, or None where there are fewer."""
    found = free(world, node, resource)
    return found[:count] if len(found) >= count else None


def register(
    simulation: Simulation[World], node: str, resource: str, devices: tuple[KubeDevice, ...], owner: str, plugin: str
) -> None:
    """A plugin connects and lists its devices; `owner` is its container's id, `plugin` the name of its DaemonSet."""
    _put(simulation, node, resource, DevicePlugin(resource, devices, owner=owner, plugin=plugin))


def disconnect(simulation: Simulation[World], node: str, resource: str) -> None:
    """A plugin goes: its devices are no longer allocatable."""
    found = plugin(simulation.world, node, resource)
    if found is not None and found.connected:
        _put(simulation, node, resource, replace(found, connected=False))


def mark(simulation: Simulation[World], node: str, resource: str, device: str, healthy: bool) -> bool:
    """A plugin says how one of its devices is. Gives whether that is new."""
    found = plugin(simulation.world, node, resource)
    if found is None:
        return False
    changed = tuple(replace(each, healthy=healthy) if each.id == device else each for each in found.devices)
    if changed == found.devices:
        return False
    _put(simulation, node, resource, replace(found, devices=changed))
    return True


def forget(simulation: Simulation[World], node: str) -> None:
    """The kubelet starts anew: plugins must register again. Capacity stays at what it was, nothing is allocatable."""
    plugins = tuple(replace(each, connected=False) for each in simulation.world.kube_nodes[node].plugins)
    simulation.world.kube_nodes.update(node, plugins=plugins)


def _put(simulation: Simulation[World], node: str, resource: str, new: DevicePlugin) -> None:
    others = [each for each in simulation.world.kube_nodes[node].plugins if each.resource != resource]
    plugins = tuple(sorted([*others, new], key=lambda each: each.resource))
    simulation.world.kube_nodes.update(node, plugins=plugins)
    simulation.schedule(KubeObjectChanged("nodes", f"/{node}"), 0)
