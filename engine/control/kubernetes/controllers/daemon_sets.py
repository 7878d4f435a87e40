"""The DaemonSet controller: a pod on each node that its template's selector, affinity and tolerations let
(pkg/controller/daemon). Pods are tied to their node by an affinity, tolerate what ails a node, and the scheduler binds
them.
"""

from __future__ import annotations

from typing import Any

from engine.control.kubernetes import control_plane, creating, deleting, events_log, pod_status, store, workload_status
from engine.control.kubernetes.fitting import fits_selector, untolerated
from engine.control.kubernetes.objects import KubeDict, controller_of, name_of, template_hash
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.world import World

Sim = Simulation[World]
HASH = "controller-revision-hash"
_COMPONENT = "daemonset-controller"
_TOLERATED = (
    ("node.kubernetes.io/not-ready", "NoExecute"), ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"), ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"), ("node.kubernetes.io/unschedulable", "NoSchedule"),
)  # fmt: skip


def nodes_for(world: World, thing: KubeDict, effects: tuple[str, ...] = ("NoSchedule", "NoExecute")) -> list[str]:
    """The nodes that a DaemonSet wants pods on; with NoExecute alone those on which its pods may stay."""
    template = thing["spec"]["template"]["spec"]
    spec = {**template, "tolerations": tolerations(template)}
    return [
        name_of(node)
        for node in store.objects(world, store.NODES)
        if fits_selector({"spec": spec}, node) and not untolerated(spec, node, effects)
    ]


def tolerations(template: KubeDict) -> list[KubeDict]:
    """A template's tolerations and those that the controller adds."""
    own = list(template.get("tolerations") or ())
    added = [
        *_TOLERATED,
        *((("node.kubernetes.io/network-unavailable", "NoSchedule"),) if template.get("hostNetwork") else ()),
    ]
    return [*own, *({"effect": effect, "key": key, "operator": "Exists"} for key, effect in added)]


def node_of(pod: KubeDict) -> str:
    """The node that a DaemonSet's pod is made for."""
    affinity: Any = pod["spec"].get("affinity", {}).get("nodeAffinity", {})
    terms = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms") or ()
    for term in terms:
        for each in term.get("matchFields") or ():
            if each["key"] == "metadata.name":
                return str(each["values"][0])
    return str(pod["spec"].get("nodeName", ""))


def is_current(mark: str, pod: KubeDict) -> bool:
    """Whether a pod is of the template with this hash."""
    return bool((pod["metadata"].get("labels") or {}).get(HASH) == mark)


def sync(simulation: Sim, key: str) -> None:
    """Make what lacks, remove what should not be, and replace pods of an earlier template one by one."""
    world = simulation.world
    thing = store.find(world, store.DAEMON_SETS, key)
    if thing is None or thing["metadata"].get("deletionTimestamp") or not control_plane.controls(world):
        return
    wanted = nodes_for(world, thing)
    there: dict[str, list[KubeDict]] = {}
    for pod in workload_status.owned(world, store.PODS, thing):
        there.setdefault(node_of(pod), []).append(pod)
    staying = nodes_for(world, thing, ("NoExecute",))
    for node, pods in there.items():
        for pod in pods:
            unwanted = node not in staying and pod["metadata"].get("deletionTimestamp") is None
            if unwanted or workload_status.is_over(world, pod):
                _delete(simulation, thing, pod)
    for node in wanted:
        if not any(_counts(world, pod) for pod in there.get(node, ())):
            _make(simulation, thing, node)
    _update(simulation, thing, [pod for pods in there.values() for pod in pods if _counts(world, pod)], wanted)


def _counts(world: World, pod: KubeDict) -> bool:
    """A pod that is still going keeps its place until it is gone."""
    return store.exists(world, store.PODS, store.key_of(pod))


def _make(simulation: Sim, thing: KubeDict, node: str) -> None:
    template = thing["spec"]["template"]
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    rule = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    affinity = {**(template["spec"].get("affinity") or {}), "nodeAffinity": rule}
    labels = {**(template.get("metadata", {}).get("labels") or {}), HASH: template_hash(template)}
    labels["pod-template-generation"] = str(thing["metadata"].get("generation", 1))
    pod = creating.owned_pod(
        simulation, thing, template, affinity=affinity, tolerations=tolerations(template["spec"]),
        metadata={"labels": labels},
    )  # fmt: skip
    events_log.record(simulation, thing, "Normal", "SuccessfulCreate", f"Created pod: {name_of(pod)}", _COMPONENT)


def _delete(simulation: Sim, thing: KubeDict, pod: KubeDict) -> None:
    kind, reason, text = "Normal", "SuccessfulDelete", f"Deleted pod: {name_of(pod)}"
    if workload_status.is_over(simulation.world, pod):
        run = pod_status.run_of(simulation.world, pod)
        node = run.node if run else ""
        kind, reason = "Warning", "FailedDaemonPod"
        text = f"Found failed daemon pod {store.key_of(pod)} on node {node}, will try to kill it"
    events_log.record(simulation, thing, kind, reason, text, _COMPONENT)
    deleting.pod(simulation, store.key_of(pod))


def _update(simulation: Sim, thing: KubeDict, pods: list[KubeDict], wanted: list[str]) -> None:
    """RollingUpdate: as many pods of an earlier template go as may be unavailable."""
    if thing["spec"]["updateStrategy"].get("type") != "RollingUpdate":
        return
    world = simulation.world
    living = [pod for pod in pods if pod["metadata"].get("deletionTimestamp") is None]
    ready = sum(pod_status.is_pod_ready(world, pod) for pod in living)
    rolling = thing["spec"]["updateStrategy"].get("rollingUpdate") or {}
    text = str(rolling.get("maxUnavailable", 1))
    most = -(-int(text[:-1]) * len(wanted) // 100) if text.endswith("%") else int(text)
    room = most - (len(wanted) - ready)
    mark = template_hash(thing["spec"]["template"])
    for pod in living:
        if is_current(mark, pod):
            continue
        if not pod_status.is_pod_ready(world, pod):
            _delete(simulation, thing, pod)
        elif room > 0:
            room -= 1
            _delete(simulation, thing, pod)


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    world = simulation.world
    if event.store == store.DAEMON_SETS and not event.gone:
        sync(simulation, event.key)
    elif event.store == store.NODES:
        for key in store.keys(world, store.DAEMON_SETS):
            sync(simulation, key)
    elif event.store == store.PODS:
        namespace, _, name = event.key.partition("/")
        pod = None if event.gone else store.look(world, store.PODS, event.key)
        owner = controller_of(pod) if pod else None
        for key in store.keys(world, store.DAEMON_SETS, namespace):
            own = key.partition("/")[2]
            if (owner and owner["kind"] == "DaemonSet" and owner["name"] == own) or (
                pod is None and name.rpartition("-")[0] == own
            ):
                sync(simulation, key)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)
