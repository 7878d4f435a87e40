"""Containers of a pod: image, start, readiness, end, and the pauses between restarts.

A container that ended is started again at once the first time, then after 10 s, doubled with each restart up to 5 min,
and from the beginning after it ran for 10 min (pkg/kubelet: MaxContainerBackOff). Its states and texts:
pkg/kubelet/kuberuntime, kubelet.go (1.32).
"""

from __future__ import annotations

from engine.control.kubernetes import store
from engine.control.kubernetes.kubelet import ending, launching, probes, pulling, runs
from engine.control.kubernetes.objects import KubeDict, name_of, namespace_of
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND, MINUTE, SECOND
from engine.world.records import ContainerEnd, ContainerRun
from engine.world.world import World

Sim = Simulation[World]
_FIRST, _LONGEST, _RAN_WELL = 10 * SECOND, 300 * SECOND, 10 * MINUTE
_NOTICED = 1100 * MILLISECOND
_RESYNC = 12 * SECOND
KILLED, TERMINATED = 137, 143


def step(simulation: Sim, pod: KubeDict, name: str) -> None:
    """What is next for a container."""
    key = store.key_of(pod)
    each = runs.container(simulation.world.kube_pods[key], name)
    if each.stage == "new":
        if pulling.begin(simulation, pod, each):
            _start(simulation, pod, name)
    elif each.stage == "pulling":
        if pulling.end(simulation, pod, each, _pull_began(simulation, pod, each)):
            _start(simulation, pod, name)
    elif each.stage == "backing_off":
        if pulling.back_off(simulation, pod, each) and pulling.begin(simulation, pod, each):
            _start(simulation, pod, name)
    elif each.stage == "running":
        _look(simulation, pod, each)
    elif each.stage == "crashed":
        _after_crash(simulation, pod, each)


def _pull_began(simulation: Sim, pod: KubeDict, each: ContainerRun) -> int:
    """When the pull that ends now began: the kubelet's last event of it."""
    from engine.control.kubernetes import events_log

    said = [
        event.last
        for _, event in events_log.living(simulation, namespace_of(pod))
        if event.uid == pod["metadata"]["uid"]
        and event.reason == "Pulling"
        and event.field_path.endswith(f"{{{each.name}}}")
    ]
    return max(said, default=simulation.now)


def _start(simulation: Sim, pod: KubeDict, name: str) -> None:
    key, uid = store.key_of(pod), pod["metadata"]["uid"]
    refused = launching.start(simulation, pod, name)
    if refused is not None:
        reason, message = refused
        runs.say(simulation, pod, "Warning", "Failed", f"Error: {message}", name)
        if reason == "RunContainerError":
            _record_end(simulation, pod, name, 128, "StartError", message)
        else:
            runs.change_container(
                simulation, key, name, state="waiting", reason=reason, message=message, stage="backing_off"
            )
            runs.later(simulation, key, uid, name, _RESYNC)
        runs.tell(simulation, key)
        return
    _next_look(simulation, pod, name)
    runs.tell(simulation, key)


def _next_look(simulation: Sim, pod: KubeDict, name: str) -> None:
    """Schedule the moment at which a running container ends or is probed with another result."""
    key, uid = store.key_of(pod), pod["metadata"]["uid"]
    each = runs.container(simulation.world.kube_pods[key], name)
    moments = [moment for moment in (each.ends, probes.next_probe(simulation, pod, each)) if moment is not None]
    if moments:
        runs.later(simulation, key, uid, name, max(0, min(moments) - simulation.now))


def _look(simulation: Sim, pod: KubeDict, each: ContainerRun) -> None:
    key = store.key_of(pod)
    if each.ends is not None and simulation.now >= each.ends:
        launching.stop(simulation, pod, each)
        ended(simulation, pod, each.name, simulation.world.kube_logs[each.id].status)
        return
    if probes.probe(simulation, pod, each):
        runs.tell(simulation, key)
    if runs.container(simulation.world.kube_pods[key], each.name).stage == "running":
        _next_look(simulation, pod, each.name)


