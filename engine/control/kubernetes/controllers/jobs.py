"""The Job controller: pods until enough have succeeded, or too many failed (pkg/controller/job).

A pod that failed is followed by another after 10 s, doubled with each failure up to 10 min; with more failures than
backoffLimit the Job fails. A Job that is over may be removed after ttlSecondsAfterFinished.
"""

from __future__ import annotations

from engine.control.kubernetes import (
    control_plane,
    creating,
    deleting,
    events_log,
    pod_status,
    quotas,
    store,
    workload_status,
)
from engine.control.kubernetes.objects import KubeDict, controller_of, freeze, name_of, time_text
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.world.kubernetes_events import KubeJobDue, KubeObjectChanged
from engine.world.records import KubeObject
from engine.world.world import World

Sim = Simulation[World]
_COMPONENT = "job-controller"
_FIRST, _LONGEST = 10 * SECOND, 10 * MINUTE


def sync(simulation: Sim, key: str) -> None:
    """Bring a Job's pods and its status up to date."""
    world = simulation.world
    job = store.find(world, store.JOBS, key)
    if job is None or job["metadata"].get("deletionTimestamp") or not control_plane.controls(world):
        return
    status = job.get("status") or {}
    if any(each["type"] in ("Complete", "Failed") for each in status.get("conditions") or ()):
        return
    if not status.get("startTime"):
        status["startTime"] = time_text(world.inventory, simulation.now)
        limit = job["spec"].get("activeDeadlineSeconds")
        if limit:
            uid = job["metadata"]["uid"]
            simulation.schedule(KubeJobDue(key, uid, "deadline", simulation.now), int(limit) * SECOND)
    pods = workload_status.owned(world, store.PODS, job)
    counts = _count(world, pods)
    _report(simulation, job, status, counts)
    _act(simulation, job, status, pods, counts)


def _count(world: World, pods: list[KubeDict]) -> dict[str, int]:
    counts = {"active": 0, "succeeded": 0, "failed": 0, "ready": 0}
    for pod in pods:
        run = pod_status.run_of(world, pod)
        if run is not None and run.phase in ("Succeeded", "Failed"):
            counts["succeeded" if run.phase == "Succeeded" else "failed"] += 1
        elif pod["metadata"].get("deletionTimestamp") is None:
            counts["active"] += 1
            counts["ready"] += pod_status.is_pod_ready(world, pod)
    return counts


def _report(simulation: Sim, job: KubeDict, status: KubeDict, counts: dict[str, int]) -> None:
    """Write the counts, if they are other ones."""
    new = {name: value for name, value in status.items() if name not in ("active", "succeeded", "failed")}
    new |= {name: count for name, count in counts.items() if count and name != "ready"}
    new |= {"ready": counts["ready"], "terminating": 0, "uncountedTerminatedPods": {}}
    status.clear()
    status.update(new)
    if job.get("status") != new:
        job["status"] = new
        _write(simulation, job)


def _write(simulation: Sim, job: KubeDict) -> None:
    """Write a Job quietly: its own controller need not hear of it."""
    job["metadata"]["resourceVersion"] = str(store.touch(simulation))
    simulation.world.kube_objects[f"{store.JOBS}/{store.key_of(job)}"] = KubeObject(freeze(job))


def _act(simulation: Sim, job: KubeDict, status: KubeDict, pods: list[KubeDict], counts: dict[str, int]) -> None:
    spec = job["spec"]
    wanted = spec.get("completions") or 1
    if counts["succeeded"] >= wanted:
        _finish(simulation, job, status, "Complete", "CompletionsReached", "Reached expected number of succeeded pods")
        events_log.record(simulation, job, "Normal", "Completed", "Job completed", _COMPONENT)
    elif counts["failed"] > spec.get("backoffLimit", 6):
        text = "Job has reached the specified backoff limit"
        events_log.record(simulation, job, "Warning", "BackoffLimitExceeded", text, _COMPONENT)
        for pod in pods:
            if workload_status.is_active(simulation.world, pod):
                deleting.pod(simulation, store.key_of(pod))
        _finish(simulation, job, status, "Failed", "BackoffLimitExceeded", text)
    elif not spec.get("suspend"):
        lacking = min(spec.get("parallelism", 1), wanted - counts["succeeded"]) - counts["active"]
        _make(simulation, job, lacking, counts["failed"])


