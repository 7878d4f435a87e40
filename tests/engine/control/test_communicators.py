"""Processes of a parallel program meet, are seen, and are lost."""

from __future__ import annotations

import pytest

from engine.control import communicators, driver, processes
from engine.control.communicators import Fail, Finish, Join, Leave, Proceed
from engine.kernel.simulation import Simulation
from engine.physics.gpu_bus import drop
from engine.physics.load import gpu_load
from engine.simulation import open_site
from engine.world.world import World

NAME = "step/7.0"


@pytest.fixture(scope="module")
def pristine() -> Simulation[World]:
    return open_site("dgx-h100-4")


@pytest.fixture
def site(pristine: Simulation[World]) -> Simulation[World]:
    return pristine.fork()


def join(site: Simulation[World], rank: int, host: str = "dgx-04", **changes: object) -> int:
    """A process of two joins, with GPU `rank`."""
    fields = {"memory": 2000, "environment": (("NCCL_DEBUG", "INFO"),), "cpus": "0-55", "memory_lock": 64} | changes
    pid: int = site.apply(Join(NAME, 2, rank, host, "priya", "all_reduce_perf", (rank,), **fields))  # type: ignore[arg-type]
    return pid


def test_members_come_in_any_order_and_are_kept_by_rank(site: Simulation[World]) -> None:
    second, first = join(site, 1), join(site, 0)
    found = communicators.meeting(site.world, NAME)
    assert found is not None
    assert [(each.rank, each.pid) for each in found.members] == [(0, first), (1, second)]
    assert (found.size, found.stage) == (2, communicators.GATHERING)


def test_a_member_is_a_process_with_its_gpu_and_its_limits(site: Simulation[World]) -> None:
    pid = join(site, 0)
    process = processes.find(site.world, "dgx-04", pid)
    assert process is not None
    assert (process.command, process.gpus, process.cpus, process.memory_lock) == ("all_reduce_perf", (0,), "0-55", 64)
    assert dict(process.environment) == {"NCCL_DEBUG": "INFO"}
    assert driver.compute_processes(site.world, "dgx-04/gpu0") == [(process, 2000)]
    assert gpu_load(site.world, "dgx-04/gpu0").sm == 100


def test_flows_are_open_while_they_work(site: Simulation[World]) -> None:
    join(site, 0)
    source = "dgx-03/mlx5_0/1"
    destination = "dgx-04/mlx5_0/1"
    site.apply(Proceed(NAME, communicators.WORKING, ((source, destination, 300_000_000_000, 0, 0),)))
    bundle = site.world.bundles[communicators.owner(NAME)]
    assert bundle.flows[0].links
    assert communicators.share(site.world, NAME) == 1_000_000
    site.apply(Finish(NAME))
    assert site.world.bundles[communicators.owner(NAME)].flows == ()


def test_finishing_ends_all_and_leaves_nothing(site: Simulation[World]) -> None:
    pids = [join(site, 0), join(site, 1)]
    site.apply(Finish(NAME))
    assert communicators.meeting(site.world, NAME) is None
    assert NAME not in site.world.communicators.changed()
    assert not any(processes.find(site.world, "dgx-04", pid) for pid in pids)


def test_leaving_one_by_one(site: Simulation[World]) -> None:
    join(site, 0)
    join(site, 1)
    site.apply(Fail(NAME, ("common.cu:430",), "NCCL", 3))
    site.apply(Leave(NAME, 1))
    found = communicators.meeting(site.world, NAME)
    assert found is not None
    assert ([each.rank for each in found.members], found.stage, found.status) == ([0], communicators.FAILED, 3)
    site.apply(Leave(NAME, 0))
    assert communicators.meeting(site.world, NAME) is None


def test_a_killed_member_is_marked(site: Simulation[World]) -> None:
    join(site, 0)
    pid = join(site, 1)
    site.apply(processes.Kill("dgx-04", pid, 9, "priya"))
    assert [each.lost for each in site.world.communicators[NAME].members] == ["", "killed"]


def test_a_stopped_member_is_there_but_stopped(site: Simulation[World]) -> None:
    pid = join(site, 0)
    site.apply(processes.Kill("dgx-04", pid, 19, "priya"))
    own = communicators.member(site.world, NAME, 0)
    assert own is not None
    assert communicators.is_stopped(site.world, own)
    assert not own.lost


def test_a_member_goes_with_its_gpu(site: Simulation[World]) -> None:
    join(site, 0)
    join(site, 1)
    drop(site, "dgx-04/gpu1")
    assert [each.lost for each in site.world.communicators[NAME].members] == ["", "gpu_lost"]
