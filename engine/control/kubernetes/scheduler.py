"""The scheduler: a node for each pod, or the reasons why there is none.

Filters in their order, with their words: NodeUnschedulable, TaintToleration, NodeAffinity, NodeResourcesFit,
VolumeBinding, InterPodAffinity (pkg/scheduler/framework/plugins). A node counts under the first filter that refuses
it, and with several reasons of one filter under each; the message sorts `count reason` as text (FitError). Among nodes
that fit the emptiest by CPU and memory is taken (LeastAllocated), with ties by chance. Preemption: pods of lower
priority are evicted for one that needs their place in the simplest form, one node's worth.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.control.kubernetes import affinity, control_plane, deleting, events_log, node_status, pod_status, store
from engine.control.kubernetes.controllers import claims
from engine.control.kubernetes.fitting import fits_selector, untolerated
from engine.control.kubernetes.objects import KubeDict, name_of, namespace_of
from engine.kernel.events import Event, Handler
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.world import World

Sim = Simulation[World]
NAME = "default-scheduler"
_WORDS = {"pods": "Too many pods"}
_FOR_GOOD = (
    "node(s) didn't match",
    "node(s) were unschedulable",
    "node(s) had untolerated taint",
    "node(s) didn't find",
)


def schedule(simulation: Sim, pod: KubeDict) -> bool:
    """Give a pod to a node, or say why not. Gives whether it has one."""
    world = simulation.world
    early = claims.refusal(world, pod)
    nodes = list(store.objects(world, store.NODES))
    if early:
        _unschedulable(simulation, pod, f"0/{len(nodes)} nodes are available: {early}", len(nodes))
        return False
    taken = used(world)
    refusals = {name_of(node): reasons(world, pod, node, taken.get(name_of(node), {})) for node in nodes}
    fitting = [node for node in nodes if not refusals[name_of(node)]]
    if not fitting:
        if _preempt(simulation, pod, nodes, taken):
            return False
        _unschedulable(simulation, pod, _message(refusals), len(nodes), refusals)
        return False
    best = min(fitting, key=lambda node: _rank(world, pod, node, taken.get(name_of(node), {})))
    bind(simulation, pod, name_of(best))
    return True


def bind(simulation: Sim, pod: KubeDict, node: str, text: str = "", by: str = NAME) -> None:
    """A pod is given to a node; another scheduler has words of its own."""
    claims.bind_for(simulation, pod, node)
    pod["spec"]["nodeName"] = node
    text = text or f"Successfully assigned {namespace_of(pod)}/{name_of(pod)} to {node}"
    events_log.record(simulation, pod, "Normal", "Scheduled", text, by)
    store.put(simulation, store.PODS, pod)


def used(world: World) -> dict[str, dict[str, int]]:
    """What the pods of each node ask for together; those that have ended ask for nothing."""
    found: dict[str, dict[str, int]] = {}
    for pod in store.objects(world, store.PODS):
        node, run = pod["spec"].get("nodeName"), pod_status.run_of(world, pod)
        if node and not (run and run.phase in ("Succeeded", "Failed")):
            total = found.setdefault(node, {})
            for name, count in pod_status.requested(pod).items():
                total[name] = total.get(name, 0) + count
    return found


def reasons(world: World, pod: KubeDict, node: KubeDict, used: dict[str, int]) -> tuple[str, ...]:
    """Why a node does not fit a pod; none where it does."""
    if node.get("spec", {}).get("unschedulable") and not _tolerates_cordon(pod):
        return ("node(s) were unschedulable",)
    taints = untolerated(pod["spec"], node, ("NoSchedule", "NoExecute"))
    if taints:
        taint = taints[0]
        return (f"node(s) had untolerated taint {{{taint['key']}: {taint.get('value', '')}}}",)
    if not fits_selector(pod, node):
        return ("node(s) didn't match Pod's node affinity/selector",)
    free = node_status.amounts(world, world.node(name_of(node)))
    lacking = [
        name
        for name, count in sorted(pod_status.requested(pod).items())
        if count and used.get(name, 0) + count > free.get(name, 0)
    ]
    if lacking:
        return tuple(_WORDS.get(name, f"Insufficient {name}") for name in lacking)
    away = claims.node_refusal(world, pod, name_of(node)) or affinity.refusal(world, pod, node)
    return (away,) if away else ()


def _tolerates_cordon(pod: KubeDict) -> bool:
    taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    return not untolerated(pod["spec"], {"spec": {"taints": [taint]}}, ("NoSchedule",))


def _message(refusals: dict[str, tuple[str, ...]]) -> str:
    """`0/4 nodes are available: 1 node(s) had untolerated taint {...}, 3 Insufficient nvidia.com/gpu. preemption:
    ...`.
    """
    counts: dict[str, int] = {}
    for found in refusals.values():
        for reason in found:
            counts[reason] = counts.get(reason, 0) + 1
    parts = sorted(f"{count} {reason}" for reason, count in counts.items())
    total = len(refusals)
    helpless = sum(any(reason.startswith(_FOR_GOOD) for reason in found) for found in refusals.values())
    victims = total - helpless
    hopes = []
    if victims:
        hopes.append(f"{victims} No preemption victims found for incoming pod")
    if helpless:
        hopes.append(f"{helpless} Preemption is not helpful for scheduling")
    return (
        f"0/{total} nodes are available: {', '.join(parts)}. preemption: 0/{total} nodes are available: "
        f"{', '.join(sorted(hopes))}."
    )


def _rank(world: World, pod: KubeDict, node: KubeDict, used: dict[str, int]) -> tuple[int, int]:
    """How full a node would be (permille of CPU and memory), then chance."""
    name = name_of(node)
    free, asked = node_status.amounts(world, world.node(name)), pod_status.requested(pod)
    full = sum(
        (used.get(each, 0) + asked.get(each, 0)) * 100 // max(1, free.get(each, 1)) for each in ("cpu", "memory")
    )
    return full, hash64(world.seed, "scheduler", pod["metadata"]["uid"], name)


def _preempt(simulation: Sim, pod: KubeDict, nodes: Sequence[KubeDict], taken: dict[str, dict[str, int]]) -> bool:
    """Make room for a pod of higher priority: its node is the first on which removing lower ones is enough."""
    world, priority = simulation.world, pod["spec"].get("priority", 0)
    for node in nodes:
        name = name_of(node)
        victims = [each for each in _pods_on(world, name) if each["spec"].get("priority", 0) < priority]
        left = dict(taken.get(name, {}))
        chosen = []
        for victim in sorted(victims, key=lambda each: each["spec"].get("priority", 0)):
            chosen.append(victim)
            for resource, count in pod_status.requested(victim).items():
                left[resource] = left.get(resource, 0) - count
            if not reasons(world, pod, node, left):
                for each in chosen:
                    text = f"Preempted by pod {pod['metadata']['uid']} on node {name}"
                    events_log.record(simulation, each, "Normal", "Preempted", text, NAME)
                    deleting.pod(simulation, store.key_of(each))
                return True
    return False


def _pods_on(world: World, node: str) -> list[KubeDict]:
    found = (pod for pod in store.objects(world, store.PODS) if pod["spec"].get("nodeName") == node)
    return [pod for pod in found if pod["metadata"].get("deletionTimestamp") is None]


def _unschedulable(
    simulation: Sim, pod: KubeDict, message: str, total: int, refusals: dict[str, tuple[str, ...]] | None = None
) -> None:
    if refusals is None:
        message += f" preemption: 0/{total} nodes are available: {total} Preemption is not helpful for scheduling."
    events_log.record(simulation, pod, "Warning", "FailedScheduling", message, NAME)


def waiting(world: World) -> list[KubeDict]:
    """The pods that this scheduler has to place: the highest priority first, then the oldest."""
    found = [
        pod
        for pod in store.objects(world, store.PODS)
        if not pod["spec"].get("nodeName")
        and pod["spec"].get("schedulerName", NAME) == NAME
        and pod["metadata"].get("deletionTimestamp") is None
    ]
    return sorted(found, key=lambda pod: (-pod["spec"].get("priority", 0), int(pod["metadata"]["resourceVersion"])))


def look(simulation: Sim) -> None:
    """Try all pods that wait."""
    if control_plane.schedules(simulation.world):
        for pod in waiting(simulation.world):
            current = store.find(simulation.world, store.PODS, store.key_of(pod))
            if current is not None and not current["spec"].get("nodeName"):
                schedule(simulation, current)


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    """A new pod is tried; others are tried again when room or a node may have come, or a claim was bound."""
    world = simulation.world
    if not control_plane.schedules(world):
        return
    if event.store == store.PODS and not event.gone:
        pod = store.find(world, store.PODS, event.key)
        run = pod_status.run_of(world, pod) if pod else None
        if pod and not pod["spec"].get("nodeName"):
            if pod["spec"].get("schedulerName", NAME) == NAME and pod["metadata"].get("deletionTimestamp") is None:
                schedule(simulation, pod)
            return
        if run is None or run.phase not in ("Succeeded", "Failed"):
            return
        look(simulation)
    elif (event.store == store.PODS and event.gone) or event.store in (store.NODES, "persistentvolumeclaims"):
        look(simulation)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)
