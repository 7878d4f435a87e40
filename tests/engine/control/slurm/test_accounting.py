"""The past that sacct shows: made from the site and the seed, and possible."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine.control.slurm import accounting, past_log
from engine.control.slurm.configuration import in_force
from engine.control.slurm.queue import CancelJob, RequeueJob
from engine.kernel.units import HOUR, MINUTE, SECOND
from engine.simulation import open_site
from engine.world.records import Job
from tests.engine.control.slurm.scene import LONG, SHORT, opened, wait


@pytest.mark.parametrize("seed", [1, 2, 17])
def test_the_past_follows_from_the_seed(seed: int) -> None:
    first, second = (accounting.past(open_site("dgx-h100-4", seed).world) for _ in range(2))
    assert first == second
    assert len(first) > 20
    assert (first == accounting.past(opened().world)) is (seed == 1)


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_no_gpu_had_two_owners(seed: int) -> None:
    """Jobs that overlap in time on a node never had more GPUs than it has; nor do they reach into the standing jobs."""
    world = open_site("dgx-h100-4", seed).world
    known = in_force(world)
    past = accounting.past(world)
    standing = [world.jobs[str(number)] for number in world.slurm[""].active_jobs]
    for node in known.nodes:
        here = [job for job in [*past, *standing] if node in job.nodes]
        for job in here:
            assert job.started is not None
            at_once = [other for other in here if runs_at(other, job.started)]
            assert sum(other.gpus_per_node for other in at_once) <= known.nodes[node].gpus
            assert sum(other.cpus_per_node for other in at_once) <= known.nodes[node].cpus


def runs_at(job: Job, time: int) -> bool:
    """Whether a job ran at a moment."""
    return job.started is not None and job.started <= time and (job.ended is None or time < job.ended)


def test_numbers_rise_with_time_and_none_is_used_twice() -> None:
    world = opened().world
    numbers = [run.job.id for run in accounting.runs(world)]
    assert numbers == sorted(set(numbers))
    assert numbers[-1] < world.slurm[""].next_job
    for earlier, later in pairwise(accounting.past(world)):
        assert earlier.submitted <= later.submitted


def test_what_the_past_ended_with() -> None:
    jobs = [job for seed in range(1, 6) for job in accounting.past(open_site("dgx-h100-4", seed).world)]
    states = {job.state for job in jobs}
    assert {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT"} <= states
    for job in jobs:
        assert job.started is not None
        assert job.ended is not None
        assert job.submitted <= job.started < job.ended <= 0
        assert (job.state == "TIMEOUT") is (job.ended - job.started >= job.time_limit)
        assert (job.cancelled_by is not None) is (job.state == "CANCELLED")


def test_a_job_beyond_its_limit_ended_at_it() -> None:
    """slurmctld looks every half minute, and people ask for round limits."""
    past = [job for seed in range(1, 9) for job in accounting.past(open_site("dgx-h100-4", seed).world)]
    late = [job for job in past if job.state == "TIMEOUT"]
    assert len(late) > 5
    for job in late:
        assert job.started is not None and job.ended is not None
        assert job.time_limit % MINUTE == 0 and job.time_limit > 0
        assert SECOND <= job.ended - job.started - job.time_limit <= 30 * SECOND
        assert job.time_limit < 4 * HOUR or job.time_limit % HOUR == 0


def test_an_earlier_run_of_a_requeued_job_has_a_line_of_its_own() -> None:
    simulation = opened()
    simulation.apply(RequeueJob(SHORT, "root"))
    wait(simulation, 200)
    simulation.apply(CancelJob(SHORT, "wei"))
    lines = [(run.job.state, run.last) for run in accounting.runs(simulation.world) if run.job.id == SHORT]
    assert lines == [("REQUEUED", False), ("CANCELLED", True)]


def test_the_logs_tell_the_same_past() -> None:
    world = opened().world
    texts = [entry.text for entry in past_log.entries(world, "head-01")]
    for job in accounting.past(world):
        assert any(f"Allocate JobId={job.id} NodeList=" in text for text in texts)
    times = [entry.time for entry in past_log.entries(world, "head-01")]
    assert times == sorted(times)
    assert max(times) < 0
    assert any(f"Launching batch job {LONG} " in entry.text for entry in past_log.entries(world, "dgx-01"))
    assert not any(f"batch job {LONG} " in entry.text for entry in past_log.entries(world, "dgx-04"))