def _make(simulation: Sim, job: KubeDict, lacking: int, failed: int) -> None:
    """New pods, at once or after the pause that failures bring."""
    if lacking <= 0:
        return
    world = simulation.world
    wait = _pause(simulation, job, failed)
    if wait > 0:
        simulation.schedule(KubeJobDue(store.key_of(job), job["metadata"]["uid"], "retry", simulation.now), wait)
        return
    for _ in range(lacking):
        if quotas.holds_back(simulation, job, _COMPONENT):
            return
        pod = creating.owned_pod(simulation, job, job["spec"]["template"])
        events_log.record(simulation, job, "Normal", "SuccessfulCreate", f"Created pod: {name_of(pod)}", _COMPONENT)
    kept = store.find(world, store.JOBS, store.key_of(job))
    if kept is not None:
        pods = workload_status.owned(world, store.PODS, kept)
        _report(simulation, kept, kept.get("status") or {}, _count(world, pods))


def _pause(simulation: Sim, job: KubeDict, failed: int) -> int:
    """How long a Job still has to wait after its last failure (ns)."""
    if not failed:
        return 0
    ends = [0]
    for pod in workload_status.owned(simulation.world, store.PODS, job):
        run = pod_status.run_of(simulation.world, pod)
        if run is not None and run.phase == "Failed":
            ends.append(max((each.ended.finished for each in run.containers if each.ended), default=run.bound))
    return max(ends) + min(_FIRST << min(failed - 1, 7), _LONGEST) - simulation.now


def _finish(simulation: Sim, job: KubeDict, status: KubeDict, kind: str, reason: str, message: str) -> None:
    time = time_text(simulation.world.inventory, simulation.now)
    first = "SuccessCriteriaMet" if kind == "Complete" else "FailureTarget"
    status["conditions"] = [
        {
            "lastProbeTime": time, "lastTransitionTime": time, "message": message, "reason": reason, "status": "True",
            "type": each,
        }
        for each in (first, kind)
    ]  # fmt: skip
    if kind == "Complete":
        status["completionTime"] = time
    job["status"] = status
    _write(simulation, job)
    simulation.schedule(KubeObjectChanged(store.JOBS, store.key_of(job)), 0)
    keep = job["spec"].get("ttlSecondsAfterFinished")
    if keep is not None:
        due = KubeJobDue(store.key_of(job), job["metadata"]["uid"], "cleanup", simulation.now)
        simulation.schedule(due, int(keep) * SECOND)


def _due(simulation: Sim, event: KubeJobDue) -> None:
    job = store.find(simulation.world, store.JOBS, event.key)
    if job is None or job["metadata"]["uid"] != event.uid:
        return
    if event.why == "cleanup":
        deleting.now(simulation, store.JOBS, event.key)
    elif event.why == "deadline" and not _is_over(job):
        text = "Job was active longer than specified deadline"
        events_log.record(simulation, job, "Warning", "DeadlineExceeded", text, _COMPONENT)
        for pod in workload_status.owned(simulation.world, store.PODS, job):
            if workload_status.is_active(simulation.world, pod):
                deleting.pod(simulation, store.key_of(pod))
        _finish(simulation, job, job.get("status") or {}, "Failed", "DeadlineExceeded", text)
    else:
        sync(simulation, event.key)


def _is_over(job: KubeDict) -> bool:
    conditions = (job.get("status") or {}).get("conditions") or ()
    return any(each["type"] in ("Complete", "Failed") for each in conditions)


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    freed = quotas.concerns(simulation.world, event.store, event.key, event.gone)
    for key in store.keys(simulation.world, store.JOBS, freed) if freed else ():
        sync(simulation, key)
    if event.store == store.JOBS and not event.gone:
        sync(simulation, event.key)
    elif event.store == store.PODS:
        namespace, _, name = event.key.partition("/")
        pod = None if event.gone else store.look(simulation.world, store.PODS, event.key)
        owner = controller_of(pod) if pod else None
        if owner is not None and owner["kind"] == "Job":
            sync(simulation, f"{namespace}/{owner['name']}")
        elif pod is None and store.exists(simulation.world, store.JOBS, f"{namespace}/{name.rpartition('-')[0]}"):
            sync(simulation, f"{namespace}/{name.rpartition('-')[0]}")


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed), (KubeJobDue, _due))
