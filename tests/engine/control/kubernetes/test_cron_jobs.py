"""CronJobs: when they are due, and the Jobs that they make and keep."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from engine.control.kubernetes import cron_schedule
from engine.control.kubernetes.status_error import StatusError
from tests.engine.control.kubernetes.cluster import Cluster

NOON = datetime(2026, 11, 30, 12, 0)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("* * * * *", datetime(2026, 11, 30, 12, 1)),
        ("*/20 8-10 * * *", datetime(2026, 12, 1, 8, 0)),
        ("30 12 * * sun", datetime(2026, 12, 6, 12, 30)),
        ("0 0 1 jan ?", datetime(2027, 1, 1)),
        ("0 0 13 * 5", datetime(2026, 12, 4)),
        ("5/15 12 * * *", datetime(2026, 11, 30, 12, 5)),
        ("@hourly", datetime(2026, 11, 30, 13, 0)),
        ("0 0 31 2 *", None),
    ],
)
def test_the_next_moment_of_a_schedule(text: str, due: datetime | None) -> None:
    assert cron_schedule.parse(text).after(NOON) == due


def cron_job(cluster: Cluster, schedule: str, command: list[str], **spec: Any) -> None:
    pod = {"containers": [{"name": "c", "image": "busybox:1.36", "command": command}], "restartPolicy": "Never"}
    manifest = {
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "tick"},
        "spec": {"schedule": schedule, "jobTemplate": {"spec": {"template": {"spec": pod}}}, **spec},
    }  # fmt: skip
    cluster.create("cronjobs", "research", manifest)


def test_it_makes_jobs_and_keeps_the_last_three() -> None:
    cluster = Cluster()
    cron_job(cluster, "*/10 * * * *", ["true"])
    assert cluster.cells("cronjobs", "research", "tick")["Last Schedule"] == "<none>"
    cluster.wait(601)
    (job,) = cluster.items("jobs", "research")
    assert job["metadata"]["ownerReferences"][0]["name"] == "tick"
    assert cluster.cells("cronjobs", "research", "tick")["Active"] == 1
    cluster.wait(3600)
    row = cluster.cells("cronjobs", "research", "tick")
    assert (row["Last Schedule"], row["Suspend"]) == ("1s", "False")
    cluster.wait(60)
    assert len(cluster.items("jobs", "research")) == 3
    assert len(cluster.events("SuccessfulCreate")) >= 6 and cluster.events("SawCompletedJob")
    patch = {"spec": {"suspend": True}}
    cluster.api.patch(cluster.resource("cronjobs"), "research", "tick", "merge", patch)
    before = [each["metadata"]["name"] for each in cluster.items("jobs", "research")]
    cluster.wait(1800)
    assert [each["metadata"]["name"] for each in cluster.items("jobs", "research")] == before


@pytest.mark.parametrize(("policy", "jobs"), [("Allow", 3), ("Forbid", 1), ("Replace", 1)])
def test_what_happens_while_one_runs(policy: str, jobs: int) -> None:
    cluster = Cluster()
    cron_job(cluster, "* * * * *", ["sleep", "9000"], concurrencyPolicy=policy)
    cluster.wait(185)
    assert len(cluster.items("jobs", "research")) == jobs
    assert bool(cluster.events("JobAlreadyActive")) == (policy == "Forbid")


@pytest.mark.parametrize(
    ("schedule", "said"),
    [
        ("61 * * * *", "end of range (61) above maximum (59): 61"),
        ("* * *", "expected exactly 5 fields, found 3: [* * *]"),
    ],
)
def test_a_schedule_that_is_none_is_refused(schedule: str, said: str) -> None:
    with pytest.raises(StatusError) as refused:
        cron_job(Cluster(), schedule, ["true"])
    begin = f'CronJob.batch "tick" is invalid: spec.schedule: Invalid value: "{schedule}": '
    assert refused.value.message == begin + said
