"""The status of a Pod: what its kubelet reports of it, and the word that `kubectl get pods` shows.

The word (Running, Completed, CrashLoopBackOff, Init:0/1, Terminating...) follows
pkg/printers/internalversion/printers.go (printPod). Quality of service: pkg/apis/core/v1/helper/qos.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.control import host_names
from engine.control.kubernetes import events_log, registries
from engine.control.kubernetes.objects import KubeDict, amount, milli, time_of, time_text
from engine.control.kubernetes.store import key_of
from engine.kernel.simulation import Simulation
from engine.world.inventory import Inventory
from engine.world.records import ContainerEnd, ContainerRun, PodRun
from engine.world.world import World


def run_of(world: World, pod: KubeDict) -> PodRun | None:
    """What a kubelet has latched of a pod; None while no node has it."""
    key = key_of(pod)
    if key not in world.kube_pods:
        return None
    return world.kube_pods[key]


def status(simulation: Simulation[World], pod: KubeDict) -> KubeDict:
    """The status of a Pod."""
    world, run = simulation.world, run_of(simulation.world, pod)
    if run is None:
        return {"conditions": _unscheduled(simulation, pod), "phase": "Pending", "qosClass": quality(pod)}
    found: KubeDict = {
        "conditions": _conditions(world, pod, run),
        "hostIP": host_names.resolve(world, run.node),
        "phase": run.phase,
        "qosClass": quality(pod),
    }
    found["hostIPs"] = [{"ip": found["hostIP"]}]
    if run.taken is not None:
        found["startTime"] = time_text(world.inventory, run.taken)
    if run.address:
        found |= {"podIP": run.address, "podIPs": [{"ip": run.address}]}
    if run.reason:
        found |= {"reason": run.reason, "message": run.message}
    if run.containers and not run.reason:
        images = {each["name"]: each["image"] for each in all_containers(pod)}
        found["containerStatuses"] = _statuses(world, run, run.containers, images)
        if run.init:
            found["initContainerStatuses"] = _statuses(world, run, run.init, images)
    return found


def all_containers(pod: KubeDict) -> list[KubeDict]:
    """Init containers, then the others."""
    return [*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"]]


def _statuses(world: World, run: PodRun, runs: tuple[ContainerRun, ...], images: Mapping[str, str]) -> list[KubeDict]:
    return [_container_status(world, each, images[each.name], run.node) for each in sorted(runs, key=lambda c: c.name)]


def _container_status(world: World, each: ContainerRun, image: str, node: str) -> KubeDict:
    inventory = world.inventory
    held = registries.find_held(world, node, image) if each.id else None
    found: KubeDict = {
        "image": held.reference if held else image,
        "imageID": f"{held.repository}@{held.digest}" if held else "",
        "lastState": {"terminated": _ended(inventory, each.last)} if each.last else {},
        "name": each.name,
        "ready": is_ready(each),
        "restartCount": each.restarts,
        "started": each.state == "running",
        "state": _state(inventory, each),
    }
    if each.id:
        found["containerID"] = f"containerd://{each.id}"
    return found


def _state(inventory: Inventory, each: ContainerRun) -> KubeDict:
    if each.state == "running":
        return {"running": {"startedAt": time_text(inventory, each.started)}}
    if each.state == "terminated" and each.ended:
        return {"terminated": _ended(inventory, each.ended)}
    return {"waiting": {"reason": each.reason} | ({"message": each.message} if each.message else {})}


def _ended(inventory: Inventory, end: ContainerEnd) -> KubeDict:
    found: KubeDict = {
        "containerID": f"containerd://{end.id}",
        "exitCode": end.exit_code,
        "finishedAt": time_text(inventory, end.finished),
        "reason": end.reason,
        "startedAt": time_text(inventory, end.started),
    }
    return found | ({"message": end.message} if end.message else {})


def is_ready(each: ContainerRun) -> bool:
    """Whether a container runs and answers its readiness probe."""
    return each.state == "running" and each.ready is not None


def ready_since(run: PodRun) -> int | None:
    """When the last of a pod's containers became ready; None while one is not."""
    if run.phase != "Running" or not all(is_ready(each) for each in run.containers):
        return None
    return max(each.ready or 0 for each in run.containers)


def is_pod_ready(world: World, pod: KubeDict) -> bool:
    """The Ready condition: that of the containers, and of a node whose kubelet is heard."""
    run = run_of(world, pod)
    return run is not None and ready_since(run) is not None and world.kube_nodes[run.node].ready == "True"


def _unscheduled(simulation: Simulation[World], pod: KubeDict) -> list[KubeDict]:
    """The condition of a pod that no node has."""
    world = simulation.world
    said = [
        event
        for _, event in events_log.living(simulation, pod["metadata"]["namespace"])
        if event.uid == pod["metadata"].get("uid") and event.reason == "FailedScheduling"
    ]
    if not said:
        return []
    last = max(said, key=lambda event: event.version)
    time = time_text(world.inventory, min(event.first for event in said))
    return [_condition("PodScheduled", "False", time, "Unschedulable", last.message)]


