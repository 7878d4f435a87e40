"""What starts where, and why the others wait. The standing jobs fill dgx-01 and dgx-02 and half of dgx-03."""

from __future__ import annotations

from typing import Any

import pytest

from engine.control.slurm.administration import UpdateNode
from engine.control.slurm.files import SLURM_CONF, slurm_conf
from engine.control.slurm.nodes import survey
from engine.control.slurm.queue import CancelJob
from engine.control.slurm.scheduler import NODES_GONE, Pass
from engine.control.slurm.submission import SubmitJob, forecast
from engine.kernel.units import DAY, HOUR, MINUTE
from tests.engine.control.slurm.scene import LONG, SHORT, Sim, job, opened, submit, wait, write_file
from tests.support.worlds import inventory


def reasons(simulation: Sim, *numbers: int) -> list[str]:
    """The reasons of jobs after a look at the queue."""
    wait(simulation)
    return [job(simulation, number).reason for number in numbers]


def drain(simulation: Sim, *nodes: str, state: str = "DRAIN") -> None:
    """Set nodes aside."""
    for name in nodes:
        assert simulation.apply(UpdateNode(name, "root", state, "test")) is None


def test_jobs_take_the_first_node_that_fits_and_its_lowest_gpus() -> None:
    simulation = opened()
    first, second = submit(simulation, gpus_per_node=3), submit(simulation, gpus_per_node=2)
    wait(simulation)
    assert (job(simulation, first).nodes, job(simulation, first).gpu_indices) == (("dgx-03",), ((4, 5, 6),))
    assert (job(simulation, second).nodes, job(simulation, second).gpu_indices) == (("dgx-04",), ((0, 1),))


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({"gpus_per_node": 8, "nodes": 2}, "Resources"),
        ({"hold": True}, "JobHeldUser"),
        ({"begin": DAY}, "BeginTime"),
        ({"nodes": 5}, "PartitionNodeLimit"),
        ({"partition": "debug", "time_limit": HOUR}, "PartitionTimeLimit"),
        ({"unlimited": True}, "PartitionTimeLimit"),
    ],
)
def test_reasons_of_their_own(request_: dict[str, Any], reason: str) -> None:
    simulation = opened()
    assert reasons(simulation, submit(simulation, **request_)) == [reason]


def test_behind_a_job_that_waits_for_resources_the_next_waits_for_its_turn() -> None:
    simulation = opened()
    first = submit(simulation, nodes=3, gpus_per_node=8, time_limit=DAY)
    second = submit(simulation, nodes=2, gpus_per_node=8, time_limit=DAY)
    assert reasons(simulation, first, second) == ["Resources", "Priority"]


def test_the_larger_job_goes_first() -> None:
    simulation = opened()
    small = submit(simulation, gpus_per_node=8, node_list=("dgx-01",))
    large = submit(simulation, nodes=3, gpus_per_node=8)
    simulation.apply(CancelJob(LONG, "priya"))
    wait(simulation, 10)
    assert (job(simulation, large).state, job(simulation, small).state) == ("RUNNING", "PENDING")


def test_backfill_starts_what_is_over_in_time_and_not_what_would_delay() -> None:
    simulation = opened()
    blocked = submit(simulation, nodes=2, gpus_per_node=8, time_limit=DAY)
    short = submit(simulation, gpus_per_node=1, node_list=("dgx-04",), time_limit=HOUR)
    long = submit(simulation, gpus_per_node=1, node_list=("dgx-04",), time_limit=3 * DAY)
    wait(simulation)
    assert (job(simulation, short).state, job(simulation, short).backfilled) == ("RUNNING", True)
    assert (job(simulation, long).state, job(simulation, long).reason) == ("PENDING", "Priority")
    assert job(simulation, blocked).reason == "Resources"
    assert "dgx-04" in simulation.world.slurm[""].planned_nodes


def test_nodes_that_are_set_aside_are_named_only_when_they_are_down() -> None:
    simulation = opened()
    drain(simulation, "dgx-04")
    drain(simulation, "dgx-03", state="DOWN")
    wants_drained = submit(simulation, node_list=("dgx-04",))
    wants_down = submit(simulation, node_list=("dgx-03",))
    assert reasons(simulation, wants_drained, wants_down) == [
        "ReqNodeNotAvail, May be reserved for other job",
        "ReqNodeNotAvail, UnavailableNodes:dgx-03",
    ]


