"""MIG mode and instances: what waits, what is refused, what goes with a reset."""

from __future__ import annotations

import pytest

from engine.control import driver, processes
from engine.control.mig.actions import (
    IN_USE,
    INVALID,
    NO_ROOM,
    NOT_FOUND,
    NOT_SUPPORTED,
    CreateComputeInstance,
    CreateGpuInstance,
    DestroyComputeInstance,
    DestroyGpuInstance,
    SetMigMode,
)
from engine.control.mig.devices import devices
from engine.control.systemd import StartUnit, StopUnit
from engine.kernel.simulation import Simulation
from engine.physics import load
from engine.simulation import open_site
from engine.world.world import World

NODE, GPU, DCGM = "dgx-04", "dgx-04/gpu0", "nvidia-dcgm.service"


@pytest.fixture
def site() -> Simulation[World]:
    """Nothing has the GPUs open but persistence mode."""
    simulation = open_site("dgx-h100-4")
    simulation.apply(StopUnit(NODE, DCGM, "root"))
    return simulation


def switch(site: Simulation[World], enabled: bool = True) -> object:
    return site.apply(SetMigMode(NODE, 0, enabled, "root"))


def cut(site: Simulation[World], *profiles: int) -> None:
    """Make GPU instances, each with one compute instance of all of it."""
    for profile in profiles:
        assert site.apply(CreateGpuInstance(NODE, 0, profile, None, "root")) is None
        made = next(each for each in site.world.mig[GPU].instances if not each.compute)
        kind = {19: 0, 14: 1, 9: 2, 5: 3, 0: 4}[profile]
        assert site.apply(CreateComputeInstance(NODE, 0, made.id, kind, "root")) is None


def modes(site: Simulation[World]) -> tuple[bool, bool]:
    state = site.world.gpus[GPU]
    return state.mig_enabled, state.mig_pending


def test_the_mode_changes_at_once_where_nobody_has_the_gpu_open(site: Simulation[World]) -> None:
    assert switch(site) is None and modes(site) == (True, True)
    assert switch(site, False) is None and modes(site) == (False, False)


def test_with_a_client_the_mode_waits_for_a_reset(site: Simulation[World]) -> None:
    site.apply(StartUnit(NODE, DCGM, "root"))
    assert switch(site) == IN_USE and modes(site) == (False, True)
    assert site.apply(driver.ResetGpu(NODE, 0, "root")) == driver.IN_USE and modes(site) == (False, True)
    site.apply(StopUnit(NODE, DCGM, "root"))
    site.apply(driver.SetPersistence(NODE, 0, False, "root"))
    assert site.apply(driver.ResetGpu(NODE, 0, "root")) is None and modes(site) == (True, True)


def test_the_mode_can_be_put_back_before_it_took_effect(site: Simulation[World]) -> None:
    site.apply(StartUnit(NODE, DCGM, "root"))
    switch(site)
    assert switch(site, False) is None and modes(site) == (False, False)


def test_a_program_keeps_the_mode_too(site: Simulation[World]) -> None:
    processes.start(site, NODE, user="alex", command="./a", gpus=(0,), gpu_memory=600, workload="burn")
    assert switch(site) == IN_USE
    assert site.apply(SetMigMode(NODE, 1, True, "root")) is None


def test_instances_are_made_and_named(site: Simulation[World]) -> None:
    assert site.apply(CreateGpuInstance(NODE, 0, 19, None, "root")) == NOT_SUPPORTED
    switch(site)
    cut(site, 9, 14, 19, 19)
    found = devices(site.world, site.world.inventory.gpu(GPU))
    assert [device.name for device in found] == ["3g.40gb", "2g.20gb", "1g.10gb", "1g.10gb"]
    assert [device.instance.id for device in found] == [2, 3, 9, 10]
    assert len({device.uuid for device in found}) == 4 and all(device.uuid.startswith("MIG-") for device in found)
    assert site.apply(CreateGpuInstance(NODE, 0, 19, None, "root")) == NO_ROOM
    assert site.apply(CreateGpuInstance(NODE, 0, 9, 1, "root")) == INVALID


def test_the_same_instances_have_the_same_uuid_again(site: Simulation[World]) -> None:
    switch(site)
    gpu = site.world.inventory.gpu(GPU)
    cut(site, 9)
    before = devices(site.world, gpu)[0].uuid
    site.apply(DestroyComputeInstance(NODE, 0, 2, 0, "root"))
    site.apply(DestroyGpuInstance(NODE, 0, 2, "root"))
    assert devices(site.world, gpu) == ()
    cut(site, 9)
    assert devices(site.world, gpu)[0].uuid == before


