"""GPU memory: counts, remapped rows and their limits, and what a reset makes of them."""

from __future__ import annotations

import pytest

from engine.control import driver, service_state
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.physics import board_defects, gpu_memory
from engine.world.records import BoardDefect, BootPhase, EccCounts, RowRemap
from engine.world.world import World
from tests.engine.control.node_scene import GPU, NODE, kernel_log, node_simulation

DRAM, SRAM = board_defects.DRAM, board_defects.SRAM


@pytest.fixture
def simulation() -> Simulation[World]:
    return node_simulation()


def strike(simulation: Simulation[World], kind: str, times: int, **more: object) -> None:
    """A defect shows some times within minutes."""
    given: dict[str, object] = {"kind": kind, "every": SECOND, "left": times, "under_load": False}
    board_defects.plant(simulation, GPU, BoardDefect(**(given | more)))  # type: ignore[arg-type]
    simulation.advance(2 * times * SECOND + SECOND)


def remap(simulation: Simulation[World]) -> RowRemap:
    return simulation.world.gpus[GPU].remap


def test_a_bad_row_is_marked_and_counts(simulation: Simulation[World]) -> None:
    strike(simulation, DRAM, 1)
    assert remap(simulation) == RowRemap(uncorrectable=1, pending=True, degraded_banks=((1, 1),))
    state = simulation.world.gpus[GPU]
    assert state.volatile == state.aggregate == EccCounts(dram_uncorrected=1)


def test_a_bank_has_eight_spare_rows(simulation: Simulation[World]) -> None:
    strike(simulation, DRAM, 8)
    assert remap(simulation) == RowRemap(uncorrectable=8, pending=True, degraded_banks=((8, 1),))
    strike(simulation, DRAM, 1, rows=8)
    assert remap(simulation) == RowRemap(uncorrectable=8, pending=True, failure=True, degraded_banks=((8, 1),))
    assert simulation.world.gpus[GPU].volatile.dram_uncorrected == 9
    assert any("): 64, Row Remapper Error: (0x" in line for line in kernel_log(simulation))


def test_two_bad_banks_wear_each_for_itself(simulation: Simulation[World]) -> None:
    strike(simulation, DRAM, 2)
    strike(simulation, DRAM, 2, place=1)
    strike(simulation, DRAM, 1, place=2)
    assert remap(simulation).degraded_banks == ((1, 1), (2, 2))
    assert remap(simulation).uncorrectable == 5


def test_a_gpu_has_512_remappings(simulation: Simulation[World]) -> None:
    for _ in range(gpu_memory.MOST_REMAPPED):
        gpu_memory.wear_bank(simulation, GPU, 1)
    strike(simulation, DRAM, 1)
    assert remap(simulation).failure and remap(simulation).uncorrectable == 512


def test_a_remapped_row_that_fails_is_a_failure_in_a_bank_with_spares(simulation: Simulation[World]) -> None:
    gpu_memory.wear_bank(simulation, GPU, 1)
    strike(simulation, board_defects.BAD_ROW, 1, rows=1)
    assert remap(simulation) == RowRemap(uncorrectable=1, failure=True, degraded_banks=((1, 1),))


@pytest.mark.parametrize(
    ("place", "name", "most"), [(0, "sram_uncorrected_parity", 4), (1, "sram_uncorrected_secded", 2)]
)
def test_sram_has_a_threshold(simulation: Simulation[World], place: int, name: str, most: int) -> None:
    strike(simulation, SRAM, most, place=place)
    counts = simulation.world.gpus[GPU].aggregate
    assert getattr(counts, name) == most and not gpu_memory.threshold_exceeded(counts)
    strike(simulation, SRAM, 1, place=place)
    assert gpu_memory.threshold_exceeded(simulation.world.gpus[GPU].aggregate)
    assert remap(simulation) == RowRemap()


def test_a_reset_remaps_and_keeps_the_life_of_the_board(simulation: Simulation[World]) -> None:
    strike(simulation, DRAM, 1)
    simulation.world.gpus.update(GPU, persistence=False)
    assert simulation.apply(driver.ResetGpu(NODE, 5, "root")) is not None
    unit = service_state.find(simulation.world, NODE, driver.HOST_ENGINE)
    assert unit is not None
    service_state.change(simulation.world, NODE, unit, active=False)
    assert simulation.apply(driver.ResetGpu(NODE, 5, "root")) is None
    state = simulation.world.gpus[GPU]
    assert (state.volatile, state.aggregate) == (EccCounts(), EccCounts(dram_uncorrected=1))
    assert state.remap == RowRemap(uncorrectable=1, degraded_banks=((1, 1),))


def test_a_new_load_of_the_driver_alone_remaps_nothing_and_a_boot_does(simulation: Simulation[World]) -> None:
    strike(simulation, DRAM, 1)
    driver.attach(simulation, NODE)
    assert remap(simulation).pending and simulation.world.gpus[GPU].volatile == EccCounts()
    simulation.world.nodes.update(NODE, phase=BootPhase.KERNEL)
    driver.attach(simulation, NODE)
    assert not remap(simulation).pending and remap(simulation).uncorrectable == 1


def test_with_ecc_off_nothing_is_noticed(simulation: Simulation[World]) -> None:
    simulation.world.gpus.update(GPU, ecc_enabled=False)
    strike(simulation, DRAM, 3)
    state = simulation.world.gpus[GPU]
    assert (state.volatile, state.remap) == (EccCounts(), RowRemap())
    assert kernel_log(simulation) == []


def test_corrected_errors_grow_and_end_nothing(simulation: Simulation[World]) -> None:
    strike(simulation, board_defects.CORRECTED, 5, amount=10)
    first = simulation.world.gpus[GPU].volatile.dram_corrected
    assert 25 <= first <= 75
    strike(simulation, board_defects.CORRECTED, 5, amount=10)
    simulation.advance(MINUTE)
    assert simulation.world.gpus[GPU].volatile.dram_corrected > first
    assert gpu_memory.uncorrected(simulation.world.gpus[GPU].aggregate) == 0
    assert kernel_log(simulation) == []


def test_very_many_corrected_errors_are_told_once(simulation: Simulation[World]) -> None:
    strike(simulation, board_defects.CORRECTED, 5, amount=4000)
    told = [line for line in kernel_log(simulation) if "): 92, " in line]
    assert len(told) == 1 and "Disabling ECC single-bit error interrupts in framebuffer" in told[0]
