"""The description of a cron job.

Source: kubectl pkg/describe/describe.go (describeCronJob).
"""

from __future__ import annotations

from typing import Any

from engine.commands.kubernetes._kubectl import spans
from engine.commands.kubernetes._kubectl.describing import pods, writer
from engine.commands.kubernetes._kubectl.describing.writer import Writer
from engine.commands.kubernetes._kubectl.session import Session
from engine.control.kubernetes import selectors


def describe(session: Session, thing: dict[str, Any]) -> str:
    """A cron job and the jobs that it has active."""
    out = Writer(session.minor)
    spec, status = thing["spec"], thing.get("status") or {}
    job = spec["jobTemplate"]["spec"]
    writer.begin(out, thing)
    writer.marks(out, thing)
    out.pair("Schedule", spec["schedule"])
    out.pair("Concurrency Policy", spec.get("concurrencyPolicy", ""))
    out.pair("Suspend", "True" if spec.get("suspend") else "False")
    out.pair("Time Zone", spec.get("timeZone") or "<unset>")
    out.pair("Successful Job History Limit", spec.get("successfulJobsHistoryLimit", 3))
    out.pair("Failed Job History Limit", spec.get("failedJobsHistoryLimit", 1))
    deadline = spec.get("startingDeadlineSeconds")
    out.pair("Starting Deadline Seconds", "<unset>" if deadline is None else f"{deadline}s")
    out.pair("Selector", selectors.text_of(job["selector"]) if job.get("selector") else "<unset>")
    for title, key in (("Parallelism", "parallelism"), ("Completions", "completions")):
        out.pair(title, "<unset>" if job.get(key) is None else job[key])
    pods.template(out, job["template"])
    last = status.get("lastScheduleTime")
    out.pair("Last Schedule Time", spans.long(last) if last else "<unset>")
    out.pair("Active Jobs", ", ".join(each["name"] for each in status.get("active") or ()) or "<none>")
    writer.events(session, out, thing, kind="CronJob")
    return out.text()
