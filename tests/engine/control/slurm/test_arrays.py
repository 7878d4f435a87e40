"""Job arrays: how they are written, how their tasks start, and what addresses them."""

from __future__ import annotations

import pytest

from engine.control.slurm import arrays, jobs
from engine.control.slurm.errors import Refused, SlurmError
from engine.control.slurm.queue import CancelJob
from engine.kernel.units import MINUTE
from tests.engine.control.slurm.scene import Sim, job, opened, refusal, submit, wait


def tasks(simulation: Sim, number: int, state: str) -> list[str]:
    """What squeue calls the tasks that are in a state."""
    return [arrays.shown_id(each) for each in arrays.members(simulation.world, number) if each.state == state]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1-4", ((1, 2, 3, 4), 0)),
        ("0-8:4%2", ((0, 4, 8), 2)),
        ("7,1,3-4", ((1, 3, 4, 7), 0)),
        ("5", ((5,), 0)),
    ],
)
def test_how_tasks_are_written(text: str, found: tuple[tuple[int, ...], int]) -> None:
    assert arrays.read(text) == found


@pytest.mark.parametrize("text", ["", "a", "4-1", "1-2000", "1-4%0", "1-4:0", "-3"])
def test_what_is_no_array(text: str) -> None:
    with pytest.raises(Refused):
        arrays.read(text)


def test_slurmctld_refuses_what_is_none() -> None:
    assert refusal(opened(), array="9-1") is SlurmError.INVALID_ARRAY


def test_as_many_tasks_run_as_the_limit_allows() -> None:
    simulation = opened()
    number = submit(simulation, array="1-6%2", gpus_per_node=1, sleep=60)
    wait(simulation)
    assert tasks(simulation, number, "RUNNING") == [f"{number}_1", f"{number}_2"]
    assert tasks(simulation, number, "PENDING") == [f"{number}_[3-6%2]"]
    assert job(simulation, number).reason == "JobArrayTaskLimit"
    simulation.advance(2 * MINUTE)
    assert len(tasks(simulation, number, "COMPLETED")) >= 2 and f"{number}_3" not in tasks(
        simulation, number, "PENDING"
    )


def test_every_task_runs_once_and_the_last_keeps_the_arrays_number() -> None:
    simulation = opened()
    number = submit(simulation, array="0-9", gpus_per_node=2, sleep=30)
    simulation.advance(20 * MINUTE)
    done = arrays.members(simulation.world, number)
    assert sorted(each.array_task for each in done if each.array_task is not None) == list(range(10))
    assert {each.state for each in done} == {"COMPLETED"}
    assert job(simulation, number).array_task == 9
    assert len({each.id for each in done}) == 10


def test_cancelling_the_array_some_of_its_tasks_and_one() -> None:
    simulation = opened()
    number = submit(simulation, array="1-8%2", gpus_per_node=1)
    wait(simulation)
    assert simulation.apply(CancelJob(number, "wei", tasks=(1, 5))) is None
    cancelled = [f"{number}_1", f"{number}_5"]
    assert sorted(tasks(simulation, number, "CANCELLED")) == cancelled
    assert tasks(simulation, number, "PENDING") == [f"{number}_[3-4,6-8%2]"]
    assert simulation.apply(CancelJob(number, "wei")) is None
    wait(simulation, 5)
    assert not any(each.array_job == number for each in jobs.active(simulation.world))


def test_another_user_cancels_none_of_it() -> None:
    simulation = opened()
    number = submit(simulation, array="1-4", hold=True)
    assert simulation.apply(CancelJob(number, "priya", tasks=(2,))) is SlurmError.ACCESS_DENIED
    assert tasks(simulation, number, "PENDING") == [f"{number}_[1-4]"]


def test_a_dependency_on_an_array_waits_for_all_of_it() -> None:
    simulation = opened()
    first = submit(simulation, array="1-3%1", sleep=60)
    after = submit(simulation, dependency=f"afterok:{first}")
    simulation.advance(2 * MINUTE)
    assert job(simulation, after).reason == "Dependency"
    simulation.advance(5 * MINUTE)
    assert job(simulation, after).state in ("RUNNING", "COMPLETED")


def test_aftercorr_waits_for_the_task_of_the_same_number() -> None:
    simulation = opened()
    first = submit(simulation, array="1-2%1", sleep=120)
    second = submit(simulation, array="1-2", dependency=f"aftercorr:{first}")
    simulation.advance(3 * MINUTE)
    started = [each.array_task for each in arrays.members(simulation.world, second) if each.started is not None]
    assert started == [1]


@pytest.mark.parametrize(
    ("text", "found"),
    [("12", (12, ())), ("5_3", (5, (3,))), ("5_[1-2,7]", (5, (1, 2, 7))), ("5_*", (5, ())), ("x", None), ("0", None)],
)
def test_what_addresses_tasks(text: str, found: tuple[int, tuple[int, ...]] | None) -> None:
    assert arrays.parse_id(text) == found


def test_a_long_list_is_cut() -> None:
    simulation = opened()
    listed = ",".join(str(number) for number in range(0, 120, 3) if number % 2)
    number = submit(simulation, array=f"{listed},121,130", hold=True)
    assert arrays.task_text(job(simulation, number)).endswith(",...")
