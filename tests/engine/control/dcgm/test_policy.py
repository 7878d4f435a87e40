"""Violation policies, and statistics of jobs."""

from __future__ import annotations

import pytest

from engine.control.dcgm import job_stats, policy
from engine.control.dcgm.job_stats import RemoveJob, StartJob, StopJob
from engine.control.dcgm.policy import Condition, SetPolicy
from engine.control.dcgm.readings import Reading, read
from engine.control.processes import start
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.simulation import open_site
from engine.world.world import World

HOST = "dgx-04"


@pytest.fixture
def site() -> Simulation[World]:
    return open_site("dgx-h100-4")


def gpu(site: Simulation[World], number: int) -> Reading:
    return read(site.world, HOST, site.now)[number]


def test_only_what_the_policy_names_is_a_violation(site: Simulation[World]) -> None:
    before = policy.counts(gpu(site, 6))
    site.apply(parse_fault("gpu.fell_off_bus target=dgx-04/gpu6"))
    site.advance(MINUTE)
    assert list(policy.violations(gpu(site, 6), before)) == []
    site.apply(SetPolicy(HOST, (6,), Condition.XID))
    assert [(each.condition, each.figure) for each in policy.violations(gpu(site, 6), before)] == [
        (Condition.XID, 79),
        (Condition.XID, 154),
    ]


def test_errors_of_nvlinks_are_violations_when_they_grow(site: Simulation[World]) -> None:
    site.apply(SetPolicy(HOST, (6,), Condition.NVLINK))
    before = policy.counts(gpu(site, 6))
    assert list(policy.violations(gpu(site, 6), before)) == []
    site.apply(parse_fault("nvlink.errors target=dgx-04/gpu6 when=always"))
    site.advance(5 * MINUTE)
    found = {each.field: each.figure for each in policy.violations(gpu(site, 6), before)}
    assert found[409] == found[419] > 0 and found[429] > 0
    assert list(policy.violations(gpu(site, 6), policy.counts(gpu(site, 6)))) == []


def test_heat_and_power_are_violations_while_they_last(site: Simulation[World]) -> None:
    site.apply(SetPolicy(HOST, (2,), Condition.THERMAL | Condition.POWER, temperature=50, power=500))
    assert list(policy.violations(gpu(site, 2), policy.counts(gpu(site, 2)))) == []
    start(site, HOST, user="priya", command="./burn", gpus=(2,), gpu_memory=9000, workload="burn")
    site.advance(10 * MINUTE)
    found = {each.condition for each in policy.violations(gpu(site, 2), policy.counts(gpu(site, 2)))}
    assert found == {Condition.THERMAL, Condition.POWER}


def test_statistics_are_of_the_span_and_add_up(site: Simulation[World]) -> None:
    begun = site.now
    start(site, HOST, user="priya", command="./burn", gpus=(0,), gpu_memory=9000, workload="burn")
    site.advance(10 * MINUTE)
    busy, idle = (job_stats.usage(gpu(site, number), begun, site.now) for number in (0, 1))
    assert busy.energy > 5 * idle.energy and busy.power.highest > 600 > 6 * idle.power.highest
    assert busy.memory > idle.memory and busy.power.lowest <= busy.power.average <= busy.power.highest
    both = job_stats.together([busy, idle])
    assert both.energy == busy.energy + idle.energy and both.memory == busy.memory


def test_a_span_of_no_length_has_one_sample(site: Simulation[World]) -> None:
    found = job_stats.usage(gpu(site, 0), site.now, site.now)
    assert found.energy == 0 and found.power.lowest == found.power.highest


def test_jobs_are_recorded_by_name(site: Simulation[World]) -> None:
    assert site.apply(StartJob(HOST, "a", (0, 1))) and not site.apply(StartJob(HOST, "a", (0,)))
    site.advance(5 * SECOND)
    assert site.apply(StopJob(HOST, "a")) and not site.apply(StopJob(HOST, "b"))
    found = job_stats.job(site.world, HOST, "a")
    assert found is not None and found.stopped is not None and found.stopped - found.started == 5 * SECOND
    assert not site.apply(RemoveJob(HOST, "b")) and site.apply(RemoveJob(HOST, "a")) and site.apply(RemoveJob(HOST, ""))
