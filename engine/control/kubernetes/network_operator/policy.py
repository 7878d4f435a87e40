"""The Network Operator's states: each section of the NicClusterPolicy has a DaemonSet, which is there as long as the
section is (manifests/state-*, 24.10). A state is ready when all pods of its DaemonSet are; the policy is when every
state is. Sections without a model (ofedDriver, ibKubernetes, nvIpam, nicFeatureDiscovery) stay notReady: nothing runs
for them.
"""

from __future__ import annotations

from copy import deepcopy

from engine.control.kubernetes import control_plane, creating, deleting, store, workload_status
from engine.control.kubernetes.network_operator import manifests, settings
from engine.control.kubernetes.objects import KubeDict
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.world import World

Sim = Simulation[World]

STATES = (
    ("state-multus-cni", "secondaryNetwork.multus", "kube-multus-ds"),
    ("state-container-networking-plugins", "secondaryNetwork.cniPlugins", "cni-plugins-ds"),
    ("state-ipoib-cni", "secondaryNetwork.ipoib", "kube-ipoib-cni-ds"),
    ("state-whereabouts-cni", "secondaryNetwork.ipamPlugin", "whereabouts"),
    ("state-OFED", "ofedDriver", ""),
    ("state-SRIOV-device-plugin", "sriovDevicePlugin", "sriov-device-plugin"),
    ("state-RDMA-device-plugin", "rdmaSharedDevicePlugin", "rdma-shared-dp-ds"),
    ("state-ib-kubernetes", "ibKubernetes", ""),
    ("state-nv-ipam-cni", "nvIpam", ""),
)
"""State, section of the policy, DaemonSet."""

_FIRST = "state-pod-security-policy"


def daemon_sets(policy: KubeDict) -> list[KubeDict]:
    """The DaemonSets that a policy asks for."""
    asked = (name for _, path, name in STATES if name and settings.at(policy, path) is not None)
    return [deepcopy(manifests.daemon_set(name)) for name in asked]


def status(simulation: Sim, _: KubeDict) -> KubeDict:
    """The status of the policy."""
    words = [(name, _word(simulation, path, daemon_set)) for name, path, daemon_set in STATES]
    states = [{"name": name, "state": word} for name, word in ((_FIRST, "ignore"), *words)]
    asked = {word for _, word in words} - {"ignore"}
    whole = "ignore" if not asked else "ready" if asked == {"ready"} else "notReady"
    return {"appliedStates": states, "state": whole}


def _word(simulation: Sim, path: str, daemon_set: str) -> str:
    if settings.section(simulation.world, path) is None:
        return "ignore"
    thing = store.look(simulation.world, store.DAEMON_SETS, f"{settings.NAMESPACE}/{daemon_set}")
    counts = workload_status.daemon_set(simulation, thing) if thing else {}
    wanted = counts.get("desiredNumberScheduled", -1)
    return "ready" if counts.get("numberReady", 0) == wanted else "notReady"


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    """The policy has changed: DaemonSets come and go with its sections."""
    world = simulation.world
    if event.store != settings.POLICIES or not control_plane.controls(world):
        return
    for _, path, daemon_set in STATES:
        key = f"{settings.NAMESPACE}/{daemon_set}"
        there = store.exists(world, store.DAEMON_SETS, key)
        wanted = bool(daemon_set) and settings.section(world, path) is not None
        if wanted and not there:
            creating.make(simulation, store.DAEMON_SETS, deepcopy(manifests.daemon_set(daemon_set)))
        elif there and not wanted:
            deleting.now(simulation, store.DAEMON_SETS, key)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)