def ended(simulation: Sim, pod: KubeDict, name: str, status: int, reason: str = "", message: str = "") -> None:
    """A container has ended, by itself or by somebody's doing: what becomes of it and of its pod."""
    _record_end(simulation, pod, name, status, reason or ("Completed" if status == 0 else "Error"), message)
    ending.settle(simulation, pod)
    runs.tell(simulation, store.key_of(pod))


def _record_end(simulation: Sim, pod: KubeDict, name: str, status: int, reason: str, message: str) -> None:
    key, uid = store.key_of(pod), pod["metadata"]["uid"]
    each = runs.container(simulation.world.kube_pods[key], name)
    started = each.started if each.state == "running" else simulation.now
    end = ContainerEnd(each.id, status, reason, started, simulation.now, message)
    well = end.finished - end.started >= _RAN_WELL
    again = _comes_back(pod, name, status)
    runs.change_container(
        simulation, key, name, state="terminated", reason="", message="", ended=end, ready=None, ends=None,
        stage="crashed" if again else "", crashes=0 if well else each.crashes,
    )  # fmt: skip
    if again and pod["metadata"].get("deletionTimestamp") is None:
        runs.later(simulation, key, uid, name, _NOTICED)


def _comes_back(pod: KubeDict, name: str, status: int) -> bool:
    """Whether the kubelet starts a container anew that ended with a status."""
    policy = pod["spec"].get("restartPolicy", "Always")
    if any(each["name"] == name for each in pod["spec"].get("initContainers") or ()):
        return status != 0 and policy != "Never"
    return policy == "Always" or (policy == "OnFailure" and status != 0)


def _after_crash(simulation: Sim, pod: KubeDict, each: ContainerRun) -> None:
    """The kubelet has noticed an end: it starts the container anew, or waits first; or it has waited."""
    key, uid = store.key_of(pod), pod["metadata"]["uid"]
    wait = min(_FIRST << min(each.crashes - 1, 6), _LONGEST) if each.crashes else 0
    if each.state == "terminated" and wait and each.ended is not None:
        reference = f"{name_of(pod)}_{namespace_of(pod)}({uid})"
        text = f"Back-off restarting failed container {each.name} in pod {reference}"
        runs.say(simulation, pod, "Warning", "BackOff", text, each.name)
        message = f"back-off {_go_minutes(wait)} restarting failed container={each.name} pod={reference}"
        runs.change_container(
            simulation, key, each.name, state="waiting", reason="CrashLoopBackOff", message=message, last=each.ended
        )
        runs.log_failure(simulation, pod, "StartContainer", each.name, "CrashLoopBackOff", message)
        left = max(0, each.ended.finished + wait - simulation.now)
        runs.later(simulation, key, uid, each.name, left)
        runs.tell(simulation, key)
        return
    if wait // _RESYNC > 1:
        reference = f"{name_of(pod)}_{namespace_of(pod)}({uid})"
        text = f"Back-off restarting failed container {each.name} in pod {reference}"
        runs.say(simulation, pod, "Warning", "BackOff", text, each.name, times=wait // _RESYNC - 1)
    runs.change_container(
        simulation, key, each.name, stage="new", last=each.ended or each.last, ended=None, restarts=each.restarts + 1,
        crashes=each.crashes + 1, state="waiting", reason="ContainerCreating", due=0,
    )  # fmt: skip
    step(simulation, pod, each.name)


def _go_minutes(nanoseconds: int) -> str:
    """10s, 1m20s, 5m0s."""
    minutes, seconds = divmod(nanoseconds // SECOND, 60)
    return f"{minutes}m{seconds}s" if minutes else f"{seconds}s"


def processes_ended(simulation: Sim, node: str, pids: tuple[int, ...], why: str, signal: int) -> None:
    """First processes of containers are gone: killed from outside, or by what their GPUs did."""
    world = simulation.world
    ids = {
        each.id for each in world.container_hosts[node].containers if each.engine == launching.ENGINE and not each.pid
    }
    for key, run in list(runs.of_node(world, node)):
        for each in (*run.init, *run.containers):
            if each.state == "running" and each.id in ids and launching.was(world, node, each.id, pids):
                pod = store.find(world, store.PODS, key)
                if pod is not None:
                    status = 128 + signal if why == "killed" else 1
                    ended(simulation, pod, each.name, status)
