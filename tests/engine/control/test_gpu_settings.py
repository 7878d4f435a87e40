"""Settings of the driver beside those of test_driver: accounting, clocks, draining, counters of NVLinks."""

from __future__ import annotations

import pytest

from engine.control import driver, gpu_accounting, processes
from engine.control.systemd import StopUnit
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.physics import gpu_bus
from engine.simulation import open_site
from engine.world.records import AccountedProcess, EccCounts, NvLinkErrors
from engine.world.world import World

NODE = "dgx-04"
GPUS = [f"{NODE}/gpu{index}" for index in range(8)]


@pytest.fixture
def site() -> Simulation[World]:
    return open_site("dgx-h100-4")


def start(site: Simulation[World], *gpus: int) -> int:
    return processes.start(site, NODE, user="alex", command="./a", gpus=gpus, gpu_memory=600, workload="burn")


def free(site: Simulation[World], index: int) -> None:
    """Nobody has the GPU open any more."""
    site.apply(StopUnit(NODE, "nvidia-dcgm.service", "root"))
    site.apply(driver.SetPersistence(NODE, index, False, "root"))


def test_accounting_keeps_what_ended_while_it_was_on(site: Simulation[World]) -> None:
    before = start(site, 2)
    processes.end(site, NODE, [before], "exit")
    site.apply(driver.SetAccounting(NODE, 2, True, "root"))
    pid, began = start(site, 2), site.now
    site.advance(90 * SECOND)
    processes.end(site, NODE, [pid], "exit")
    (kept,) = site.world.gpus[GPUS[2]].accounted
    assert (kept.pid, kept.started, kept.ended) == (pid, began, began + 90 * SECOND)
    assert kept.memory_most == 600 and kept.gpu_busy > 90
    assert site.world.gpus[GPUS[1]].accounted == ()
    site.apply(driver.ClearAccounting(NODE, 2, "root"))
    assert site.world.gpus[GPUS[2]].accounted == ()


def test_utilisation_is_that_of_the_gpu_over_the_life_of_the_process(site: Simulation[World]) -> None:
    pid = start(site, 3)
    site.advance(MINUTE)
    process = next(process for process in site.world.systems[NODE].processes if process.pid == pid)
    alone = gpu_accounting.account(site.world, GPUS[3], process, site.now)
    site.apply(driver.SetAccounting(NODE, 3, True, "root"))
    processes.end(site, NODE, [pid], "exit")
    assert site.world.gpus[GPUS[3]].accounted == (alone,)


def test_the_buffer_drops_the_oldest(site: Simulation[World]) -> None:
    full = tuple(AccountedProcess(number, 0, 0, 0, 0, 0) for number in range(gpu_accounting.BUFFER))
    site.world.gpus.update(GPUS[0], accounting=True, accounted=full)
    pid = start(site, 0)
    processes.end(site, NODE, [pid], "exit")
    kept = site.world.gpus[GPUS[0]].accounted
    assert len(kept) == gpu_accounting.BUFFER and (kept[0].pid, kept[-1].pid) == (1, pid)


def test_memory_clocks_are_locked_within_bounds(site: Simulation[World]) -> None:
    assert site.apply(driver.LockMemoryClocks(NODE, 0, 1593, 2619, "root")) is None
    assert site.world.gpus[GPUS[0]].locked_memory == (1593, 2619)
    assert site.apply(driver.LockMemoryClocks(NODE, 1, 2619, 1593, "root")) == driver.OUT_OF_RANGE
    site.apply(driver.ResetMemoryClocks(NODE, 0, "root"))
    assert site.world.gpus[GPUS[0]].locked_memory is None


def test_counters_are_cleared_one_kind_at_a_time(site: Simulation[World]) -> None:
    counts = EccCounts(dram_uncorrected=3)
    site.world.gpus.update(GPUS[0], volatile=counts, aggregate=counts)
    site.apply(driver.ClearEccCounts(NODE, 0, False, "root"))
    assert (site.world.gpus[GPUS[0]].volatile, site.world.gpus[GPUS[0]].aggregate) == (EccCounts(), counts)
    site.apply(driver.ClearEccCounts(NODE, 0, True, "root"))
    assert site.world.gpus[GPUS[0]].aggregate == EccCounts()
    site.world.nvlinks.update(GPUS[0], errors=(NvLinkErrors(3, replay=7),))
    site.apply(driver.ResetNvLinkErrors(NODE, 0, "root"))
    assert site.world.nvlinks[GPUS[0]].errors == ()


def test_a_gpu_that_somebody_has_open_is_not_drained(site: Simulation[World]) -> None:
    assert site.apply(driver.DrainGpu(NODE, 1, "root")) == driver.IN_USE
    free(site, 1)
    pid = start(site, 1)
    assert site.apply(driver.DrainGpu(NODE, 1, "root")) == driver.IN_USE
    processes.end(site, NODE, [pid], "exit")
    assert site.apply(driver.DrainGpu(NODE, 1, "root")) is None


def test_draining_moves_the_indices_of_those_behind(site: Simulation[World]) -> None:
    free(site, 1)
    start(site, 0, 2)
    site.apply(driver.DrainGpu(NODE, 1, "root"))
    assert [gpu.id for gpu in driver.bound_gpus(site.world, NODE)] == [GPUS[0], *GPUS[2:]]
    assert [process.gpus for process in site.world.systems[NODE].processes] == [(0, 1)]
    assert site.apply(driver.UndrainGpu(NODE, GPUS[1], "root")) is None
    assert [process.gpus for process in site.world.systems[NODE].processes] == [(0, 2)]
    assert len(driver.bound_gpus(site.world, NODE)) == 8


def test_a_lost_gpu_is_drained_and_does_not_come_back(site: Simulation[World]) -> None:
    gpu_bus.drop(site, GPUS[5])
    assert site.apply(driver.SetTimeslice(NODE, 5, 1, "root")) == driver.LOST
    assert site.apply(driver.DrainGpu(NODE, 5, "root")) is None
    assert len(driver.bound_gpus(site.world, NODE)) == 7
    assert site.apply(driver.UndrainGpu(NODE, GPUS[5], "root")) == driver.NOT_FOUND


def test_settings_of_the_driver_start_afresh_with_it(site: Simulation[World]) -> None:
    site.apply(driver.SetAccounting(NODE, 0, True, "root"))
    site.apply(driver.SetTimeslice(NODE, 0, 2, "root"))
    site.apply(driver.SetBoost(NODE, 0, 1, "root"))
    site.apply(driver.LockMemoryClocks(NODE, 0, 1593, 1593, "root"))
    driver.attach(site, NODE)
    state = site.world.gpus[GPUS[0]]
    assert (state.accounting, state.timeslice, state.boost, state.locked_memory) == (False, 0, 0, None)
