"""The kubelet's way with a pod: admission, volumes, sandbox, init containers one after another, then the others.

Steps happen at moments that are scheduled (PodStepDue); a kubelet that does not run lets them pass, and goes on with
everything when it starts. Texts: pkg/kubelet/kuberuntime, pkg/kubelet/kubelet_pods.go, containerd 1.7's sandbox code
and libcni; delays are guesses of what a quiet node takes.
"""

from __future__ import annotations

from engine.control.kubernetes import pod_status, store
from engine.control.kubernetes.kubelet import admission, containers, ending, runs, sandbox, volumes
from engine.control.kubernetes.objects import KubeDict
from engine.kernel.events import Event, Handler
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND, SECOND
from engine.world.events import ProcessesEnded
from engine.world.kubernetes_events import KubeObjectChanged, PodDeletionDue, PodStepDue
from engine.world.records import ContainerRun, PodRun
from engine.world.world import World

Sim = Simulation[World]

_NOTICE = 40 * MILLISECOND
_MOUNT = 120 * MILLISECOND
_TRY_AGAIN = 12 * SECOND
_MIRROR = "kubernetes.io/config.mirror"
_FROM_OUTSIDE = ("killed", "gpu_lost", "gpu_error")


def is_static(pod: KubeDict) -> bool:
    """Whether a pod is the mirror of a static one."""
    return _MIRROR in (pod["metadata"].get("annotations") or {})


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    """A pod was given to a node, is to go, or is gone."""
    if event.store != store.PODS:
        return
    world, key = simulation.world, event.key
    if event.gone:
        if key in world.kube_pods:
            ending.clear(simulation, key)
        return
    pod = store.find(world, store.PODS, key)
    if pod is None or not pod["spec"].get("nodeName"):
        return
    if key not in world.kube_pods:
        _new(simulation, pod, key)
    elif pod["metadata"].get("deletionTimestamp") is not None and runs.works(world, world.kube_pods[key].node):
        ending.begin(simulation, pod)


def _new(simulation: Sim, pod: KubeDict, key: str) -> None:
    """The kubelet gets a new pod."""
    spec = pod["spec"]
    init = tuple(ContainerRun(each["name"]) for each in spec.get("initContainers") or ())
    reason = "PodInitializing" if init else "ContainerCreating"
    others = tuple(ContainerRun(each["name"], reason=reason) for each in spec["containers"])
    run = PodRun(spec["nodeName"], simulation.now, init=init, containers=others)
    simulation.world.kube_pods[key] = run
    delay = _NOTICE + hash64(simulation.seed, key, simulation.now) % 30 * MILLISECOND
    runs.later(simulation, key, pod["metadata"]["uid"], "", delay)


def _step_due(simulation: Sim, event: PodStepDue) -> None:
    """A moment that a kubelet waited for."""
    world = simulation.world
    pod = store.find(world, store.PODS, event.key)
    if pod is None or pod["metadata"]["uid"] != event.uid or event.key not in world.kube_pods:
        return
    run = world.kube_pods[event.key]
    waited = runs.container(run, event.container).due if event.container else run.due
    if waited != event.due or not runs.works(world, run.node):
        return
    if event.container:
        containers.step(simulation, pod, event.container)
        if event.key in world.kube_pods:
            advance(simulation, pod)
    elif pod["metadata"].get("deletionTimestamp") is not None:
        ending.begin(simulation, pod)
    else:
        advance(simulation, pod)


def advance(simulation: Sim, pod: KubeDict) -> None:
    """Whatever can be done for a pod now."""
    world, key = simulation.world, store.key_of(pod)
    run = world.kube_pods[key]
    if run.phase in ("Succeeded", "Failed") or pod["metadata"].get("deletionTimestamp") is not None:
        return
    if run.taken is None:
        if not admission.take(simulation, pod):
            runs.tell(simulation, key)
            return
        runs.tell(simulation, key)
        runs.later(simulation, key, pod["metadata"]["uid"], "", _MOUNT)
        return
    if not run.sandbox:
        _prepare(simulation, pod)
        return
    _start_what_waits(simulation, pod)
    ending.settle(simulation, pod)


def _prepare(simulation: Sim, pod: KubeDict) -> None:
    """Volumes, then the sandbox; what fails is tried again."""
    key, uid = store.key_of(pod), pod["metadata"]["uid"]
    if not volumes.mount(simulation, pod):
        runs.later(simulation, key, uid, "", volumes.again(simulation, key))
        return
    if not sandbox.make(simulation, pod):
        spread = hash64(simulation.seed, key, simulation.now) % 3000 * MILLISECOND
        runs.later(simulation, key, uid, "", _TRY_AGAIN + spread)
        return
    runs.tell(simulation, key)
    runs.later(simulation, key, uid, "", sandbox.TAKES)


def _start_what_waits(simulation: Sim, pod: KubeDict) -> None:
    """New containers get their first step: the next init container, or all others when these are through."""
    key = store.key_of(pod)
    run = simulation.world.kube_pods[key]
    waiting = next((each for each in run.init if not _through(each)), None)
    if waiting is not None:
        if waiting.stage == "new" and waiting.due == 0:
            containers.step(simulation, pod, waiting.name)
        return
    if run.initialized is None:
        runs.change(simulation, key, initialized=simulation.now)
    for each in run.containers:
        if each.stage == "new" and each.due == 0:
            containers.step(simulation, pod, each.name)


def _through(each: ContainerRun) -> bool:
    return each.state == "terminated" and each.ended is not None and each.ended.exit_code == 0


def resume(simulation: Sim, node: str) -> None:
    """A kubelet has started: it looks at every pod that it has."""
    for key, run in list(runs.of_node(simulation.world, node)):
        pod = store.find(simulation.world, store.PODS, key)
        if pod is None:
            ending.clear(simulation, key)
        elif pod["metadata"].get("deletionTimestamp") is not None:
            ending.begin(simulation, pod)
        else:
            _resume_pod(simulation, pod, run)


def _resume_pod(simulation: Sim, pod: KubeDict, run: PodRun) -> None:
    key, uid = store.key_of(pod), pod["metadata"]["uid"]
    if run.sandbox:
        for each in (*run.init, *run.containers):
            if each.stage in ("running", "crashed", "pulling", "backing_off"):
                runs.later(simulation, key, uid, each.name, max(0, each.due - simulation.now))
    elif run.phase in ("Pending", "Running"):
        if run.taken is not None and not admission.again(simulation, pod):
            runs.tell(simulation, key)
            return
        runs.later(simulation, key, uid, "", SECOND)


def _deletion_due(simulation: Sim, event: PodDeletionDue) -> None:
    """A pod's containers have had their time."""
    pod = store.find(simulation.world, store.PODS, event.key)
    if event.why == "grace" and pod is not None and pod["metadata"]["uid"] == event.uid:
        run = pod_status.run_of(simulation.world, pod)
        if run is None or runs.works(simulation.world, run.node):
            ending.finish(simulation, pod)


def _processes_ended(simulation: Sim, event: ProcessesEnded) -> None:
    """The first process of a container is gone, and not by the kubelet's doing."""
    world, host = simulation.world, event.host
    if host in world.kube_nodes and event.why in _FROM_OUTSIDE and runs.works(world, host):
        containers.processes_ended(simulation, host, event.pids, event.why, event.signal)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (KubeObjectChanged, _changed),
    (PodStepDue, _step_due),
    (PodDeletionDue, _deletion_due),
)
HOST_HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((ProcessesEnded, _processes_ended),)
