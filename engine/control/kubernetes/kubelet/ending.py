"""The end of a pod: its phase when its containers are through, and its deletion with a grace period.

On deletion each container is told to end (SIGTERM) and killed when the grace period is over; then the kubelet lets the
API server forget the pod. A pod whose node's kubelet is silent stays Terminating.
"""

from __future__ import annotations

from engine.control.kubernetes import pod_status, programs, registries, store
from engine.control.kubernetes.kubelet import launching, runs
from engine.control.kubernetes.objects import KubeDict
from engine.control.kubernetes.programs import Launch
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND, SECOND
from engine.world.kubernetes_events import PodDeletionDue
from engine.world.records import ContainerRun
from engine.world.world import World

Sim = Simulation[World]
_CLEANED = 350 * MILLISECOND


def settle(simulation: Sim, pod: KubeDict) -> None:
    """A pod whose containers have all ended for good has ended."""
    key = store.key_of(pod)
    if key not in simulation.world.kube_pods:
        return
    run = simulation.world.kube_pods[key]
    if run.phase not in ("Pending", "Running"):
        return
    failed = any(
        each.state == "terminated" and each.stage == "" and each.ended and each.ended.exit_code for each in run.init
    )
    over = run.containers and all(each.state == "terminated" and each.stage == "" for each in run.containers)
    if failed or over:
        bad = failed or any(each.ended and each.ended.exit_code for each in run.containers)
        runs.change(simulation, key, phase="Failed" if bad else "Succeeded")
        runs.tell(simulation, key)


def begin(simulation: Sim, pod: KubeDict) -> None:
    """The kubelet ends a pod that is being deleted."""
    world, key, uid = simulation.world, store.key_of(pod), pod["metadata"]["uid"]
    run = world.kube_pods[key]
    running = [each for each in (*run.init, *run.containers) if each.state == "running"]
    if not running:
        simulation.schedule(PodDeletionDue(key, uid, "grace", simulation.now), _CLEANED)
        return
    if all(each.stage == "stopping" for each in running):
        return
    grace = int(pod["metadata"].get("deletionGracePeriodSeconds", 30)) * SECOND
    longest = 0
    for each in running:
        runs.say(simulation, pod, "Normal", "Killing", f"Stopping container {each.name}", each.name)
        runs.change_container(simulation, key, each.name, stage="stopping")
        longest = max(longest, _stops(simulation, pod, each, grace))
    simulation.schedule(PodDeletionDue(key, uid, "grace", simulation.now), longest + _CLEANED)


def _stops(simulation: Sim, pod: KubeDict, each: ContainerRun, grace: int) -> int:
    """How long a container's program takes to end once it is told to (ns)."""
    world = simulation.world
    node, spec = world.kube_pods[store.key_of(pod)].node, runs.spec_of(pod, each.name)
    held = registries.find_held(world, node, spec["image"])
    launch = Launch(node, pod, spec, launching.gpus_of(world, pod, each.name, node), held.image.kind if held else "")
    takes = programs.program(simulation, launch).stops
    return grace if takes is None else min(takes, grace)


def finish(simulation: Sim, pod: KubeDict) -> None:
    """The containers of a deleted pod are gone, and so is the pod."""
    key = store.key_of(pod)
    if key in simulation.world.kube_pods:
        clear(simulation, key)
    store.remove(simulation, store.PODS, key)


def clear(simulation: Sim, key: str) -> None:
    """A node has nothing of a pod any more."""
    world = simulation.world
    run = world.kube_pods[key]
    ids = set()
    for each in (*run.init, *run.containers):
        ids |= {each.id, each.last.id if each.last else ""} - {""}
        record = next((one for one in world.container_hosts[run.node].containers if one.id == each.id), None)
        if record is not None and record.status == "running":
            _kill(simulation, run.node, each.id, record.pid)
    launching.remove(simulation, run.node, ids)
    world.kube_pods.forget(key)


def _kill(simulation: Sim, node: str, identifier: str, pid: int) -> None:
    from engine.control import processes
    from engine.control.containers import lifecycle

    lifecycle.change(simulation, node, identifier, status="exited", finished=simulation.now, pid=0)
    processes.end(simulation, node, [pid], "exit")


def is_over(world: World, pod: KubeDict) -> bool:
    """Whether a pod has ended for good."""
    run = pod_status.run_of(world, pod)
    return run is not None and run.phase in ("Succeeded", "Failed")
