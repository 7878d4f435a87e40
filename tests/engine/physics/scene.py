"""Nodes with work on their GPUs, and nothing above physics running."""

from __future__ import annotations

from collections.abc import Iterable

import yaml

from engine.kernel.documents import read_document
from engine.kernel.events import Bus
from engine.kernel.simulation import Simulation
from engine.physics import air, gpu_bus, thermal
from engine.sites import catalogue
from engine.sites.build import build_inventory
from engine.world.events import GpuLoadChanged
from engine.world.inventory import Inventory
from engine.world.records import Process
from engine.world.world import World
from tests.support.worlds import inventory

NODE = "dgx-02"
EVERY_GPU = range(8)


def physical_simulation(seed: int = 1, site: Inventory | None = None) -> Simulation[World]:
    """A simulation in which only physics hears events."""
    handlers = [pair for module in (gpu_bus, air, thermal) for pair in module.HANDLERS]
    return Simulation(World(site or inventory(), seed), seed, Bus(handlers))


def start_work(
    simulation: Simulation[World],
    workload: str,
    node: str = NODE,
    gpus: Iterable[int] = EVERY_GPU,
    started: int | None = None,
) -> None:
    """One process on each of `gpus`, started now or at `started`."""
    begun = simulation.now if started is None else started
    state = simulation.world.systems[node]
    new = tuple(
        Process(
            30_000 + len(state.processes) + gpu,
            1,
            "priya",
            "python3 train.py",
            begun,
            gpus=(gpu,),
            gpu_memory=60_000,
            workload=workload,
        )
        for gpu in gpus
    )
    simulation.world.systems.update(node, processes=(*state.processes, *new))
    simulation.publish(GpuLoadChanged(node))


def end_work(simulation: Simulation[World], node: str = NODE) -> None:
    """All processes of a node end."""
    simulation.world.systems.update(node, processes=())
    simulation.publish(GpuLoadChanged(node))


def temperatures(simulation: Simulation[World], node: str = NODE) -> list[int]:
    """m°C of the GPUs of a node now, without the sensors' noise."""
    now = simulation.now
    return [thermal.regime(simulation.world, f"{node}/gpu{index}").temperature.value(now) for index in EVERY_GPU]


def large_site(nodes: int) -> Inventory:
    """The first site with `nodes` DGX H100 and no fabric."""
    site = yaml.safe_load(_text("dgx-h100-4"))
    group = next(group for group in site["nodes"] if group["role"] == "compute")
    site["nodes"] = [site["nodes"][0], {**group, "names": f"dgx-[1001-{1000 + nodes}]", "unit_step": 0}]
    site["networks"] = {
        "management": {"subnet": "10.0.0.0/16"},
        "inband": {"subnet": "10.1.0.0/16"},
        "bmc": {"subnet": "10.2.0.0/16"},
    }
    site |= {"switches": [], "cabling": [], "jobs": []}
    site["slurm"]["partitions"] = []
    return build_inventory(read_document(yaml.safe_dump(site), "large.yaml"), {})


def _text(name: str) -> str:
    from importlib.resources import files

    assert name in catalogue.site_names()
    return files("engine.sites").joinpath(f"{name}.yaml").read_text("utf-8")