def test_a_job_that_needs_more_nodes_than_there_are_left() -> None:
    simulation = opened()
    drain(simulation, "dgx-04")
    assert reasons(simulation, submit(simulation, nodes=4)) == [NODES_GONE]


def test_a_drained_node_gets_no_new_work_and_keeps_its_old() -> None:
    simulation = opened()
    drain(simulation, "dgx-03")
    number = submit(simulation, gpus_per_node=1)
    wait(simulation)
    assert job(simulation, number).nodes == ("dgx-04",)
    assert survey(simulation.world).held("dgx-03").running


def test_excluded_nodes_and_nodes_asked_for() -> None:
    simulation = opened()
    away = submit(simulation, gpus_per_node=1, exclude=("dgx-03",))
    there = submit(simulation, gpus_per_node=1, node_list=("dgx-04",))
    wait(simulation)
    assert (job(simulation, away).nodes, job(simulation, there).nodes) == (("dgx-04",), ("dgx-04",))


def test_an_exclusive_job_shares_with_nobody() -> None:
    simulation = opened()
    alone = submit(simulation, exclusive=True, gpus_per_node=1)
    wait(simulation)
    later = submit(simulation, gpus_per_node=8)
    wait(simulation)
    assert job(simulation, alone).nodes == ("dgx-04",)
    assert job(simulation, later).reason == "Resources"


def test_gpus_are_free_again_only_when_the_nodes_are_cleaned_up() -> None:
    simulation = opened()
    simulation.apply(CancelJob(LONG, "priya"))
    number = submit(simulation, nodes=2, gpus_per_node=8, node_list=("dgx-01", "dgx-02"))
    simulation.advance(MINUTE // 60)
    assert job(simulation, number).state == "PENDING"
    wait(simulation)
    assert job(simulation, number).state == "RUNNING"


def test_what_a_job_is_leaving_is_not_given_to_the_next() -> None:
    simulation = opened()
    simulation.apply(CancelJob(SHORT, "wei"))
    number = submit(simulation, gpus_per_node=4, node_list=("dgx-03",), interactive=True, script="")
    leaving, new = job(simulation, SHORT), job(simulation, number)
    assert (new.state, new.gpu_indices) == ("RUNNING", ((4, 5, 6, 7),))
    assert new.cpu_masks[0] & leaving.cpu_masks[0] == 0


def test_a_partition_of_a_higher_tier_goes_first_and_one_that_is_down_starts_nothing() -> None:
    simulation = opened()
    text = slurm_conf(inventory()).replace("PartitionName=debug", "PartitionName=debug PriorityTier=9")
    write_file(simulation, "head-01", SLURM_CONF, text)
    simulation.world.slurm.update("", configuration=(text, ""))
    plain = submit(simulation, gpus_per_node=8)
    urgent = submit(simulation, gpus_per_node=8, partition="debug", time_limit=10 * MINUTE)
    wait(simulation)
    assert (job(simulation, urgent).state, job(simulation, plain).state) == ("RUNNING", "PENDING")
    simulation.world.slurm.update("", configuration=(text.replace("MaxTime=30:00 State=UP", "State=DOWN"), ""))
    assert reasons(simulation, submit(simulation, partition="debug")) == ["PartitionDown"]


def test_the_forecast_names_the_time_at_which_the_running_jobs_must_be_over() -> None:
    simulation = opened()
    request = SubmitJob("wei", "x", "head-01", "/home/wei", nodes=4, gpus_per_node=8, script="#!/bin/sh\ntrue\n")
    answer = forecast(simulation, request)
    assert isinstance(answer, tuple)
    _, start, nodes = answer
    running = job(simulation, LONG)
    assert running.started is not None
    assert (start, nodes) == (running.started + running.time_limit, ("dgx-01", "dgx-02", "dgx-03", "dgx-04"))
    assert simulation.world.slurm[""].active_jobs == opened().world.slurm[""].active_jobs


def test_a_look_at_the_queue_changes_nothing() -> None:
    simulation = opened()
    for count in (1, 2, 4, 8):
        submit(simulation, gpus_per_node=count)
    before = simulation.state_digest()
    first = Pass(survey(simulation.world), simulation.now).run()
    second = Pass(survey(simulation.world), simulation.now).run()
    assert (first.starts, first.reasons) == (second.starts, second.reasons)
    assert simulation.state_digest() == before
