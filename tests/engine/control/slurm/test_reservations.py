"""Nodes set aside: who gets them, who does not, and what is told of it."""

from __future__ import annotations

import pytest

from engine.control.slurm.errors import SlurmError
from engine.control.slurm.queue import CancelJob
from engine.control.slurm.reservations import CreateReservation, DeleteReservation, UpdateReservation, find
from engine.control.slurm.scheduler import MAINTENANCE, TAKEN
from engine.kernel.units import DAY, HOUR, MINUTE
from tests.engine.control.slurm.scene import SHORT, Sim, job, opened, refusal, state, submit, wait


def reserve(simulation: Sim, **fields: object) -> str | SlurmError:
    """Set dgx-04 aside for priya for an hour from now, unless the fields say otherwise."""
    given: dict[str, object] = {
        "by": "root", "name": "burn", "start": simulation.now, "duration": HOUR, "nodes": "dgx-04", "users": ("priya",),
    }  # fmt: skip
    return simulation.apply(CreateReservation(**(given | fields)))  # type: ignore[arg-type, no-any-return]


def test_a_job_without_the_reservation_does_not_get_its_nodes() -> None:
    simulation = opened()
    assert reserve(simulation) == "burn"
    number = submit(simulation, gpus_per_node=8, node_list=("dgx-04",))
    wait(simulation)
    assert (job(simulation, number).state, job(simulation, number).reason) == ("PENDING", TAKEN)
    assert state(simulation, "dgx-04") == "resv"


def test_a_job_that_names_it_runs_there_and_only_there() -> None:
    simulation = opened()
    reserve(simulation)
    number = submit(simulation, user="priya", gpus_per_node=1, reservation="burn", time_limit=30 * MINUTE)
    wait(simulation)
    assert (job(simulation, number).state, job(simulation, number).nodes) == ("RUNNING", ("dgx-04",))


def test_others_and_unknown_names_are_refused() -> None:
    simulation = opened()
    reserve(simulation)
    assert refusal(simulation, reservation="burn") is SlurmError.RESERVATION_ACCESS
    assert refusal(simulation, reservation="nosuch") is SlurmError.RESERVATION


def test_a_job_that_could_run_into_maintenance_waits_and_a_short_one_starts() -> None:
    simulation = opened()
    reserve(simulation, start=simulation.now + 2 * HOUR, nodes="ALL", flags=("MAINT", "IGNORE_JOBS"), users=("root",))
    long = submit(simulation, gpus_per_node=8, time_limit=3 * HOUR)
    short = submit(simulation, gpus_per_node=8, time_limit=HOUR)
    wait(simulation)
    assert job(simulation, long).reason == MAINTENANCE
    assert job(simulation, short).nodes == ("dgx-04",)


def test_the_state_of_its_nodes_follows_its_time() -> None:
    simulation = opened()
    reserve(simulation, start=simulation.now + 10 * MINUTE, duration=10 * MINUTE, flags=("MAINT",), users=("root",))
    seen = []
    for minutes in (5, 10, 10):
        simulation.advance(minutes * MINUTE)
        seen.append(state(simulation, "dgx-04"))
    assert seen == ["idle", "maint", "idle"]
    assert find(simulation.world, "burn") is None


def test_one_that_comes_again_every_day_moves_on() -> None:
    simulation = opened()
    start = simulation.now
    reserve(simulation, flags=("DAILY",))
    simulation.advance(2 * HOUR)
    found = find(simulation.world, "burn")
    assert found is not None and (found.start, found.active) == (start + DAY, False)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"by": "wei"}, SlurmError.ACCESS_DENIED),
        ({"nodes": "dgx-01"}, SlurmError.NODES_BUSY),
        ({"nodes": "nosuch"}, SlurmError.INVALID_NODE),
        ({"nodes": "", "node_count": 4}, SlurmError.NODES_BUSY),
        ({"users": ()}, SlurmError.RESERVATION_EMPTY),
        ({"start": None}, SlurmError.TIME),
    ],
)
def test_what_slurmctld_refuses(fields: dict[str, object], error: SlurmError) -> None:
    assert reserve(opened(), **fields) is error


def test_two_reservations_do_not_share_a_node_unless_one_is_maintenance() -> None:
    simulation = opened()
    assert reserve(simulation) == "burn"
    assert reserve(simulation) is SlurmError.RESERVATION_NAME
    assert reserve(simulation, name="other") is SlurmError.RESERVATION_OVERLAP
    assert reserve(simulation, name="service", flags=("MAINT",)) == "service"
    assert reserve(simulation, name="jobs-run-on", nodes="dgx-01", flags=("IGNORE_JOBS",)) == "jobs-run-on"


def test_without_nodes_it_takes_free_ones_of_its_partition() -> None:
    simulation = opened()
    simulation.apply(CancelJob(SHORT, "wei"))
    wait(simulation)
    assert reserve(simulation, name="", nodes="", node_count=2) == "priya_1"
    found = find(simulation.world, "priya_1")
    assert found is not None and found.nodes == ("dgx-03", "dgx-04")


def test_deleting_frees_the_nodes_and_holds_the_jobs_that_named_it() -> None:
    simulation = opened()
    reserve(simulation, start=simulation.now + HOUR)
    waits = submit(simulation, user="priya", reservation="burn", time_limit=10 * MINUTE)
    wait(simulation)
    assert job(simulation, waits).reason == "Reservation"
    assert simulation.apply(DeleteReservation("root", "burn")) is None
    wait(simulation)
    assert job(simulation, waits).reason == "ReservationDeleted"
    assert simulation.apply(DeleteReservation("root", "burn")) is SlurmError.RESERVATION


def test_one_that_a_job_runs_in_is_not_deleted() -> None:
    simulation = opened()
    reserve(simulation)
    submit(simulation, user="priya", reservation="burn", time_limit=10 * MINUTE)
    wait(simulation)
    assert simulation.apply(DeleteReservation("root", "burn")) is SlurmError.RESERVATION_BUSY


def test_a_user_who_is_let_in_later_may_use_it() -> None:
    simulation = opened()
    reserve(simulation)
    assert simulation.apply(UpdateReservation("root", "burn", users=("priya", "wei"))) is None
    number = submit(simulation, reservation="burn", time_limit=10 * MINUTE)
    wait(simulation)
    assert job(simulation, number).state == "RUNNING"
