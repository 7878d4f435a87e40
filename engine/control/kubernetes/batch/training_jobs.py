"""MPIJobs (mpi-operator 0.6) and PyTorchJobs (training-operator 1.9) in a first form: their pods, conditions and
events.

An MPIJob has workers `NAME-worker-N`, which run sshd until they go, and a Job `NAME-launcher` that is over as its pod
is; a PyTorchJob has `NAME-master-0` and `NAME-worker-N` and is over when the master is. Words of events and
conditions: the operators' READMEs and pkg/controller; a PyTorchJob's are those of the same library, as remembered.
What the programs print is not modelled, and neither are elastic policies and RunPolicy but cleanPodPolicy.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from engine.control.kubernetes import creating, deleting, events_log, pod_status, store
from engine.control.kubernetes.batch import running
from engine.control.kubernetes.objects import KubeDict, controller_of, name_of, namespace_of, owner_reference, time_text
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.world import World

Sim = Simulation[World]
MPI_JOBS, PYTORCH_JOBS = "mpijobs.kubeflow.org", "pytorchjobs.kubeflow.org"
JOB_NAME, ROLE = "training.kubeflow.org/job-name", "training.kubeflow.org/job-role"
_TYPE, _INDEX = "training.kubeflow.org/replica-type", "training.kubeflow.org/replica-index"
_OPERATORS = {MPI_JOBS: ("mpi-operator", "mpi-operator"), PYTORCH_JOBS: ("kubeflow", "training-operator")}
_TELLERS = {MPI_JOBS: "mpi-job-controller", PYTORCH_JOBS: "pytorchjob-controller"}
_SSHD = ["/usr/sbin/sshd", "-De"]
_OVER = ("Succeeded", "Failed")


def members(thing: KubeDict) -> int:
    """How many pods a job has when all of them are there."""
    return sum(int(each.get("replicas", 1)) for each in _replicas(thing).values())


def _replicas(thing: KubeDict) -> dict[str, KubeDict]:
    word = "mpiReplicaSpecs" if thing["kind"] == "MPIJob" else "pytorchReplicaSpecs"
    found: dict[str, KubeDict] = thing["spec"].get(word) or {}
    return found


def _sync(simulation: Sim, of_store: str, key: str) -> None:
    """Bring a job's pods and conditions up to date."""
    world = simulation.world
    thing = store.find(world, of_store, key)
    if thing is None or not running.is_up(world, *_OPERATORS[of_store]):
        return
    if any(each["type"] in _OVER and each["status"] == "True" for each in _conditions(thing)):
        return
    if not _conditions(thing):
        _set(simulation, of_store, thing, "Created", f"{thing['kind']} {key} is created.")
    for role, spec in _replicas(thing).items():
        if thing["kind"] == "MPIJob" and role == "Launcher":
            _launcher(simulation, thing, spec)
            continue
        for number in range(int(spec.get("replicas", 1))):
            _pod(simulation, of_store, thing, role, spec, number)
    _judge(simulation, of_store, key)


