"""A GPU's firmware that answers no calls: who waits, what the driver says, and what frees it."""

from __future__ import annotations

import pytest

from engine.control import driver, gsp, service_state
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.simulation import open_site
from engine.workloads import cuda
from engine.world.records import RecoveryAction
from engine.world.world import World
from tests.engine.control.node_scene import kernel_log
from tests.support.run import run_command

NODE, GPU, INDEX = "dgx-04", "dgx-04/gpu3", 3


@pytest.fixture
def simulation() -> Simulation[World]:
    return open_site("dgx-h100-4")


def timeouts(simulation: Simulation[World]) -> list[str]:
    return [line.partition("): ")[2] for line in kernel_log(simulation, NODE) if "): 119, " in line]


def stall_unwatched(simulation: Simulation[World]) -> None:
    """The firmware stalls on a node on which nothing asks by itself."""
    unit = service_state.find(simulation.world, NODE, driver.HOST_ENGINE)
    assert unit is not None
    service_state.change(simulation.world, NODE, unit, active=False)
    gsp.stall(simulation, GPU)
    simulation.advance(5 * MINUTE)


def test_the_host_engine_runs_into_it_by_itself(simulation: Simulation[World]) -> None:
    pid = service_state.service(simulation.world, NODE, driver.HOST_ENGINE).pid
    gsp.stall(simulation, GPU)
    simulation.advance(MINUTE)
    lines = timeouts(simulation)
    assert len(lines) == gsp.GIVES_UP_AFTER
    assert all(line.startswith(f"119, pid={pid}, name=cache_mgr_main, Timeout after 6s of") for line in lines)
    assert simulation.world.gpus[GPU].recovery is RecoveryAction.RESET
    said = "Back to back GSP RPC timeout detected! GPU marked for reset"
    assert any(said in line for line in kernel_log(simulation, NODE))


def test_whoever_asks_is_named_and_waits(simulation: Simulation[World]) -> None:
    stall_unwatched(simulation)
    assert timeouts(simulation) == []
    assert gsp.patience(simulation.world, GPU) == 6 * SECOND
    before = simulation.now
    assert run_command(simulation, NODE, "alex", "nvidia-smi -L").status == 0
    assert simulation.now - before >= 18 * SECOND
    assert len(timeouts(simulation)) == 3 and all("name=nvidia-smi" in line for line in timeouts(simulation))
    before = simulation.now
    run_command(simulation, NODE, "alex", "nvidia-smi -L")
    assert simulation.now - before < SECOND and len(timeouts(simulation)) == 3


def test_other_gpus_are_asked_without_waiting(simulation: Simulation[World]) -> None:
    stall_unwatched(simulation)
    simulation.apply(gsp.CallInVain(NODE, INDEX + 1, "nvidia-smi", 4711))
    assert timeouts(simulation) == []
    assert gsp.patience(simulation.world, f"{NODE}/gpu4") == 0


def test_no_context_can_be_made_until_a_reset(simulation: Simulation[World]) -> None:
    stall_unwatched(simulation)
    gpu = simulation.world.inventory.gpu(GPU)
    with pytest.raises(cuda.CudaError) as refused:
        cuda.make_context(simulation.world, gpu)
    assert refused.value.code == cuda.UNKNOWN
    for _ in range(3):
        simulation.apply(gsp.CallInVain(NODE, INDEX, "nvidia-smi", 4711))
    with pytest.raises(cuda.CudaError) as refused:
        cuda.make_context(simulation.world, gpu)
    assert refused.value.code == cuda.BUSY
    simulation.world.gpus.update(GPU, persistence=False)
    assert simulation.apply(driver.ResetGpu(NODE, INDEX, "root")) is None
    cuda.make_context(simulation.world, gpu)
    assert not gsp.stalled(simulation.world, GPU)
    assert simulation.world.gpus[GPU].recovery is RecoveryAction.NONE
