"""Settings of GPUs that nobody has open, with persistence mode and without."""

from __future__ import annotations

from engine.control import driver, processes, systemd
from engine.kernel.simulation import Simulation
from engine.world.records import GpuState
from engine.world.world import World
from tests.engine.control.os_scene import OTHER, site

DAEMONS = ("nvidia-dcgm-exporter", "nvidia-dcgm")


def lowered(*units: str) -> Simulation[World]:
    """GPU 2 has a lower power limit; the units are stopped."""
    simulation = site()
    assert simulation.apply(driver.SetPowerLimit(OTHER, 2, 500_000, "alex")) is None
    for unit in units:
        simulation.apply(systemd.StopUnit(OTHER, unit, "root"))
    return simulation


def state(simulation: Simulation[World]) -> GpuState:
    return simulation.world.gpus[f"{OTHER}/gpu2"]


def test_persistence_mode_keeps_settings() -> None:
    assert state(lowered(*DAEMONS)).power_limit == 500_000


def test_the_last_who_has_the_gpu_open_takes_the_settings_along() -> None:
    simulation = lowered("nvidia-persistenced")
    assert not state(simulation).persistence and state(simulation).power_limit == 500_000
    for unit in DAEMONS:
        simulation.apply(systemd.StopUnit(OTHER, unit, "root"))
    assert state(simulation).power_limit == 700_000


def test_a_program_keeps_them_until_it_ends() -> None:
    simulation = lowered()
    pid = processes.start(simulation, OTHER, user="wei", command="python3", gpus=(2,), gpu_memory=500)
    for unit in (*DAEMONS, "nvidia-persistenced"):
        simulation.apply(systemd.StopUnit(OTHER, unit, "root"))
    assert state(simulation).power_limit == 500_000
    processes.end(simulation, OTHER, [pid], "exit")
    assert state(simulation).power_limit == 700_000


def test_what_nvidia_smi_sets_alone_is_gone_when_it_ends() -> None:
    simulation = lowered(*DAEMONS, "nvidia-persistenced")
    assert simulation.apply(driver.SetPowerLimit(OTHER, 2, 450_000, "alex")) is None
    assert state(simulation).power_limit == 700_000
    assert simulation.apply(driver.SetPersistence(OTHER, 2, True, "alex")) is None
    assert simulation.apply(driver.SetPowerLimit(OTHER, 2, 450_000, "alex")) is None
    assert state(simulation).power_limit == 450_000
