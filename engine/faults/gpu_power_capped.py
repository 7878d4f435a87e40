"""A GPU's power limit stands far below its board's (nvidia-smi -pl after a test, or a tool that saves power). It runs
at the clock that fits into the limit, with the reason SW Power Cap. It lasts until somebody raises the limit or the
driver is loaded anew.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.events import GpuSettingsChanged
from engine.world.world import World

_WATT = 1000


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Set the limit as nvidia-smi does."""
    product = simulation.world.inventory.gpu(target).product
    limit = min(max(int(values["watts"] or 0) * _WATT, product.power_limit_min), product.power_limit)
    simulation.world.gpus.update(target, power_limit=limit)
    simulation.publish(GpuSettingsChanged(target.partition("/")[0]))


FAULT = Fault(
    id="gpu.power_capped",
    title="A GPU's power limit is set low",
    targets=("gpu",),
    inject=inject,
    parameters=(Parameter("watts", "integer", "250", "The power limit.", least=50, most=2000),),
    doc="It runs at a lower clock, reason SW Power Cap. nvidia-smi -pl with the board's limit mends it.",
)
