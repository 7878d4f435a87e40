"""The life of jobs: start, processes, end, loss, requeue, and who may do what to them."""

from __future__ import annotations

import pytest

from engine.control import files as host_files
from engine.control import processes
from engine.control.slurm import jobs
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.queue import CancelJob, HoldJob, RequeueJob, UpdateJob
from engine.control.slurm.steps import FinishStep, StartStep
from engine.kernel.units import HOUR, MINUTE, SECOND
from engine.physics import gpu_bus
from engine.world.records import BusDefect
from tests.engine.control.slurm.scene import (
    LONG,
    SHORT,
    Sim,
    ask,
    harm,
    job,
    log,
    opened,
    refusal,
    submit,
    wait,
)

TRAIN = "#!/bin/bash\n#SBATCH -N1\nsrun python train.py\n"


def output(simulation: Sim, number: int) -> str:
    """What a job of wei's has left in its output file."""
    path = f"/home/wei/slurm-{number}.out"
    return host_files.text(simulation.world, "head-01", path, "nothing")


def test_numbers_go_up_from_the_ten_thousands() -> None:
    simulation = opened()
    first = submit(simulation)
    assert 10_000 < first < 100_000
    assert submit(simulation) == first + 1


def test_a_job_starts_runs_and_completes() -> None:
    simulation = opened()
    number = submit(simulation, script="#!/bin/bash\necho done soon\nsleep 60\n", gpus_per_node=2)
    assert job(simulation, number).state == "PENDING"
    wait(simulation)
    running = job(simulation, number)
    assert (running.state, len(running.nodes), running.gpus_per_node) == ("RUNNING", 1, 2)
    wait(simulation, 60)
    over = job(simulation, number)
    assert (over.state, over.exit_code, over.completing) == ("COMPLETED", 0, True)
    wait(simulation)
    assert not job(simulation, number).completing
    assert over.ended is not None and over.started is not None
    assert over.ended - over.started == 61 * SECOND
    assert output(simulation, number) == "done soon\n"


def test_a_training_script_puts_a_process_on_each_of_its_gpus() -> None:
    simulation = opened()
    number = submit(simulation, script=TRAIN, gpus_per_node=3, node_list=("dgx-04",))
    wait(simulation)
    ranks = [each for each in processes.of_job(simulation.world, "dgx-04", number) if each.gpus]
    assert [each.gpus for each in ranks] == [(0,), (1,), (2,)]
    assert {each.workload for each in ranks} == {"training"}
    simulation.apply(CancelJob(number, "wei"))
    assert processes.of_job(simulation.world, "dgx-04", number) == []


def test_a_job_ends_at_its_time_limit() -> None:
    simulation = opened()
    number = submit(simulation, sleep=600, time_limit=2 * MINUTE)
    wait(simulation, 125)
    over = job(simulation, number)
    assert (over.state, over.reason, over.steps[0].state, over.steps[0].signal) == (
        "TIMEOUT", "TimeLimit", "CANCELLED", 15,
    )  # fmt: skip
    assert f"Time limit exhausted for JobId={number}" in log(simulation)
    assert "DUE TO TIME LIMIT" in output(simulation, number)


def test_more_time_keeps_a_job_running_and_less_ends_it() -> None:
    simulation = opened()
    longer, shorter = (submit(simulation, sleep=3600, time_limit=10 * MINUTE) for _ in range(2))
    wait(simulation)
    simulation.apply(UpdateJob(longer, "root", time_limit=2 * HOUR))
    simulation.apply(UpdateJob(shorter, "wei", time_limit=5 * MINUTE))
    wait(simulation, 320)
    assert job(simulation, shorter).state == "TIMEOUT"
    wait(simulation, 600)
    assert job(simulation, longer).state == "RUNNING"
    wait(simulation, 3000)
    assert job(simulation, longer).state == "COMPLETED"


