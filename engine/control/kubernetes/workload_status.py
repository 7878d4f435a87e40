"""The statuses of workloads: counts of the pods that they own, and the conditions that follow (pkg/controller/...)."""

from __future__ import annotations

from engine.control.kubernetes import pod_status, selectors, store
from engine.control.kubernetes.objects import (
    KubeDict,
    controller_of,
    labels_of,
    name_of,
    namespace_of,
    template_hash,
    time_of,
    time_text,
)
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World

Sim = Simulation[World]
REVISION = "deployment.kubernetes.io/revision"
PROGRESS_DEADLINE = 600


def owned(world: World, of_store: str, owner: KubeDict) -> list[KubeDict]:
    """Objects of a resource that an owner controls, in order."""
    uid = owner["metadata"]["uid"]
    found = []
    for thing in store.objects(world, of_store, namespace_of(owner)):
        controller = controller_of(thing)
        if controller is not None and controller["uid"] == uid:
            found.append(thing)
    return found


def is_over(world: World, pod: KubeDict) -> bool:
    """Whether a pod has ended for good."""
    run = pod_status.run_of(world, pod)
    return run is not None and run.phase in ("Succeeded", "Failed")


def is_active(world: World, pod: KubeDict) -> bool:
    """Whether a controller counts a pod: it has not ended and is not being deleted."""
    return pod["metadata"].get("deletionTimestamp") is None and not is_over(world, pod)


def replica_set(simulation: Sim, thing: KubeDict) -> KubeDict:
    """The status of a ReplicaSet."""
    world = simulation.world
    pods = [pod for pod in owned(world, store.PODS, thing) if is_active(world, pod)]
    ready = sum(pod_status.is_pod_ready(world, pod) for pod in pods)
    found: KubeDict = {"observedGeneration": thing["metadata"].get("generation", 1), "replicas": len(pods)}
    if pods:
        found["fullyLabeledReplicas"] = len(pods)
    return found | ({"availableReplicas": ready, "readyReplicas": ready} if ready else {})


def stateful_set(simulation: Sim, thing: KubeDict) -> KubeDict:
    """The status of a StatefulSet."""
    world = simulation.world
    pods = [pod for pod in owned(world, store.PODS, thing) if is_active(world, pod)]
    ready = sum(pod_status.is_pod_ready(world, pod) for pod in pods)
    return {
        "availableReplicas": ready, "collisionCount": 0, "currentReplicas": len(pods),
        "observedGeneration": thing["metadata"].get("generation", 1), "readyReplicas": ready, "replicas": len(pods),
        "updatedReplicas": len(pods),
    }  # fmt: skip


def daemon_set(simulation: Sim, thing: KubeDict) -> KubeDict:
    """The status of a DaemonSet."""
    from engine.control.kubernetes.controllers import daemon_sets

    world = simulation.world
    pods = [pod for pod in owned(world, store.PODS, thing) if is_active(world, pod)]
    wanted = set(daemon_sets.nodes_for(world, thing))
    placed = [pod for pod in pods if daemon_sets.node_of(pod) in wanted]
    ready = sum(pod_status.is_pod_ready(world, pod) for pod in placed)
    mark = template_hash(thing["spec"]["template"])
    current = sum(daemon_sets.is_current(mark, pod) for pod in placed)
    found: KubeDict = {
        "currentNumberScheduled": len(placed), "desiredNumberScheduled": len(wanted), "numberMisscheduled":
        len(pods) - len(placed), "numberReady": ready, "observedGeneration": thing["metadata"].get("generation", 1),
    }  # fmt: skip
    if ready:
        found["numberAvailable"] = ready
    if len(wanted) - ready:
        found["numberUnavailable"] = len(wanted) - ready
    return found | ({"updatedNumberScheduled": current} if current else {})


def deployment(simulation: Sim, thing: KubeDict) -> KubeDict:
    """The status of a Deployment."""
    world, wanted = simulation.world, thing["spec"].get("replicas", 1)
    sets = owned(world, store.REPLICA_SETS, thing)
    pods = {name_of(each): [p for p in owned(world, store.PODS, each) if is_active(world, p)] for each in sets}
    everyone = [pod for found in pods.values() for pod in found]
    newest = max(sets, key=revision, default=None)
    updated = len(pods[name_of(newest)]) if newest else 0
    ready = sum(pod_status.is_pod_ready(world, pod) for pod in everyone)
    found: KubeDict = {"observedGeneration": thing["metadata"].get("generation", 1)}
    counts = {
        "replicas": len(everyone), "updatedReplicas": updated, "readyReplicas": ready, "availableReplicas": ready,
        "unavailableReplicas": max(0, max(wanted, len(everyone)) - ready),
    }  # fmt: skip
    found |= {name: count for name, count in counts.items() if count}
    found["conditions"] = _conditions(simulation, thing, newest, everyone, counts)
    return found


def revision(replica: KubeDict) -> int:
    """The revision of a Deployment's ReplicaSet."""
    return int((replica["metadata"].get("annotations") or {}).get(REVISION, 0))


