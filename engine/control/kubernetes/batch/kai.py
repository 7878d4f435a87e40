"""The KAI scheduler (core of Run:ai) in a first form: pods with schedulerName kai-scheduler, by queue and gang.

A pod names its queue by the label kai.scheduler/queue. Its GPUs, with those that the queue's pods hold, must stay
within the queue's limit; those of a non-preemptible workload (priority 100 and more) within its quota (-1: no bound).
The pods of an MPIJob or PyTorchJob are a gang: all that have no node yet are placed together, or none. Texts:
NVIDIA/KAI-Scheduler pkg/scheduler/api (unschedule_info.go, pod_errors.go) and the binder's event; the reason for
taints is a guess. Fair shares between queues, reclaim, preemption, consolidation and parts of GPUs are not modelled.
"""

from __future__ import annotations

from engine.control.kubernetes import control_plane, events_log, pod_status, scheduler, store
from engine.control.kubernetes.batch import running, training_jobs
from engine.control.kubernetes.objects import KubeDict, controller_of, labels_of, name_of, namespace_of
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.world import World

Sim = Simulation[World]
NAME, QUEUES, QUEUE = "kai-scheduler", "queues.scheduling.run.ai", "kai.scheduler/queue"
_GPU = "nvidia.com/gpu"
_NON_PREEMPTIBLE = 100
_WORDS = {_GPU: "GPUs", "cpu": "CPU cores", "memory": "memory"}
_GANGS = {"MPIJob": training_jobs.MPI_JOBS, "PyTorchJob": training_jobs.PYTORCH_JOBS}


def status(simulation: Sim, thing: KubeDict) -> KubeDict:
    """The status of a queue: its children, and the GPUs that its pods hold."""
    world, name = simulation.world, name_of(thing)
    children = [name_of(each) for each in store.objects(world, QUEUES) if each["spec"].get("parentQueue") == name]
    found: KubeDict = {"allocated": {_GPU: str(_held(world, {name, *children}))}}
    return found | ({"childQueues": children} if children else {})


def _held(world: World, queues: set[str], bound: int = 0) -> int:
    """GPUs of the pods that have a node, of queues, with at least a priority."""
    total = 0
    for pod in store.objects(world, store.PODS):
        run = pod_status.run_of(world, pod)
        counts = pod["spec"].get("nodeName") and pod["spec"].get("priority", 0) >= bound
        if counts and labels_of(pod).get(QUEUE) in queues:
            total += 0 if run and run.phase in ("Succeeded", "Failed") else pod_status.requested(pod).get(_GPU, 0)
    return total


def _waiting(world: World) -> list[KubeDict]:
    found = [
        pod
        for pod in store.objects(world, store.PODS)
        if pod["spec"].get("schedulerName") == NAME
        and not pod["spec"].get("nodeName")
        and pod["metadata"].get("deletionTimestamp") is None
    ]
    return sorted(found, key=lambda pod: (-pod["spec"].get("priority", 0), str(pod["metadata"]["creationTimestamp"])))


def _gangs(world: World) -> list[tuple[list[KubeDict], int]]:
    """Pods that wait, those of one workload together, each with how many are needed."""
    found: dict[str, tuple[list[KubeDict], int]] = {}
    for pod in _waiting(world):
        key, needed = store.key_of(pod), 1
        owner = controller_of(pod)
        name = labels_of(pod).get(training_jobs.JOB_NAME) or (owner["name"] if owner else "")
        for of_store in _GANGS.values() if name else ():
            thing = store.look(world, of_store, f"{namespace_of(pod)}/{name}")
            if thing is not None:
                key, needed = f"{of_store}/{namespace_of(pod)}/{name}", training_jobs.members(thing)
        found.setdefault(key, ([], needed))[0].append(pod)
    return list(found.values())


def _look(simulation: Sim) -> None:
    """Try all workloads that wait."""
    world = simulation.world
    if not control_plane.serves(world) or not running.is_up(world, NAME, "kai-scheduler-default"):
        return
    for pods, needed in _gangs(world):
        placed = _placed_of(world, pods[0])
        if len(pods) + placed < needed:
            continue
        refusal = _by_queue(world, pods) or _place(simulation, pods, needed)
        for pod in pods if refusal else ():
            events_log.record(simulation, pod, "Warning", "Unschedulable", refusal, NAME)