def test_users_may_shorten_their_jobs_and_not_lengthen_them() -> None:
    simulation = opened()
    number = submit(simulation, time_limit=HOUR)
    assert simulation.apply(UpdateJob(number, "wei", time_limit=2 * HOUR)) is SlurmError.ACCESS_DENIED
    assert simulation.apply(UpdateJob(number, "wei", time_limit=0)) is SlurmError.ACCESS_DENIED
    assert simulation.apply(UpdateJob(number, "wei", priority=9999)) is SlurmError.ACCESS_DENIED
    assert simulation.apply(UpdateJob(number, "priya", name="mine")) is SlurmError.ACCESS_DENIED
    assert simulation.apply(UpdateJob(number, "wei", time_limit=HOUR // 2)) is None
    assert simulation.apply(UpdateJob(number, "mara", priority=9999)) is None
    assert job(simulation, number).priority == 9999


def test_a_job_that_loses_its_gpu_fails_on_all_its_nodes() -> None:
    simulation = opened()
    simulation.world.gpus.update("dgx-01/gpu3", defect=BusDefect(None))
    gpu_bus.drop(simulation, "dgx-01/gpu3")
    wait(simulation, 30)
    over = job(simulation, LONG)
    assert (over.state, over.exit_code, over.reason, over.failed_node) == ("FAILED", 1, "NonZeroExitCode", "dgx-01")
    assert processes.of_job(simulation.world, "dgx-02", LONG) == []
    assert harm(simulation) == []


def test_a_killed_process_fails_its_job_and_is_harm_when_it_is_anothers() -> None:
    simulation = opened()
    rank = next(each for each in processes.of_job(simulation.world, "dgx-03", SHORT) if each.gpus)
    simulation.apply(processes.Kill("dgx-03", rank.pid, 9, "root"))
    assert (job(simulation, SHORT).state, job(simulation, SHORT).exit_code) == ("FAILED", 137)
    assert [kind for kind, _ in harm(simulation)] == ["job_killed"]


@pytest.mark.parametrize(
    ("by", "error", "harmful"),
    [("wei", None, False), ("root", None, True), ("alex", None, True), ("priya", SlurmError.ACCESS_DENIED, False)],
)
def test_who_may_cancel_a_running_job(by: str, error: SlurmError | None, harmful: bool) -> None:
    simulation = opened()
    assert simulation.apply(CancelJob(SHORT, by)) is error
    assert job(simulation, SHORT).state == ("RUNNING" if error else "CANCELLED")
    assert (("job_killed", "scancel") in harm(simulation)) is harmful


def test_cancelling_what_waits_or_is_over() -> None:
    simulation = opened()
    number = submit(simulation, hold=True)
    assert simulation.apply(CancelJob(number, "root")) is None
    assert (job(simulation, number).state, job(simulation, number).cancelled_by) == ("CANCELLED", 0)
    assert harm(simulation) == []
    assert simulation.apply(CancelJob(number, "root")) is SlurmError.ALREADY_DONE
    assert simulation.apply(CancelJob(99_999, "root")) is SlurmError.INVALID_JOB


def test_a_signal_other_than_kill_does_not_end_a_job() -> None:
    simulation = opened()
    assert simulation.apply(CancelJob(SHORT, "wei", signal=10)) is None
    assert job(simulation, SHORT).state == "RUNNING"


def test_a_held_job_waits_and_only_who_may_releases_it() -> None:
    simulation = opened()
    number = submit(simulation, hold=True)
    wait(simulation)
    held = job(simulation, number)
    assert (held.reason, jobs.priority(simulation.world, held, simulation.now)) == (
        "JobHeldUser",
        0,
    )
    assert simulation.apply(HoldJob(number, "priya", release=True)) is SlurmError.USER_ID
    assert simulation.apply(HoldJob(number, "wei", release=True)) is None
    wait(simulation)
    assert job(simulation, number).state == "RUNNING"


def test_an_operators_hold_is_not_the_users_to_release() -> None:
    simulation = opened()
    number = submit(simulation, begin=simulation.now + 10 * SECOND)
    simulation.apply(HoldJob(number, "alex"))
    wait(simulation, 20)
    assert job(simulation, number).reason == "JobHeldAdmin"
    assert simulation.apply(HoldJob(number, "wei", release=True)) is SlurmError.ACCESS_DENIED
    simulation.apply(HoldJob(number, "alex", release=True))
    wait(simulation)
    assert job(simulation, number).state == "RUNNING"


def test_a_requeued_job_waits_and_runs_again_under_its_number() -> None:
    simulation = opened()
    assert simulation.apply(RequeueJob(SHORT, "root")) is None
    assert ("job_killed", "scontrol requeue") in harm(simulation)
    wait(simulation)
    waiting = job(simulation, SHORT)
    assert (waiting.state, waiting.reason, waiting.restarts) == ("PENDING", "BeginTime", 1)
    wait(simulation, 130)
    assert (job(simulation, SHORT).state, job(simulation, SHORT).earlier_runs[0].state) == ("RUNNING", "REQUEUED")


def test_what_may_not_be_requeued() -> None:
    simulation = opened()
    never = submit(simulation, requeue=False)
    interactive = submit(simulation, interactive=True, script="")
    wait(simulation)
    assert simulation.apply(RequeueJob(never, "wei")) is SlurmError.DISABLED
    assert simulation.apply(RequeueJob(interactive, "wei")) is SlurmError.BATCH_ONLY
    assert simulation.apply(RequeueJob(SHORT, "priya")) is SlurmError.ACCESS_DENIED


def test_a_job_to_begin_later_begins_then() -> None:
    simulation = opened()
    number = submit(simulation, begin=simulation.now + 5 * MINUTE)
    wait(simulation)
    assert job(simulation, number).reason == "BeginTime"
    wait(simulation, 300)
    started = job(simulation, number).started
    assert started is not None
    assert 0 <= started - 5 * MINUTE <= 2 * SECOND


def test_an_interactive_job_starts_at_once_and_ends_with_its_command() -> None:
    simulation = opened()
    number = submit(simulation, interactive=True, script="")
    running = job(simulation, number)
    assert running.state == "RUNNING"
    step = simulation.apply(StartStep(number, "wei", "hostname", running.nodes, 1))
    assert step == 0
    assert simulation.apply(StartStep(number, "root", "hostname", running.nodes, 1)) is SlurmError.ACCESS_DENIED
    simulation.apply(FinishStep(number, 0, 3, job_too=True))
    assert (job(simulation, number).state, job(simulation, number).exit_code) == ("FAILED", 3)
    assert job(simulation, number).steps[0].state == "FAILED"


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ({"partition": "nosuch"}, SlurmError.INVALID_PARTITION),
        ({"gpus_per_node": 9}, SlurmError.NODE_CONFIGURATION),
        ({"gpus_per_node": 1, "gpu_type": "a100"}, SlurmError.NODE_CONFIGURATION),
        ({"node_list": ("dgx-99",)}, SlurmError.INVALID_NODE),
        ({"node_list": ("dgx-01",), "partition": "debug"}, SlurmError.NODES_NOT_IN_PARTITION),
        ({"features": "b200"}, SlurmError.INVALID_FEATURE),
        ({"memory": 9 << 20}, SlurmError.NODE_CONFIGURATION),
        ({"reservation": "nope"}, SlurmError.RESERVATION),
        ({"cpus_per_task": 500}, SlurmError.NODE_CONFIGURATION),
    ],
)
def test_jobs_that_no_node_could_ever_run_are_refused(request_: dict[str, object], error: SlurmError) -> None:
    assert refusal(opened(), **request_) is error


