"""The CronJob controller: a Job at each moment of the schedule (pkg/controller/cronjob).

With concurrencyPolicy Forbid a moment is left out while a Job is active, with Replace the active one goes. Of the
Jobs that are over the last successfulJobsHistoryLimit and failedJobsHistoryLimit stay. What was due while the
controller did not run is not made up for: only its next moment counts here.
"""

from __future__ import annotations

from copy import deepcopy

from engine.control.kubernetes import control_plane, creating, cron_schedule, deleting, events_log, store
from engine.control.kubernetes.objects import (
    KubeDict,
    controller_of,
    freeze,
    name_of,
    namespace_of,
    owner_reference,
    time_text,
)
from engine.kernel.calendar import epoch_of, local
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.world.kubernetes_events import KubeJobDue, KubeObjectChanged
from engine.world.records import KubeObject
from engine.world.world import World

Sim = Simulation[World]
CRON_JOBS = "cronjobs.batch"
_COMPONENT, _WHY = "cronjob-controller", "schedule"


def _next(simulation: Sim, thing: KubeDict) -> int | None:
    """The next moment of a CronJob (ns since the site's start)."""
    inventory = simulation.world.inventory
    zone = str(thing["spec"].get("timeZone") or "Etc/UTC")
    now = inventory.start + simulation.now
    here = local(zone, now).replace(tzinfo=None)
    found = cron_schedule.parse(str(thing["spec"]["schedule"])).after(here)
    return None if found is None else epoch_of(zone, found) - inventory.start


def _plan(simulation: Sim, thing: KubeDict) -> None:
    """Wait for the next moment."""
    due = None if thing["spec"].get("suspend") else _next(simulation, thing)
    if due is not None:
        event = KubeJobDue(store.key_of(thing), thing["metadata"]["uid"], _WHY, int(thing["metadata"]["generation"]))
        simulation.schedule(event, due - simulation.now)


def _due(simulation: Sim, event: KubeJobDue) -> None:
    thing = store.find(simulation.world, CRON_JOBS, event.key) if event.why == _WHY else None
    if thing is None or thing["metadata"]["uid"] != event.uid or thing["metadata"]["generation"] != event.since:
        return
    _plan(simulation, thing)
    if control_plane.controls(simulation.world) and not thing["metadata"].get("deletionTimestamp"):
        _start(simulation, thing)


def _start(simulation: Sim, thing: KubeDict) -> None:
    world, spec = simulation.world, thing["spec"]
    active = [job for job in jobs(world, thing) if not outcome(job)]
    if active and spec["concurrencyPolicy"] == "Forbid":
        text = "Not starting job because prior execution is running and concurrency policy is Forbid"
        events_log.record(simulation, thing, "Normal", "JobAlreadyActive", text, _COMPONENT)
        return
    for job in active if spec["concurrencyPolicy"] == "Replace" else ():
        deleting.now(simulation, store.JOBS, store.key_of(job))
        text = f"Deleted job {name_of(job)}"
        events_log.record(simulation, thing, "Normal", "SuccessfulDelete", text, _COMPONENT)
    template = deepcopy(spec["jobTemplate"])
    minutes = (world.inventory.start + simulation.now) // MINUTE
    metadata = {
        **template.get("metadata", {}), "name": f"{name_of(thing)}-{minutes}", "namespace": namespace_of(thing),
        "ownerReferences": [owner_reference(thing)],
    }  # fmt: skip
    marks = {"batch.kubernetes.io/cronjob-scheduled-timestamp": time_text(world.inventory, simulation.now)}
    metadata["annotations"] = {**(metadata.get("annotations") or {}), **marks}
    metadata.pop("creationTimestamp", None)
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": template["spec"]}
    creating.make(simulation, store.JOBS, job)
    text = f"Created job {metadata['name']}"
    events_log.record(simulation, thing, "Normal", "SuccessfulCreate", text, _COMPONENT)
    _report(simulation, thing, lastScheduleTime=time_text(world.inventory, simulation.now))


def jobs(world: World, thing: KubeDict) -> list[KubeDict]:
    """The Jobs that a CronJob has made, oldest first."""
    uid = thing["metadata"]["uid"]
    found = [
        job
        for job in store.objects(world, store.JOBS, namespace_of(thing))
        if (controller_of(job) or {}).get("uid") == uid
    ]
    return sorted(found, key=lambda job: str(job["metadata"]["creationTimestamp"]))


def outcome(job: KubeDict) -> str:
    """Complete or Failed, or "" for a Job that is not over."""
    conditions = (job.get("status") or {}).get("conditions") or ()
    return next((str(each["type"]) for each in conditions if each["type"] in ("Complete", "Failed")), "")


def _report(simulation: Sim, thing: KubeDict, **more: str) -> None:
    """The status: which Jobs are active, and the last moments; quietly, as its own controller need not hear of it."""
    status = {**(thing.get("status") or {}), **more}
    references = [
        {
            "apiVersion": "batch/v1", "kind": "Job", "name": name_of(job), "namespace": namespace_of(job),
            "resourceVersion": job["metadata"]["resourceVersion"], "uid": job["metadata"]["uid"],
        }
        for job in jobs(simulation.world, thing) if not outcome(job)
    ]  # fmt: skip
    status.pop("active", None)
    if references:
        status["active"] = references
    if status != thing.get("status"):
        thing["status"] = status
        thing["metadata"]["resourceVersion"] = str(store.touch(simulation))
        simulation.world.kube_objects[f"{CRON_JOBS}/{store.key_of(thing)}"] = KubeObject(freeze(thing))


def _finished(simulation: Sim, thing: KubeDict, job: KubeDict) -> None:
    """One of its Jobs is over."""
    word = outcome(job)
    text = f"Saw completed job: {name_of(job)}, condition: {word}"
    events_log.record(simulation, thing, "Normal", "SawCompletedJob", text, _COMPONENT)
    end = {"lastSuccessfulTime": str(job["status"]["completionTime"])} if word == "Complete" else {}
    _report(simulation, thing, **end)
    for kind, limit in (("Complete", "successfulJobsHistoryLimit"), ("Failed", "failedJobsHistoryLimit")):
        over = [each for each in jobs(simulation.world, thing) if outcome(each) == kind]
        for old in over[: max(0, len(over) - int(thing["spec"][limit]))]:
            deleting.now(simulation, store.JOBS, store.key_of(old))


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    world = simulation.world
    if event.gone or not control_plane.controls(world):
        return
    if event.store == CRON_JOBS:
        thing = store.find(world, CRON_JOBS, event.key)
        if thing is not None:
            _plan(simulation, thing)
    elif event.store == store.JOBS:
        job = store.look(world, store.JOBS, event.key)
        owner = controller_of(job) if job else None
        if job is not None and owner is not None and owner["kind"] == "CronJob" and outcome(job):
            thing = store.find(world, CRON_JOBS, f"{namespace_of(job)}/{owner['name']}")
            if thing is not None:
                _finished(simulation, thing, job)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed), (KubeJobDue, _due))
