"""Logs of containers, and the way into a running one, with the refusals of API server and kubelet.

A log is what the container has written (ContainerLog), that of its present run or with `previous` of the one before.
Texts: pkg/registry/core/pod/strategy.go (LogLocation), pkg/kubelet/kubelet_pods.go.
"""

from __future__ import annotations

from engine.control import host_names
from engine.control.kubernetes import pod_status, store
from engine.control.kubernetes.kubelet import runs
from engine.control.kubernetes.objects import KubeDict
from engine.control.kubernetes.status_error import StatusError, bad_request, not_found
from engine.kernel.calendar import utc
from engine.kernel.simulation import Simulation
from engine.world.records import BootPhase, ContainerRun, PodRun
from engine.world.world import World

Sim = Simulation[World]
_KUBELET_PORT = 10250


def lines(
    simulation: Sim,
    namespace: str,
    name: str,
    container: str,
    *,
    previous: bool,
    since: int | None,
    tail: int | None,
    timestamps: bool,
) -> list[str]:
    """The lines of a container's log. Raises StatusError."""
    pod, run, each = _found(simulation, namespace, name, container)
    identifier = _run(pod, each, previous=previous)
    _reach_kubelet(simulation.world, run.node, f"containerLogs/{namespace}/{name}/{each.name}")
    written = [
        (time, text)
        for time, text in simulation.world.kube_logs[identifier].lines
        if time <= simulation.now and (since is None or time >= since)
    ]
    if tail is not None and tail >= 0:
        written = written[len(written) - tail :] if tail else []
    return [f"{_stamp(simulation, time)} {text}" if timestamps else text for time, text in written]


def _stamp(simulation: Sim, time: int) -> str:
    moment = simulation.world.inventory.start + time
    return f"{utc(moment):%Y-%m-%dT%H:%M:%S}.{moment % 10**9:09d}Z"


def running(simulation: Sim, namespace: str, name: str, container: str) -> tuple[str, str]:
    """(host, id) of a running container. Raises StatusError."""
    _, run, each = _found(simulation, namespace, name, container)
    _reach_kubelet(simulation.world, run.node, f"exec/{namespace}/{name}/{each.name}")
    if run.phase in ("Succeeded", "Failed"):
        raise bad_request(f"cannot exec into a container in a completed pod; current phase is {run.phase}")
    if each.state != "running":
        raise StatusError(500, "InternalError", f'unable to upgrade connection: container not found ("{each.name}")')
    return run.node, each.id


def _found(simulation: Sim, namespace: str, name: str, container: str) -> tuple[KubeDict, PodRun, ContainerRun]:
    """The pod, what its kubelet has of it, and the container that is meant."""
    world = simulation.world
    pod = store.find(world, store.PODS, f"{namespace}/{name}")
    if pod is None:
        raise not_found("pods", "", name)
    names = [each["name"] for each in pod["spec"]["containers"]]
    init = [each["name"] for each in pod["spec"].get("initContainers") or ()]
    if not container:
        if len(names) > 1:
            choice = " ".join(names)
            more = f" or one of the init containers: [{' '.join(init)}]" if init else ""
            text = f"a container name must be specified for pod {name}, choose one of: [{choice}]{more}"
            raise bad_request(text)
        container = names[0]
    if container not in (*names, *init):
        raise bad_request(f"container {container} is not valid for pod {name}")
    run = pod_status.run_of(world, pod)
    if run is None:
        raise bad_request(f"pod {name} does not have a host assigned")
    return pod, run, runs.container(run, container)


def _run(pod: KubeDict, each: ContainerRun, *, previous: bool) -> str:
    """The id of the container whose log is wanted."""
    name = pod["metadata"]["name"]
    if previous:
        if each.last is None or not each.last.id:
            raise bad_request(f'previous terminated container "{each.name}" in pod "{name}" not found')
        return each.last.id
    if each.state == "waiting" and each.reason == "CrashLoopBackOff" and each.last:
        return each.last.id
    if each.state == "waiting" or not each.id:
        why = _trouble(each)
        raise bad_request(f'container "{each.name}" in pod "{name}" is waiting to start: {why}')
    return each.id


def _trouble(each: ContainerRun) -> str:
    words = {"ErrImagePull": "image can't be pulled", "ImagePullBackOff": "trying and failing to pull image"}
    return words.get(each.reason, each.reason or "ContainerCreating")


def _reach_kubelet(world: World, node: str, path: str) -> None:
    """The API server asks the kubelet. Raises StatusError where nobody answers."""
    if runs.works(world, node):
        return
    address = f"{host_names.resolve(world, node)}:{_KUBELET_PORT}"
    up = world.nodes[node].phase is BootPhase.RUNNING
    why = "connect: connection refused" if up else "connect: no route to host"
    text = f'Get "https://{address}/{path}": dial tcp {address}: {why}'
    raise StatusError(500, "InternalError", f"Internal error occurred: {text}" if path.startswith("exec") else text)