def bounds(thing: KubeDict) -> tuple[int, int]:
    """How many pods a rolling update may make too many, and how many may be missing."""
    wanted = thing["spec"].get("replicas", 1)
    strategy = thing["spec"].get("strategy") or {}
    if strategy.get("type") == "Recreate":
        return 0, wanted
    rolling = strategy.get("rollingUpdate") or {}
    surge = _share(rolling.get("maxSurge", "25%"), wanted, up=True)
    missing = _share(rolling.get("maxUnavailable", "25%"), wanted, up=False)
    return surge, missing if surge or missing else 1


def _share(value: object, wanted: int, *, up: bool) -> int:
    text = str(value)
    if not text.endswith("%"):
        return int(text)
    product = int(text[:-1]) * wanted
    return -(-product // 100) if up else product // 100


def _conditions(
    simulation: Sim, thing: KubeDict, newest: KubeDict | None, pods: list[KubeDict], counts: dict[str, int]
) -> list[KubeDict]:
    world, wanted = simulation.world, thing["spec"].get("replicas", 1)
    created = thing["metadata"]["creationTimestamp"]
    moments = [pod_status.ready_since(run) for pod in pods if (run := pod_status.run_of(world, pod))]
    ready = sorted(moment for moment in moments if moment is not None)
    needed = wanted - bounds(thing)[1]
    available = counts["availableReplicas"] >= needed
    since = time_text(world.inventory, ready[max(0, needed - 1)]) if available and ready else created
    found = [
        _condition("Available", "True", since, "MinimumReplicasAvailable", "Deployment has minimum availability.")
        if available
        else _condition(
            "Available",
            "False",
            created,
            "MinimumReplicasUnavailable",
            "Deployment does not have minimum availability.",
        )
    ]
    if newest is not None:
        found.append(_progress(simulation, newest, created, ready, counts, wanted))
    return found


def _progress(
    simulation: Sim, newest: KubeDict, created: str, ready: list[int], counts: dict[str, int], wanted: int
) -> KubeDict:
    inventory, what = simulation.world.inventory, f'ReplicaSet "{name_of(newest)}"'
    done = counts["updatedReplicas"] == wanted == counts["availableReplicas"] == counts["replicas"]
    last = time_text(inventory, ready[-1]) if ready else newest["metadata"]["creationTimestamp"]
    if done:
        text = f"{what} has successfully progressed."
        return _condition("Progressing", "True", created, "NewReplicaSetAvailable", text, last)
    start = max(time_of(inventory, newest["metadata"]["creationTimestamp"]), ready[-1] if ready else -(1 << 62))
    if simulation.now - start > PROGRESS_DEADLINE * SECOND:
        at = time_text(inventory, start + PROGRESS_DEADLINE * SECOND)
        return _condition(
            "Progressing", "False", at, "ProgressDeadlineExceeded", f"{what} has timed out progressing.", at
        )
    return _condition("Progressing", "True", created, "ReplicaSetUpdated", f"{what} is progressing.", last)


def _condition(kind: str, value: str, since: str, reason: str, message: str, updated: str = "") -> KubeDict:
    return {
        "lastTransitionTime": since, "lastUpdateTime": updated or since, "message": message, "reason": reason,
        "status": value, "type": kind,
    }  # fmt: skip


def disruption_budget(simulation: Sim, thing: KubeDict) -> KubeDict:
    """The status of a PodDisruptionBudget (pkg/controller/disruption)."""
    world, spec = simulation.world, thing["spec"]
    pods = [
        pod
        for pod in store.objects(world, store.PODS, namespace_of(thing))
        if selectors.matches(spec.get("selector"), labels_of(pod)) and not is_over(world, pod)
    ]
    healthy = sum(
        pod_status.is_pod_ready(world, pod) and pod["metadata"].get("deletionTimestamp") is None for pod in pods
    )
    expected = len(pods)
    if "maxUnavailable" in spec:
        expected = _expected(world, pods)
        desired = max(0, expected - _share(spec["maxUnavailable"], expected, up=True))
    else:
        text = str(spec.get("minAvailable", 0))
        expected = _expected(world, pods) if text.endswith("%") else expected
        desired = _share(text, expected, up=True)
    allowed = max(0, healthy - desired) if expected else 0
    reason = "SufficientPods" if allowed else "InsufficientPods"
    return {
        "conditions": [
            {
                "lastTransitionTime": thing["metadata"]["creationTimestamp"], "message": "",
                "observedGeneration": thing["metadata"].get("generation", 1), "reason": reason,
                "status": "True" if allowed else "False", "type": "DisruptionAllowed",
            }
        ],
        "currentHealthy": healthy, "desiredHealthy": desired, "disruptionsAllowed": allowed, "expectedPods": expected,
        "observedGeneration": thing["metadata"].get("generation", 1),
    }  # fmt: skip


def _expected(world: World, pods: list[KubeDict]) -> int:
    """How many pods the controllers of these want in all."""
    total, seen = 0, set()
    for pod in pods:
        owner = controller_of(pod)
        if owner is None:
            total += 1
        elif owner["uid"] not in seen:
            seen.add(owner["uid"])
            kept = store.find(world, f"{owner['kind'].lower()}s.apps", f"{namespace_of(pod)}/{owner['name']}")
            total += kept["spec"].get("replicas", 1) if kept else 1
    return total
