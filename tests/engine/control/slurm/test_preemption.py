"""Jobs that must make room for one of more importance."""

from __future__ import annotations

import pytest

from engine.kernel.units import HOUR, MINUTE
from engine.world.records import SlurmQos
from tests.engine.control.slurm.scene import Sim, job, submit, wait
from tests.engine.control.slurm.test_limits import enforcing, quality


def full_site(mode: str, grace: int = 0) -> tuple[Sim, int]:
    """A site where `urgent` drives out `scavenge`, and a scavenger that fills dgx-04."""
    simulation = enforcing(PreemptType="preempt/qos", PreemptMode=mode)
    quality(simulation, SlurmQos("scavenge", grace=grace), "jonas")
    quality(simulation, SlurmQos("urgent", preempts=("scavenge",)), "priya")
    number = submit(simulation, user="jonas", qos="scavenge", gpus_per_node=8, time_limit=10 * HOUR, sleep=30_000)
    wait(simulation)
    assert job(simulation, number).nodes == ("dgx-04",)
    return simulation, number


@pytest.mark.parametrize(("mode", "state"), [("REQUEUE", "PENDING"), ("CANCEL", "PREEMPTED")])
def test_the_lesser_job_goes_and_the_urgent_one_starts(mode: str, state: str) -> None:
    simulation, lesser = full_site(mode)
    urgent = submit(simulation, user="priya", qos="urgent", gpus_per_node=8)
    wait(simulation, 10)
    assert (job(simulation, urgent).state, job(simulation, urgent).nodes) == ("RUNNING", ("dgx-04",))
    assert job(simulation, lesser).state == state
    runs = job(simulation, lesser).earlier_runs
    assert [each.state for each in runs] == (["PREEMPTED"] if mode == "REQUEUE" else [])


def test_nobody_goes_for_a_job_of_the_same_kind_or_where_preemption_is_off() -> None:
    simulation, lesser = full_site("REQUEUE")
    submit(simulation, user="priya", gpus_per_node=8)
    wait(simulation, 10)
    assert job(simulation, lesser).state == "RUNNING"
    simulation, lesser = full_site("OFF")
    submit(simulation, user="priya", qos="urgent", gpus_per_node=8)
    wait(simulation, 10)
    assert job(simulation, lesser).state == "RUNNING"


def test_nobody_goes_in_vain() -> None:
    simulation, lesser = full_site("REQUEUE")
    submit(simulation, user="priya", qos="urgent", nodes=3, gpus_per_node=8)
    wait(simulation, 10)
    assert job(simulation, lesser).state == "RUNNING"


def test_with_a_grace_time_it_goes_when_that_is_over() -> None:
    simulation, lesser = full_site("CANCEL", grace=5 * MINUTE)
    urgent = submit(simulation, user="priya", qos="urgent", gpus_per_node=8)
    simulation.advance(4 * MINUTE)
    assert job(simulation, lesser).state == "RUNNING"
    simulation.advance(2 * MINUTE)
    assert (job(simulation, lesser).state, job(simulation, urgent).state) == ("PREEMPTED", "RUNNING")


def test_a_partition_of_a_higher_tier_drives_out_a_lower_one() -> None:
    simulation = enforcing(PreemptType="preempt/partition_prio", PreemptMode="CANCEL")
    read = simulation.world.slurm[""].configuration
    assert read is not None
    text = read[0].replace("PartitionName=debug", "PartitionName=debug PriorityTier=9")
    simulation.world.slurm.update("", configuration=(text, ""))
    lesser = submit(simulation, user="jonas", gpus_per_node=8, time_limit=HOUR)
    wait(simulation)
    urgent = submit(simulation, partition="debug", gpus_per_node=8, time_limit=10 * MINUTE)
    wait(simulation, 10)
    assert (job(simulation, lesser).state, job(simulation, urgent).state) == ("PREEMPTED", "RUNNING")
