"""Whatever people do and whatever breaks: nothing is given out twice, sums agree, and a replay is equal."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control import boot, processes, systemd
from engine.control.slurm import jobs
from engine.control.slurm.administration import RebootNodes, UpdateNode
from engine.control.slurm.nodes import survey
from engine.control.slurm.queue import CancelJob, HoldJob, RequeueJob, UpdateJob
from engine.control.slurm.submission import SubmitJob
from engine.faults.fault import InjectFault
from engine.kernel.actions import Action
from engine.kernel.simulation import replay
from engine.kernel.units import HOUR, MINUTE, SECOND
from tests.engine.control.slurm.scene import Sim, opened

NODES = ("dgx-01", "dgx-02", "dgx-03", "dgx-04")
Step = tuple[str, int, int, int]

# A step: what is done, two numbers that say to whom and how much, and how many seconds pass after it.
steps = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "submit", "submit", "submit", "interactive", "cancel", "hold", "release", "requeue", "limit", "drain",
                "resume", "down", "reboot", "slurmd stop", "slurmd start", "slurmctld", "scontrol reboot", "power",
                "gpu lost",
            ]
        ),
        st.integers(0, 40),
        st.integers(0, 8),
        st.sampled_from([0, 1, 3, 20, 150, 700, 4000]),
    ),
    max_size=25,
)  # fmt: skip


def a_job(simulation: Sim, number: int) -> int:
    """One of the jobs there are."""
    known = [job.id for job in jobs.recorded(simulation.world)]
    return known[number % len(known)]


def request(first: int, second: int, *, interactive: bool = False) -> SubmitJob:
    """A job of some shape."""
    return SubmitJob(
        "wei", "x", "head-01", "/home/wei", nodes=first % 4 + 1, gpus_per_node=second, interactive=interactive,
        exclusive=first % 7 == 6, time_limit=(second + 1) * 20 * MINUTE, requeue=first % 5 != 0,
        script="" if interactive else f"#!/bin/bash\nsleep {first * 100}\n",
    )  # fmt: skip


def act(simulation: Sim, step: Step) -> Action:
    """The action of a step."""
    what, first, second, _ = step
    node = NODES[first % 4]
    actions: dict[str, Callable[[], Action]] = {
        "submit": lambda: request(first, second),
        "interactive": lambda: request(first, second, interactive=True),
        "cancel": lambda: CancelJob(a_job(simulation, first), "root"),
        "hold": lambda: HoldJob(a_job(simulation, first), "root"),
        "release": lambda: HoldJob(a_job(simulation, first), "root", release=True),
        "requeue": lambda: RequeueJob(a_job(simulation, first), "root"),
        "limit": lambda: UpdateJob(a_job(simulation, first), "root", time_limit=second * HOUR),
        "drain": lambda: UpdateNode(node, "root", "DRAIN", "test"),
        "resume": lambda: UpdateNode(node, "root", "RESUME"),
        "down": lambda: UpdateNode(node, "root", "DOWN", "test"),
        "reboot": lambda: boot.Reboot(node, "root"),
        "power": lambda: boot.ChassisPower(node, "cycle" if second % 2 else "off", "root"),
        "slurmd stop": lambda: systemd.StopUnit(node, "slurmd.service", "root"),
        "slurmd start": lambda: systemd.StartUnit(node, "slurmd.service", "root"),
        "slurmctld": lambda: systemd.RestartUnit("head-01", "slurmctld.service", "root"),
        "gpu lost": lambda: InjectFault("gpu.fell_off_bus", f"{node}/gpu{second % 8}", ()),
        "scontrol reboot": lambda: RebootNodes(node, "root", asap=second % 2 == 0, next_state="RESUME"),
    }
    return actions[what]()


def check(simulation: Sim) -> None:
    """What must hold at every moment."""
    world = simulation.world
    cluster = survey(world)
    for name, node in cluster.configuration.nodes.items():
        here = [job for job in cluster.active if name in job.nodes]
        shares = [(job, job.nodes.index(name)) for job in here]
        gpus = [gpu for job, index in shares for gpu in job.gpu_indices[index]]
        assert len(gpus) == len(set(gpus))
        assert set(gpus) <= set(range(node.gpus))
        masks = [job.cpu_masks[index] for job, index in shares]
        assert sum(mask.bit_count() for mask in masks) == held_bits(masks) <= node.cpus
        assert sum(job.memory_mib for job in here) <= node.real_memory
        held = cluster.held(name)
        assert sorted([*held.running, *held.completing]) == sorted(job.id for job in here)
        assert held.cpus.bit_count() + held.blocked_cpus.bit_count() == sum(mask.bit_count() for mask in masks)
        ran = {job.id for job in here if job.state == "RUNNING"}
        assert {each.job for each in world.systems[name].processes if each.job} <= ran
    for job in cluster.active:
        if job.state == "RUNNING":
            assert len(job.nodes) == len(job.cpu_masks) == len(job.gpu_indices) >= job.node_count
            assert all(len(gpus) == job.gpus_per_node for gpus in job.gpu_indices)


def held_bits(masks: list[int]) -> int:
    """How many different CPUs the masks name."""
    together = 0
    for mask in masks:
        together |= mask
    return together.bit_count()


@settings(max_examples=60)
@given(steps)
def test_nothing_is_given_out_twice_and_a_replay_is_equal(plan: list[Step]) -> None:
    simulation = opened()
    for step in plan:
        before = started(simulation)
        closed = {name for name in NODES if not survey(simulation.world).condition(name).available}
        simulation.apply(act(simulation, step))
        check(simulation)
        new = started(simulation) - before
        assert not any(name in closed for number, name in new) or step[0] in ("resume", "release", "slurmd start")
        simulation.advance(step[3] * SECOND)
        check(simulation)
    again = replay(opened(), simulation.recorded, simulation.now)
    assert again.state_digest() == simulation.state_digest()


def started(simulation: Sim) -> set[tuple[int, str]]:
    """(job, node) of everything that runs."""
    return {(job.id, name) for job in jobs.active(simulation.world) if job.state == "RUNNING" for name in job.nodes}


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 8)), min_size=1, max_size=12), st.sampled_from(NODES))
def test_a_drained_node_gets_no_new_work_however_long_it_takes(plan: list[tuple[int, int]], drained: str) -> None:
    simulation = opened()
    simulation.apply(UpdateNode(drained, "root", "DRAIN", "test"))
    before = {number for number, name in started(simulation) if name == drained}
    for first, second in plan:
        simulation.apply(request(first, second))
        simulation.advance(20 * MINUTE)
        assert {number for number, name in started(simulation) if name == drained} <= before


def test_every_process_of_a_job_is_gone_when_the_job_is() -> None:
    simulation = opened()
    for name in NODES:
        simulation.apply(UpdateNode(name, "root", "DRAIN", "test"))
    for job in jobs.active(simulation.world):
        simulation.apply(CancelJob(job.id, "root"))
    simulation.advance(3 * SECOND)
    assert not any(
        each.job for name in NODES for each in processes.processes(simulation.world, name) if each.job is not None
    )
    assert simulation.world.slurm[""].active_jobs == ()
