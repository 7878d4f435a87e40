"""Device plugins that the NicClusterPolicy configures: kubelets learn of them, and the operator hands a changed
configuration on by new pods.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from engine.control.kubernetes import control_plane, deleting, devices, store
from engine.control.kubernetes.device_plugins import socket
from engine.control.kubernetes.kubelet import runs
from engine.control.kubernetes.network_operator import rdma_plugin, settings, sriov_plugin
from engine.control.kubernetes.objects import KubeDict
from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.records import DevicePlugin, KubeDevice
from engine.world.world import World

Sim = Simulation[World]


@dataclass(frozen=True, slots=True)
class Kind:
    """A plugin: its DaemonSet, what its configuration lists, how a resource is called and what it has on a node. A
    resource without devices is registered (`empty`), or not at all.
    """

    daemon_set: str
    resources: Callable[[World], list[KubeDict]]
    name: Callable[[KubeDict], str]
    offered: Callable[[World, str, KubeDict], tuple[KubeDevice, ...]]
    empty: bool

    def offers(self, world: World, node: str) -> dict[str, tuple[KubeDevice, ...]]:
        """Devices by resource that the plugin has to give on a node."""
        found = {self.name(each): self.offered(world, node, each) for each in self.resources(world)}
        return {name: there for name, there in found.items() if there or self.empty}

    def known(self, world: World, node: str) -> list[DevicePlugin]:
        """What a node's kubelet knows of this plugin."""
        return [each for each in world.kube_nodes[node].plugins if each.plugin == self.daemon_set]

    def has(self, store_name: str, key: str) -> bool:
        """Whether an object is a pod of the plugin."""
        return store_name == store.PODS and key.startswith(f"{settings.NAMESPACE}/{self.daemon_set}-")


def _kind(module: ModuleType, *, empty: bool) -> Kind:
    return Kind(module.DAEMON_SET, module.resources, module.name_of_resource, module.offered, empty)


KINDS = (_kind(rdma_plugin, empty=True), _kind(sriov_plugin, empty=False))


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    """A plugin's pod has started or ended, or the policy has changed."""
    world = simulation.world
    for kind in KINDS:
        if kind.has(event.store, event.key):
            for node in world.kube_nodes.changed():
                _check(simulation, node, kind)
        elif event.store == settings.POLICIES and not event.gone and control_plane.controls(world):
            for key in store.keys(world, store.PODS, settings.NAMESPACE):
                if kind.has(store.PODS, key) and _is_old(world, key, kind):
                    deleting.pod(simulation, key)


def _is_old(world: World, key: str, kind: Kind) -> bool:
    """Whether a plugin offers something else than the policy asks for."""
    node = world.kube_pods[key].node if key in world.kube_pods else ""
    there = {each.resource: each.devices for each in kind.known(world, node)} if node else {}
    return bool(node) and kind.offers(world, node) != there


def _check(simulation: Sim, node: str, kind: Kind) -> None:
    """The kubelet of a node learns of its plugin, or that it has gone."""
    world, running, reached = simulation.world, "", False
    for key, run in runs.of_node(world, node):
        if kind.has(store.PODS, key):
            pod = store.look(world, store.PODS, key)
            reached = pod is not None and socket.reached(pod)
            running = next((each.id for each in run.containers if each.state == "running"), running)
    for each in kind.known(world, node):
        if each.connected and each.owner != running:
            devices.disconnect(simulation, node, each.resource)
    if running and reached and runs.works(world, node):
        for resource, offered in kind.offers(world, node).items():
            plugin = devices.plugin(world, node, resource)
            if plugin is None or not plugin.connected or plugin.owner != running:
                devices.register(simulation, node, resource, offered, running, kind.daemon_set)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)