def _placed_of(world: World, pod: KubeDict) -> int:
    """How many pods of the same workload have a node already."""
    name = labels_of(pod).get(training_jobs.JOB_NAME)
    return sum(
        bool(each["spec"].get("nodeName")) and labels_of(each).get(training_jobs.JOB_NAME) == name
        for each in (store.objects(world, store.PODS, namespace_of(pod)) if name else ())
    )


def _by_queue(world: World, pods: list[KubeDict]) -> str:
    """What the queue says against a workload, or nothing."""
    name = labels_of(pods[0]).get(QUEUE, "")
    queue = store.look(world, QUEUES, f"/{name}")
    if queue is None:
        return f"Queue '{name}' does not exist"
    wanted = sum(pod_status.requested(pod).get(_GPU, 0) for pod in pods)
    rule = ((queue["spec"].get("resources") or {}).get("gpu")) or {}
    limit, quota, held = int(rule.get("limit", -1)), int(rule.get("quota", -1)), _held(world, {name})
    if 0 <= limit < held + wanted:
        return (
            f"{name} quota has reached the allowable limit of GPUs. Limit is {limit} GPUs, currently {held} GPUs "
            f"allocated and workload requested {wanted} GPUs"
        )
    firm = _held(world, {name}, _NON_PREEMPTIBLE)
    if pods[0]["spec"].get("priority", 0) >= _NON_PREEMPTIBLE and 0 <= quota < firm + wanted:
        return (
            f"Non-preemptible workload is over quota. Workload requested {wanted} GPUs, but {name} quota is {quota} "
            f"GPUs, while {firm} GPUs are already allocated for non-preemptible pods. Use a preemptible workload to go "
            "over quota."
        )
    return ""


def _place(simulation: Sim, pods: list[KubeDict], needed: int) -> str:
    """Give every pod a node, or none of them one and say why."""
    world = simulation.world
    used, chosen = scheduler.used(world), list[tuple[KubeDict, str]]()
    for pod in pods:
        refusals: dict[str, int] = {}
        for node in store.objects(world, store.NODES):
            name = name_of(node)
            reasons = scheduler.reasons(world, pod, node, used.get(name, {}))
            if not reasons:
                chosen.append((pod, name))
                there = used.setdefault(name, {})
                for resource, count in pod_status.requested(pod).items():
                    there[resource] = there.get(resource, 0) + count
                break
            for reason in reasons:
                refusals[_said(reason)] = refusals.get(_said(reason), 0) + 1
        else:
            why = " \n".join(f"{count} {reason}." for reason, count in sorted(refusals.items()))
            why = f"no nodes with enough resources were found: {why}"
            if needed > 1:
                return (
                    f"Resources were found for {len(chosen)} pods while {needed} are required for gang scheduling. "
                    f"Additional pods cannot be scheduled due to: {why}"
                )
            return f"Resources were not found for pod {store.key_of(pod)} due to: {why}"
    for pod, name in chosen:
        current = store.find(world, store.PODS, store.key_of(pod))
        if current is not None:
            text = f"Successfully assigned pod {store.key_of(pod)} to node {name} at node-pool default"
            scheduler.bind(simulation, current, name, text, NAME)
    return ""


def _said(reason: str) -> str:
    resource = reason.removeprefix("Insufficient ")
    if resource == reason:
        return reason
    if resource.startswith("nvidia.com/mig-"):
        return f"node(s) didn't have enough of mig profile: {resource}"
    return f"node(s) didn't have enough resources: {_WORDS.get(resource, resource)}"


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    """A pod has come or gone, a node or a queue has changed."""
    if event.store == store.PODS and not event.gone:
        pod = store.look(simulation.world, store.PODS, event.key)
        run = pod_status.run_of(simulation.world, pod) if pod else None
        mine = pod is not None and pod["spec"].get("schedulerName") == NAME and not pod["spec"].get("nodeName")
        if mine or (run is not None and run.phase in ("Succeeded", "Failed")):
            _look(simulation)
    elif event.store in (store.NODES, QUEUES, store.PODS):
        _look(simulation)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)
