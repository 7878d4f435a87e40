"""What priorities are made of, and the tree of shares."""

from __future__ import annotations

import pytest

from engine.control.slurm import jobs, priority
from engine.control.slurm.priority import faded, tree
from engine.control.slurm.queue import UpdateJob
from engine.kernel.units import DAY, HOUR
from engine.world.records import SlurmQos
from tests.engine.control.slurm.scene import Sim, job, opened, submit, wait
from tests.engine.control.slurm.test_limits import enforcing, quality


def value(simulation: Sim, number: int) -> int:
    return jobs.priority(simulation.world, job(simulation, number), simulation.now)


@pytest.mark.parametrize(
    ("halves", "left"), [(0.0, 1.0), (1.0, 0.5), (3.0, 0.125), (0.5, 0.70710678), (1.75, 0.29730178)]
)
def test_use_fades_by_half(halves: float, left: float) -> None:
    assert faded(int(halves * 7 * DAY), 7 * DAY) == pytest.approx(left, rel=1e-4)


def test_age_grows_for_a_week_and_no_longer() -> None:
    simulation = opened()
    number = submit(simulation, nodes=4, gpus_per_node=8, time_limit=HOUR, hold=False, node_list=("dgx-01",))
    first = value(simulation, number)
    simulation.advance(DAY)
    assert value(simulation, number) - first in range(140, 145)


def test_the_parts_add_up_to_the_priority() -> None:
    simulation = enforcing(PriorityWeightFairshare="10000", PriorityWeightQOS="5000")
    quality(simulation, SlurmQos("high", priority=1000), "jonas")
    number = submit(simulation, user="jonas", qos="high", nice=50, hold=True)
    parts = priority.factors(simulation.world, job(simulation, number), simulation.now)
    assert parts.qos == 5000 and parts.nice == 50 and parts.fair_share > 0
    assert job(simulation, number).priority == parts.fixed


def test_who_has_used_less_comes_first() -> None:
    simulation = enforcing(PriorityWeightFairshare="10000")
    shares = tree(simulation.world, simulation.now)
    people = {share.user: share for _, share in shares.walk() if share.user}
    ranked = sorted(("priya", "wei", "jonas"), key=lambda name: people[name].usage)
    factors = [people[name].factor for name in ranked]
    assert factors == sorted(factors, reverse=True) and len(set(factors)) == 3
    numbers = [submit(simulation, user=name, gpus_per_node=8, nodes=2) for name in ranked]
    assert [value(simulation, each) for each in numbers] == sorted(
        (value(simulation, each) for each in numbers), reverse=True
    )


def test_shares_of_brothers_add_up_and_so_does_use() -> None:
    simulation = opened()
    for _, place in tree(simulation.world, simulation.now).walk():
        if place.below:
            assert sum(each.norm_shares for each in place.below) == pytest.approx(1)
            assert sum(each.usage for each in place.below) == pytest.approx(place.usage)


def test_a_priority_that_an_operator_sets_stays() -> None:
    simulation = opened()
    number = submit(simulation, nodes=2, gpus_per_node=8)
    assert simulation.apply(UpdateJob(number, "root", priority=123_456)) is None
    simulation.advance(DAY)
    assert value(simulation, number) == 123_456


def test_a_large_nice_value_puts_a_job_behind() -> None:
    simulation = opened()
    first = submit(simulation, nodes=2, gpus_per_node=8, nice=500)
    second = submit(simulation, nodes=2, gpus_per_node=8)
    wait(simulation)
    assert [job(simulation, second).reason, job(simulation, first).reason] == ["Resources", "Priority"]