def _conditions(world: World, pod: KubeDict, run: PodRun) -> list[KubeDict]:
    inventory = world.inventory
    bound = time_text(inventory, run.bound)
    taken = time_text(inventory, run.taken if run.taken is not None else run.bound)
    if run.taken is None:
        return [_condition("PodScheduled", "True", bound)]
    since, done = ready_since(run), run.phase == "Succeeded"
    init = time_text(inventory, run.initialized) if run.initialized is not None else taken
    sandbox = _condition("PodReadyToStartContainers", "True" if run.sandbox else "False", taken)
    waiting = [
        each.name for each in run.init if not (each.state == "terminated" and each.ended and not each.ended.exit_code)
    ]
    initialized = (
        _condition("Initialized", "True", init, "PodCompleted" if done else "")
        if run.initialized is not None or not run.init
        else _condition(
            "Initialized", "False", taken, "ContainersNotInitialized",
            f"containers with incomplete status: [{' '.join(waiting)}]",
        )
    )  # fmt: skip
    return [
        sandbox,
        initialized,
        *_ready_conditions(world, run, since, taken, done),
        _condition("PodScheduled", "True", bound),
    ]


def _ready_conditions(world: World, run: PodRun, since: int | None, taken: str, done: bool) -> list[KubeDict]:
    inventory = world.inventory
    node = world.kube_nodes[run.node]
    if since is not None:
        text = time_text(inventory, since)
        ready = _condition("Ready", "True", text)
        if node.ready != "True" and node.since is not None:
            ready = _condition("Ready", "False", time_text(inventory, node.since))
        return [ready, _condition("ContainersReady", "True", text)]
    lacking = [each.name for each in run.containers if not is_ready(each)]
    reason, message = "ContainersNotReady", f"containers with unready status: [{' '.join(lacking)}]"
    if done or run.phase == "Failed":
        reason, message = ("PodCompleted" if done else "PodFailed"), ""
    ends = [each.ended.finished for each in run.containers if each.ended]
    time = time_text(inventory, max(ends)) if ends else taken
    return [_condition(kind, "False", time, reason, message) for kind in ("Ready", "ContainersReady")]


def _condition(kind: str, value: str, time: str, reason: str = "", message: str = "") -> KubeDict:
    found: KubeDict = {"lastProbeTime": None, "lastTransitionTime": time, "status": value, "type": kind}
    if reason:
        found["reason"] = reason
    return found | ({"message": message} if message else {})


def quality(pod: KubeDict) -> str:
    """Guaranteed, Burstable or BestEffort."""
    requests, limits, guaranteed = False, False, True
    for each in all_containers(pod):
        resources = each.get("resources") or {}
        asked, most = resources.get("requests") or {}, resources.get("limits") or {}
        for name in ("cpu", "memory"):
            requests |= name in asked
            limits |= name in most
            guaranteed &= name in most and milli(asked.get(name, most[name])) == milli(most[name])
    if not requests and not limits:
        return "BestEffort"
    return "Guaranteed" if guaranteed else "Burstable"


def requested(pod: KubeDict) -> dict[str, int]:
    """What a pod asks for: CPU in thousandths, others in pieces or bytes; the most of an init container counts."""
    total: dict[str, int] = {"pods": 1}
    for each in pod["spec"]["containers"]:
        for name, value in (each.get("resources", {}).get("requests") or {}).items():
            total[name] = total.get(name, 0) + _number(name, value)
    for each in pod["spec"].get("initContainers") or ():
        for name, value in (each.get("resources", {}).get("requests") or {}).items():
            total[name] = max(total.get(name, 0), _number(name, value))
    return total


def _number(name: str, value: Any) -> int:
    return milli(value) if name == "cpu" else amount(value)


def deletion(inventory: Inventory, pod: KubeDict) -> int | None:
    """The moment at which a pod is to be gone; None while nobody deletes it."""
    text = pod["metadata"].get("deletionTimestamp")
    return None if text is None else time_of(inventory, text)


def word(pod: KubeDict) -> str:
    """The STATUS of `kubectl get pods`, from a pod with its status."""
    found = pod["status"]
    text = str(found.get("reason") or found["phase"])
    init, starting = _init_word(pod)
    if init:
        text = init
    if not starting:
        running = False
        for each in reversed(found.get("containerStatuses") or ()):
            state = each["state"]
            if state.get("waiting", {}).get("reason"):
                text = state["waiting"]["reason"]
            elif "terminated" in state:
                text = _end_word(state["terminated"])
            elif each["ready"] and "running" in state:
                running = True
        if text == "Completed" and running:
            text = "Running" if _has_ready_condition(found) else "NotReady"
    if pod["metadata"].get("deletionTimestamp") is not None:
        text = "Unknown" if found.get("reason") == "NodeLost" else "Terminating"
    return text


def _init_word(pod: KubeDict) -> tuple[str, bool]:
    """The word of a pod whose init containers are not through, and whether they are not."""
    specs = pod["spec"].get("initContainers") or ()
    statuses = {each["name"]: each for each in pod["status"].get("initContainerStatuses") or ()}
    for index, spec in enumerate(specs):
        each = statuses.get(spec["name"])
        state = each["state"] if each else {}
        ended = state.get("terminated")
        if ended and ended["exitCode"] == 0:
            continue
        if ended:
            return f"Init:{_end_word(ended)}", True
        waiting = state.get("waiting", {}).get("reason", "")
        if waiting and waiting != "PodInitializing":
            return f"Init:{waiting}", True
        return (f"Init:{index}/{len(specs)}", True) if statuses or pod["status"].get("startTime") else ("", False)
    return "", False


def _end_word(ended: KubeDict) -> str:
    return str(ended.get("reason") or f"ExitCode:{ended['exitCode']}")


def _has_ready_condition(found: KubeDict) -> bool:
    return any(each["type"] == "Ready" and each["status"] == "True" for each in found.get("conditions") or ())