def test_what_is_in_use_stays(site: Simulation[World]) -> None:
    switch(site)
    cut(site, 9, 9)
    properties = {"gpus": (0,), "gpu_memory": 600, "workload": "burn", "instance": (2, 0)}
    pid = processes.start(site, NODE, user="alex", command="./a", **properties)  # type: ignore[arg-type]
    assert site.apply(DestroyComputeInstance(NODE, 0, 2, 0, "root")) == IN_USE
    assert site.apply(DestroyGpuInstance(NODE, 0, 2, "root")) == IN_USE
    assert site.apply(DestroyComputeInstance(NODE, 0, 1, 0, "root")) is None
    assert site.apply(DestroyGpuInstance(NODE, 0, 1, "root")) is None
    first = devices(site.world, site.world.inventory.gpu(GPU))[0]
    assert [process.pid for process in first.processes] == [pid] and first.memory_used == 626
    processes.end(site, NODE, [pid], "exit")
    assert first.memory_used == 26
    assert site.apply(DestroyComputeInstance(NODE, 0, 2, 0, "root")) is None


def test_what_is_not_there_cannot_go(site: Simulation[World]) -> None:
    switch(site)
    assert site.apply(DestroyGpuInstance(NODE, 0, 2, "root")) == NOT_FOUND
    assert site.apply(DestroyComputeInstance(NODE, 0, 2, 0, "root")) == NOT_FOUND
    assert site.apply(CreateComputeInstance(NODE, 0, 2, 0, "root")) == NOT_FOUND
    assert site.apply(SetMigMode(NODE, 9, True, "root")) == driver.NOT_FOUND


def test_parts_of_an_instance_share_its_memory(site: Simulation[World]) -> None:
    switch(site)
    site.apply(CreateGpuInstance(NODE, 0, 9, None, "root"))
    assert [site.apply(CreateComputeInstance(NODE, 0, 2, kind, "root")) for kind in (0, 1, 0)] == [None, None, NO_ROOM]
    first, second = devices(site.world, site.world.inventory.gpu(GPU))
    assert (first.name, second.name) == ("1c.3g.40gb", "2c.3g.40gb")
    assert first.first_of_instance and not second.first_of_instance
    assert first.memory_used == second.memory_used == 22


def test_a_reset_and_switching_off_take_the_instances(site: Simulation[World]) -> None:
    switch(site)
    cut(site, 9)
    site.apply(driver.SetPersistence(NODE, 0, False, "root"))
    assert site.apply(driver.ResetGpu(NODE, 0, "root")) is None
    assert site.world.mig[GPU].instances == () and modes(site) == (True, True)
    cut(site, 9)
    assert switch(site, False) is None and site.world.mig[GPU].instances == ()


@pytest.mark.parametrize(("board", "kept"), [("h100-sxm5-80gb", False), ("a100-sxm4-80gb", True)])
def test_only_ampere_keeps_the_mode_when_the_driver_is_loaded_anew(board: str, kept: bool) -> None:
    simulation = open_site("dgx-h100-4", overrides={"hardware.gpu": board})
    simulation.apply(StopUnit(NODE, DCGM, "root"))
    switch(simulation)
    cut(simulation, 9)
    driver.attach(simulation, NODE)
    assert simulation.world.gpus[GPU].mig_enabled is kept
    assert simulation.world.mig[GPU].instances == ()


def test_work_on_a_device_takes_its_share_of_the_gpu(site: Simulation[World]) -> None:
    switch(site)
    cut(site, 9, 9)
    alone = processes.start(site, NODE, user="alex", command="./a", gpus=(1,), gpu_memory=600, workload="burn")
    loads = [load.gpu_load(site.world, f"{NODE}/gpu1").power_permille]
    for instance in (2, 1):
        properties = {"gpus": (0,), "gpu_memory": 600, "workload": "burn", "instance": (instance, 0)}
        processes.start(site, NODE, user="alex", command="./a", **properties)  # type: ignore[arg-type]
        loads.append(load.gpu_load(site.world, GPU).power_permille)
    whole, one, both = loads
    assert whole * 60 // 100 < one < whole * 75 // 100 < both < whole
    assert load.gpu_load(site.world, GPU).sm == 86 and alone
