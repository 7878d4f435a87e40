"""What slurmctld has in memory is what the table of jobs says, whatever happens; and a look at the queue places a job
only where its request fits.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control.slurm import accounting, arrays, jobs
from engine.control.slurm.administration import UpdateNode
from engine.control.slurm.ledger import Ledger, ledger
from engine.control.slurm.nodes import survey
from engine.control.slurm.queue import CancelJob, HoldJob, RequeueJob, UpdateJob
from engine.control.slurm.reservations import CreateReservation, DeleteReservation
from engine.control.slurm.scheduler import Pass
from engine.control.slurm.submission import SubmitJob
from engine.kernel.actions import Action
from engine.kernel.units import HOUR, MINUTE, SECOND
from tests.engine.control.slurm.scene import Sim, opened, submit, wait
from tests.support.run import run_command

Step = tuple[str, int, int, int]
NODES = ("dgx-01", "dgx-02", "dgx-03", "dgx-04")

steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["submit", "submit", "array", "array", "interactive", "cancel", "task", "hold", "release", "requeue",
             "nice", "drain", "resume", "reserve", "unreserve"]
        ),
        st.integers(0, 40),
        st.integers(0, 8),
        st.sampled_from([0, 1, 3, 20, 150, 700, 4000]),
    ),
    max_size=20,
)  # fmt: skip


def request(first: int, second: int, **more: str | bool) -> SubmitJob:
    """A job of some shape."""
    interactive = more.get("interactive") is True
    return SubmitJob(
        ("wei", "priya")[first % 2], "x", "head-01", "/home/wei", nodes=first % 3 + 1, gpus_per_node=second,
        exclusive=first % 7 == 6, time_limit=(second + 1) * 20 * MINUTE, nice=first * 3,
        script="" if interactive else f"#!/bin/bash\nsleep {first * 60}\n",
        **more,  # type: ignore[arg-type]
    )  # fmt: skip


def act(simulation: Sim, step: Step) -> Action:
    """The action of a step."""
    what, first, second, _ = step
    known = [job.id for job in jobs.recorded(simulation.world)]
    some, node = known[first % len(known)], NODES[first % 4]
    actions: dict[str, Callable[[], Action]] = {
        "submit": lambda: request(first, second),
        "array": lambda: request(first % 2, second % 3, array=f"1-{second + 2}%{first % 3 + 1}"),
        "interactive": lambda: request(first, second, interactive=True),
        "cancel": lambda: CancelJob(some, "root"),
        "task": lambda: CancelJob(some, "root", tasks=(second,)),
        "hold": lambda: HoldJob(some, "root"),
        "release": lambda: HoldJob(some, "root", release=True),
        "requeue": lambda: RequeueJob(some, "root"),
        "nice": lambda: UpdateJob(some, "root", nice=second * 100),
        "drain": lambda: UpdateNode(node, "root", "DRAIN", "test"),
        "resume": lambda: UpdateNode(node, "root", "RESUME"),
        "reserve": lambda: CreateReservation(
            "root", f"r{first % 3}", simulation.now, None if first % 2 else HOUR, None, node, 0, "", ("priya",), (),
            ("IGNORE_JOBS",),
        ),
        "unreserve": lambda: DeleteReservation("root", f"r{first % 3}"),
    }  # fmt: skip
    return actions[what]()


def check(simulation: Sim) -> None:
    """The books agree with the table, nothing is given twice, and what runs has what it asked for."""
    world = simulation.world
    kept, fresh = ledger(world), Ledger(world)
    for each in jobs.recorded(world):
        fresh.enter(each)
    assert kept.active == fresh.active
    assert {name: held.gpus | held.blocked_gpus for name, held in kept.usage.items()} == {
        name: held.gpus | held.blocked_gpus for name, held in fresh.usage.items()
    }
    assert {key: total for key, total in kept.totals.items() if total.submitted} == fresh.totals
    assert [number for _, number in kept.queue] == [number for _, number in fresh.queue]
    assert kept.arrays == fresh.arrays
    assert set(world.slurm[""].active_jobs) == set(kept.active)
    given: dict[str, list[int]] = {}
    for each in kept.active.values():
        for name, gpus in zip(each.nodes, each.gpu_indices, strict=True):
            given.setdefault(name, []).extend(gpus)
            assert len(gpus) == each.gpus_per_node <= survey(world).node(name).gpus
    assert all(len(gpus) == len(set(gpus)) for gpus in given.values())


@settings(max_examples=50)
@given(steps)
def test_the_books_agree_whatever_happens(plan: list[Step]) -> None:
    simulation = opened()
    for step in plan:
        simulation.apply(act(simulation, step))
        check(simulation)
        simulation.advance(step[3] * SECOND)
        check(simulation)


@settings(max_examples=25)
@given(steps)
def test_every_task_of_an_array_is_one_job_and_none_is_lost(plan: list[Step]) -> None:
    simulation = opened()
    number = submit(simulation, array="1-9%3", gpus_per_node=1, sleep=120)
    for step in plan:
        simulation.apply(act(simulation, step))
        simulation.advance(step[3] * SECOND)
    found = [
        task for each in arrays.members(simulation.world, number) for task in (each.array_tasks or (each.array_task,))
    ]
    assert sorted(task for task in found if task is not None) == list(range(1, 10))


@settings(max_examples=25)
@given(steps)
def test_the_tools_tell_one_story(plan: list[Step]) -> None:
    """squeue, scontrol, sacct and sinfo of the same moment."""
    simulation = opened()
    for step in plan:
        simulation.apply(act(simulation, step))
        simulation.advance(step[3] * SECOND)

    def ask(line: str) -> list[list[str]]:
        return [row.split("|") for row in run_command(simulation, "head-01", "root", line).stdout.splitlines()]

    queue = {row[0]: row[1:] for row in ask("squeue -h -t all -o '%A|%T|%D|%N'")}
    for number, (state, count, nodes) in queue.items():
        text = run_command(simulation, "head-01", "root", f"scontrol -o show job {number}").stdout
        record = next(line for line in text.splitlines() if line.startswith(f"JobId={number} "))
        assert f"JobState={state} " in record and f" NodeList={nodes} " in record
        assert f"NumNodes={count}" in record
    held = {row[0]: row[1:] for row in ask("sacct -a -X -n -P -o JobIDRaw,State,NNodes -S now-30days")}
    for number, (state, _, _) in queue.items():
        assert held[number][0].split()[0] == (state if state != "COMPLETING" else held[number][0].split()[0])
    running = [each for each in jobs.active(simulation.world) if each.state == "RUNNING"]
    for line in run_command(simulation, "head-01", "root", "sinfo -h -N -p batch -o '%N %t %C'").stdout.splitlines():
        name, _, cpus = line.split()
        here = sum(each.cpu_masks[each.nodes.index(name)].bit_count() for each in running if name in each.nodes)
        assert int(cpus.split("/")[0]) == here


@settings(max_examples=20)
@given(steps)
def test_accounting_adds_up(plan: list[Step]) -> None:
    """Of each run the time that it held its nodes, and no run of a job overlaps another of it."""
    simulation = opened()
    for step in plan:
        simulation.apply(act(simulation, step))
        simulation.advance(step[3] * SECOND)
    by_job: dict[int, list[tuple[int, int]]] = {}
    for run in accounting.runs(simulation.world):
        if run.job.started is not None:
            end = simulation.now if run.job.ended is None else run.job.ended
            assert end >= run.job.started
            by_job.setdefault(run.job.id, []).append((run.job.started, end))
    for spans in by_job.values():
        ordered = sorted(spans)
        assert all(first[1] <= second[0] for first, second in pairwise(ordered))


def test_a_short_look_starts_what_a_whole_one_starts_first() -> None:
    simulation = opened()
    for count in (1, 2, 8):
        submit(simulation, gpus_per_node=count)
    whole = Pass(survey(simulation.world), simulation.now).run()
    short = Pass(survey(simulation.world), simulation.now, depth=3).run()
    assert whole.starts[: len(short.starts)] == short.starts and short.starts


def test_of_a_long_queue_the_rest_comes_up_within_half_a_minute() -> None:
    simulation = opened()
    for _ in range(110):
        submit(simulation, nodes=2, gpus_per_node=8, node_list=("dgx-01", "dgx-02"), time_limit=HOUR)
    small = submit(simulation, gpus_per_node=1, time_limit=10 * MINUTE, nice=900)
    wait(simulation, 40)
    assert ledger(simulation.world).active[small].state == "RUNNING"
