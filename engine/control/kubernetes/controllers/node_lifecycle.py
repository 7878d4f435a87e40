"""The node controller: silent kubelets, taints for nodes that are not ready, pods that such taints evict.

A kubelet that has not renewed its lease for 40 s (--node-monitor-grace-period of 1.32: 50 s from 1.33 on) is Unknown at
the controller's next look, every 5 s. Ready False brings not-ready taints, Unknown unreachable ones: NoSchedule and
NoExecute. A pod stays for its toleration's tolerationSeconds (300 by default) and is then deleted
(pkg/controller/nodelifecycle, pkg/controller/tainteviction).
"""

from __future__ import annotations

from engine.control.kubernetes import control_plane, deleting, events_log, node_status, store
from engine.control.kubernetes.fitting import toleration
from engine.control.kubernetes.objects import KubeDict, name_of, time_text
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.kubernetes_events import KubeObjectChanged, NodeStatusDue, PodDeletionDue
from engine.world.world import World

Sim = Simulation[World]
GRACE, PERIOD = 40 * SECOND, 5 * SECOND
NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
CORDON = "node.kubernetes.io/unschedulable"
_OWN = {"False": NOT_READY, "Unknown": UNREACHABLE}


def _status_due(simulation: Sim, event: NodeStatusDue) -> None:
    """The controller looks at a node whose kubelet fell silent at `due`."""
    world, name = simulation.world, event.node
    state = world.kube_nodes[name]
    if event.what != "controller" or state.silent is None or state.ready == "Unknown":
        return
    if not control_plane.controls(world):
        simulation.schedule(NodeStatusDue(name, "controller", event.due), PERIOD)
        return
    expires = node_status.heartbeat(simulation, name) + GRACE
    if simulation.now <= expires:
        simulation.schedule(NodeStatusDue(name, "controller", event.due), expires - simulation.now + PERIOD)
        return
    world.kube_nodes.update(
        name, ready="Unknown", reason="NodeStatusUnknown", message="Kubelet stopped posting node status.",
        since=simulation.now,
    )  # fmt: skip
    node = store.find(world, store.NODES, f"/{name}")
    if node is not None:
        text = f"Node {name} status is now: NodeNotReady"
        events_log.record(simulation, node, "Normal", "NodeNotReady", text, "node-controller")
    simulation.schedule(KubeObjectChanged(store.NODES, f"/{name}"), 0)
    for pod in _pods_on(world, name):
        simulation.schedule(KubeObjectChanged(store.PODS, store.key_of(pod)), 0)


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    """A node's condition or cordon has changed: its taints follow; then pods that a NoExecute taint sends away."""
    world = simulation.world
    if event.store != store.NODES or event.gone or not control_plane.controls(world):
        return
    node = store.find(world, store.NODES, event.key)
    if node is None:
        return
    if _follow(simulation, node):
        store.put(simulation, store.NODES, node)
        return
    for taint in node["spec"].get("taints") or ():
        if taint["effect"] == "NoExecute":
            for pod in _pods_on(world, name_of(node)):
                _send_away(simulation, pod, node)
            return


def _follow(simulation: Sim, node: KubeDict) -> bool:
    """Make a node's taints what its condition asks for. Gives whether something changed."""
    spec, ready = node.setdefault("spec", {}), simulation.world.kube_nodes[name_of(node)].ready
    wanted = [(key, effect) for key in (_OWN.get(ready),) if key for effect in ("NoSchedule", "NoExecute")]
    wanted += [(CORDON, "NoSchedule")] if spec.get("unschedulable") else []
    own = {NOT_READY, UNREACHABLE, CORDON}
    before = list(spec.get("taints") or ())
    kept = [each for each in before if each["key"] not in own or (each["key"], each["effect"]) in wanted]
    there = {(each["key"], each["effect"]) for each in kept}
    time = time_text(simulation.world.inventory, simulation.now)
    for key, effect in wanted:
        if (key, effect) not in there:
            kept.append({"effect": effect, "key": key, "timeAdded": time})
    if kept == before:
        return False
    spec["taints"] = kept
    if not kept:
        del spec["taints"]
    return True


def _pods_on(world: World, node: str) -> list[KubeDict]:
    return [pod for pod in store.objects(world, store.PODS) if pod["spec"].get("nodeName") == node]


def _send_away(simulation: Sim, pod: KubeDict, node: KubeDict) -> None:
    """Schedule the deletion of a pod by the taints that it does not tolerate for ever."""
    if pod["metadata"].get("deletionTimestamp") is not None:
        return
    waits = []
    for taint in node["spec"].get("taints") or ():
        if taint["effect"] != "NoExecute":
            continue
        found = toleration(pod["spec"], taint)
        if found is None:
            waits.append(0)
        elif "tolerationSeconds" in found:
            waits.append(max(0, int(found["tolerationSeconds"])) * SECOND)
    if waits:
        since = simulation.world.kube_nodes[name_of(node)].since or 0
        due = PodDeletionDue(store.key_of(pod), pod["metadata"]["uid"], "taint", since)
        simulation.schedule(due, min(waits))


def _deletion_due(simulation: Sim, event: PodDeletionDue) -> None:
    """A pod has been tolerated for long enough, unless its node is well again."""
    world = simulation.world
    pod = store.find(world, store.PODS, event.key)
    if event.why != "taint" or pod is None or pod["metadata"]["uid"] != event.uid:
        return
    node = store.find(world, store.NODES, f"/{pod['spec'].get('nodeName', '')}")
    if node is None or not control_plane.controls(world) or pod["metadata"].get("deletionTimestamp") is not None:
        return
    still = any(taint["effect"] == "NoExecute" and _gone_by(pod, taint) for taint in node["spec"].get("taints") or ())
    if still and (world.kube_nodes[name_of(node)].since or 0) == event.since:
        text = f"Marking for deletion Pod {event.key}"
        events_log.record(simulation, pod, "Normal", "TaintManagerEviction", text, "taint-eviction-controller")
        deleting.pod(simulation, event.key)


def _gone_by(pod: KubeDict, taint: KubeDict) -> bool:
    found = toleration(pod["spec"], taint)
    return found is None or "tolerationSeconds" in found


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (NodeStatusDue, _status_due),
    (KubeObjectChanged, _changed),
    (PodDeletionDue, _deletion_due),
)