def test_the_memory_that_no_node_has_is_named() -> None:
    assert ask(opened(), memory=9 << 20).notes == ("Memory specification can not be satisfied",)


@pytest.mark.parametrize(
    ("request_", "nodes", "cpus", "gpus", "memory"),
    [
        ({}, 1, 2, 0, 8800 * 2),  # whole cores of two threads
        ({"cpus_per_task": 10}, 1, 10, 0, 88_000),
        ({"gpus_per_node": 4}, 1, 112, 4, 996_000),
        ({"gpus": 16}, 2, 224, 8, 1_992_000),
        ({"gpus": 12}, 2, 168, 6, 1_494_000),
        ({"tasks": 16, "tasks_per_node": 8, "gpus_per_task": 1}, 2, 224, 8, 1_992_000),
        ({"nodes": 3, "gpus_per_node": 1, "memory": 1000}, 3, 28, 1, 1000),
        ({"exclusive": True}, 1, 2, 0, 1_992_000),
        ({"gpus_per_node": 2, "memory_per_gpu": 500}, 1, 56, 2, 1000),
        ({"cpus_per_task": 8, "memory_per_cpu": 100}, 1, 8, 0, 800),
    ],
)
def test_what_a_request_comes_to(request_: dict[str, int], nodes: int, cpus: int, gpus: int, memory: int) -> None:
    simulation = opened()
    made = job(simulation, submit(simulation, **request_))
    assert (made.node_count, made.cpus_per_node, made.gpus_per_node, made.memory_mib) == (nodes, cpus, gpus, memory)