def _launcher(simulation: Sim, thing: KubeDict, spec: KubeDict) -> None:
    key = f"{namespace_of(thing)}/{name_of(thing)}-launcher"
    if store.exists(simulation.world, store.JOBS, key):
        return
    template = deepcopy(spec["template"])
    template.setdefault("metadata", {}).setdefault("labels", {}).update(_labels(thing, "launcher"))
    template["spec"].setdefault("restartPolicy", spec.get("restartPolicy") or "Never")
    metadata = {
        "labels": {"app": name_of(thing)}, "name": f"{name_of(thing)}-launcher", "namespace": namespace_of(thing),
        "ownerReferences": [owner_reference(thing)],
    }  # fmt: skip
    limit = (thing["spec"].get("runPolicy") or {}).get("backoffLimit", 6)
    job = {"template": template, "backoffLimit": limit}
    creating.make(simulation, store.JOBS, {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": job})


def _labels(thing: KubeDict, role: str) -> dict[str, str]:
    operator = "mpi-operator" if thing["kind"] == "MPIJob" else "pytorchjob-controller"
    return {"training.kubeflow.org/operator-name": operator, JOB_NAME: name_of(thing), ROLE: role}


def _pod(simulation: Sim, of_store: str, thing: KubeDict, role: str, spec: KubeDict, number: int) -> None:
    """A worker, or the master, unless it is there."""
    name = f"{name_of(thing)}-{role.lower()}-{number}"
    if store.exists(simulation.world, store.PODS, f"{namespace_of(thing)}/{name}"):
        return
    template = deepcopy(spec["template"])
    labels = (template.get("metadata") or {}).get("labels") or {}
    labels = {**labels, **_labels(thing, role.lower()), _TYPE: role.lower(), _INDEX: str(number)}
    pod = template["spec"]
    pod.setdefault("restartPolicy", spec.get("restartPolicy") or "Never")
    if of_store == MPI_JOBS and not pod["containers"][0].get("command"):
        pod["containers"][0]["command"] = list(_SSHD)
    metadata: KubeDict = {
        "labels": labels, "name": name, "namespace": namespace_of(thing),
        "annotations": dict((template.get("metadata") or {}).get("annotations") or {}),
        "ownerReferences": [owner_reference(thing)],
    }  # fmt: skip
    creating.make(simulation, store.PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod})
    if of_store == PYTORCH_JOBS:
        told = (simulation, thing, "Normal", "SuccessfulCreatePod", f"Created pod: {name}", _TELLERS[of_store])
        events_log.record(*told)


def _judge(simulation: Sim, of_store: str, key: str) -> None:
    """Whether a job runs, or is over, by its pods."""
    world, thing = simulation.world, store.find(simulation.world, of_store, key)
    if thing is None:
        return
    kind, phases = thing["kind"], _phases(world, thing)
    lead = phases.get("launcher" if kind == "MPIJob" else "master", [])
    workers = [phase for role, each in phases.items() if role != "launcher" for phase in each]
    if "Succeeded" in lead and (kind == "MPIJob" or len(lead) == 1):
        _set(simulation, of_store, thing, "Succeeded", f"{kind} {key} successfully completed.")
        _clean(simulation, thing)
    elif kind == "PyTorchJob" and "Failed" in [*lead, *workers]:
        _set(simulation, of_store, thing, "Failed", f"{kind} {name_of(thing)} is failed because 1 replica(s) failed.")
    elif kind == "MPIJob" and _launcher_failed(world, thing):
        _set(simulation, of_store, thing, "Failed", f"{kind} {key} has failed")
    elif "Running" in lead and workers and all(phase == "Running" for phase in workers):
        _set(simulation, of_store, thing, "Running", f"{kind} {key} is running.")


def _phases(world: World, thing: KubeDict) -> dict[str, list[str]]:
    """The phases of a job's pods by role."""
    found: dict[str, list[str]] = {}
    for pod in store.objects(world, store.PODS, namespace_of(thing)):
        labels: Any = pod["metadata"].get("labels") or {}
        if labels.get(JOB_NAME) == name_of(thing):
            run = pod_status.run_of(world, pod)
            found.setdefault(labels.get(ROLE, ""), []).append(run.phase if run else "Pending")
    return found


def _launcher_failed(world: World, thing: KubeDict) -> bool:
    job = store.look(world, store.JOBS, f"{namespace_of(thing)}/{name_of(thing)}-launcher")
    conditions = ((job or {}).get("status") or {}).get("conditions") or ()
    return any(each["type"] == "Failed" for each in conditions)


def _clean(simulation: Sim, thing: KubeDict) -> None:
    """cleanPodPolicy: the pods that go when the job has succeeded."""
    policy = (thing["spec"].get("runPolicy") or {}).get("cleanPodPolicy", "None")
    for pod in list(store.objects(simulation.world, store.PODS, namespace_of(thing))):
        owner, run = controller_of(pod), pod_status.run_of(simulation.world, pod)
        if owner is None or owner["uid"] != thing["metadata"]["uid"]:
            continue
        if policy == "All" or (policy == "Running" and run is not None and run.phase == "Running"):
            deleting.pod(simulation, store.key_of(pod))


def _conditions(thing: KubeDict) -> list[KubeDict]:
    found: list[KubeDict] = (thing.get("status") or {}).get("conditions") or []
    return found


def _set(simulation: Sim, of_store: str, thing: KubeDict, kind: str, message: str) -> None:
    """A condition becomes true, and an event tells it; that of running ends with the job."""
    there = _conditions(thing)
    if any(each["type"] == kind and each["status"] == "True" for each in there):
        return
    now, reason = time_text(simulation.world.inventory, simulation.now), f"{thing['kind']}{kind}"
    kept = [
        {**each, "status": "False"} if each["type"] == "Running" and kind in _OVER else each
        for each in there
        if each["type"] != kind
    ]
    new = {
        "lastTransitionTime": now, "lastUpdateTime": now, "message": message, "reason": reason, "status": "True",
        "type": kind,
    }  # fmt: skip
    status = {**(thing.get("status") or {}), "conditions": [*kept, new]}
    status.setdefault("startTime", now)
    if kind == "Succeeded":
        status["completionTime"] = now
    thing["status"] = status
    level = "Warning" if kind == "Failed" else "Normal"
    events_log.record(simulation, thing, level, reason, message, _TELLERS[of_store])
    thing["metadata"]["resourceVersion"] = str(store.touch(simulation))
    store.put(simulation, of_store, thing)


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    if event.gone:
        return
    if event.store in _OPERATORS:
        _sync(simulation, event.store, event.key)
    elif event.store in (store.PODS, store.JOBS):
        thing = store.look(simulation.world, event.store, event.key)
        labels = ((thing or {}).get("metadata") or {}).get("labels") or {}
        owner = controller_of(thing) if thing else None
        name = labels.get(JOB_NAME) or (owner["name"] if owner and owner["kind"] == "MPIJob" else "")
        for of_store in _OPERATORS if name and thing else ():
            _sync(simulation, of_store, f"{namespace_of(thing or {})}/{name}")


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)
