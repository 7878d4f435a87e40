"""Somebody locked a GPU's clocks low (nvidia-smi -lgc) and forgot it. The GPU is healthy and slow; a synchronous job
waits for it in every step. It lasts until the clocks are reset or the driver is loaded anew.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.events import GpuSettingsChanged
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Lock the clocks as nvidia-smi does."""
    product = simulation.world.inventory.gpu(target).product
    clock = min(max(int(values["clock"] or 0), product.clock_graphics_min), product.clock_graphics_max)
    simulation.world.gpus.update(target, locked_clock=clock, locked_clock_minimum=product.clock_graphics_min)
    simulation.publish(GpuSettingsChanged(target.partition("/")[0]))


FAULT = Fault(
    id="gpu.clocks_locked",
    title="A GPU's clocks are locked low",
    targets=("gpu",),
    inject=inject,
    parameters=(Parameter("clock", "integer", "990", "The highest SM clock in MHz.", least=210, most=3000),),
    doc="No error anywhere; nvidia-smi shows the clock. nvidia-smi -rgc mends it.",
)
