"""How fast GPUs run while they work: the SM clock as a share of what a healthy board of its kind holds under that work.

A GPU that already works shows it in its thermal regime. One that is idle will run as its settings and power limit let
it; heat comes later and is not foreseen.
"""

from __future__ import annotations

from engine.physics import gpu_power, load, thermal
from engine.physics.gpu_power import clock, draw
from engine.world.inventory import GpuProduct
from engine.world.records import GpuLoad, GpuState
from engine.world.world import World


def clock_share(world: World, gpu_id: str, workload: str) -> float:
    """The share now: under its present load, or under `workload` if it is idle."""
    held, product, state = (
        thermal.regime(world, gpu_id),
        world.inventory.gpu(gpu_id).product,
        world.gpus[gpu_id],
    )
    if not held.load.idle:
        return max(held.sm_clock, 1) / _usual(product, state.serial, held.load)
    work = work_of(workload)
    drawn = draw(product, state, work)
    return clock(product, drawn, drawn.power) / _usual(product, state.serial, work)


def work_of(workload: str) -> GpuLoad:
    """The load that a kind of work puts on a GPU."""
    profile = load.profile(workload)
    return GpuLoad(profile.sm, profile.memory_busy, power_permille=profile.power_permille)


def _usual(product: GpuProduct, serial: str, work: GpuLoad) -> int:
    """MHz that a board without any limit but its product's holds under `work`."""
    drawn = gpu_power.draw(product, GpuState(serial=serial, power_limit=product.power_limit), work)
    return clock(product, drawn, drawn.power)
