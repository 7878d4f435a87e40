"""Which processes load which GPU."""

from __future__ import annotations

from engine.physics.load import PROFILES, bound_gpus, gpu_load, gpu_loads, gpu_processes
from engine.world.records import BusState, GpuLoad
from tests.engine.physics.scene import NODE, physical_simulation, start_work


def test_work_loads_the_gpus_it_holds_and_no_others() -> None:
    simulation = physical_simulation()
    start_work(simulation, "training", gpus=[2])
    loads = gpu_loads(simulation.world, NODE)
    assert loads[f"{NODE}/gpu2"] == gpu_load(simulation.world, f"{NODE}/gpu2")
    assert loads[f"{NODE}/gpu2"].sm == PROFILES["training"].sm
    assert loads[f"{NODE}/gpu2"].memory_used == 60_000
    assert [load for identifier, load in loads.items() if identifier != f"{NODE}/gpu2"] == [GpuLoad()] * 7


def test_two_programs_on_one_gpu_add_up_to_no_more_than_all_of_it() -> None:
    simulation = physical_simulation()
    start_work(simulation, "training", gpus=[2])
    start_work(simulation, "inference", gpus=[2])
    load = gpu_load(simulation.world, f"{NODE}/gpu2")
    assert (load.sm, load.memory_used) == (100, 120_000)


def test_a_shell_holds_its_gpus_without_using_them() -> None:
    simulation = physical_simulation()
    start_work(simulation, "some-script", gpus=[1])
    load = gpu_load(simulation.world, f"{NODE}/gpu1")
    assert load.idle
    assert load.memory_used == 60_000


def test_processes_name_gpus_by_the_index_that_the_driver_gave_them() -> None:
    simulation = physical_simulation()
    simulation.world.gpus.update(f"{NODE}/gpu2", bus=BusState.ABSENT, bound=False)
    assert [gpu.index for gpu in bound_gpus(simulation.world, NODE)] == [0, 1, 3, 4, 5, 6, 7]
    start_work(simulation, "training", gpus=[2])
    assert gpu_load(simulation.world, f"{NODE}/gpu3").sm > 0
    assert gpu_processes(simulation.world, f"{NODE}/gpu2") == []
    assert gpu_load(simulation.world, f"{NODE}/gpu2") == GpuLoad()
