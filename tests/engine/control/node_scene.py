"""Nodes with physics, driver, processes and faults, and nothing else that hears events."""

from __future__ import annotations

from collections.abc import Sequence

from engine.control import driver, gpu_errors, gsp, journald, nvlink_fabric, processes, systemd
from engine.faults import fault
from engine.kernel.events import Bus
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR
from engine.physics import air, board_defects, gpu_bus, gpu_memory, nvlink_errors, thermal
from engine.sites.build import load_site
from engine.world.world import World

NODE, GPU, ADDRESS = "dgx-02", "dgx-02/gpu5", "0000:c3:00.0"
MODULES = (
    gpu_bus,
    air,
    thermal,
    board_defects,
    gpu_memory,
    nvlink_errors,
    driver,
    gpu_errors,
    gsp,
    nvlink_fabric,
    systemd,
    processes,
    fault,
)


def node_simulation(seed: int = 1, driver_version: str | None = None, gpu: str | None = None) -> Simulation[World]:
    """The first site, with another driver or another GPU if one is given."""
    overrides = {"software.driver": driver_version, "software.fabric_manager": driver_version} if driver_version else {}
    overrides |= {"hardware.gpu": gpu} if gpu else {}
    handlers = [pair for module in MODULES for pair in module.HANDLERS]
    return Simulation(World(load_site("dgx-h100-4", overrides), seed), seed, Bus(handlers))


def run_training(simulation: Simulation[World], node: str = NODE, gpus: Sequence[int] = range(8)) -> None:
    """One training process on each of `gpus`, since five hours."""
    for gpu in gpus:
        processes.start(
            simulation,
            node,
            user="priya",
            command="/usr/bin/python3 train.py",
            gpus=[gpu],
            gpu_memory=60_000,
            workload="training",
            job=12,
            started=simulation.now - 5 * HOUR,
        )


def kernel_log(simulation: Simulation[World], node: str = NODE) -> list[str]:
    """What the kernel has written since the site opened."""
    return [entry.text for entry in simulation.world.logs[node].entries if entry.source == "kernel"]


def ring_buffer(simulation: Simulation[World], node: str = NODE) -> list[str]:
    """What dmesg would show."""
    return [entry.text for entry in journald.ring_buffer(simulation.world, node)]
