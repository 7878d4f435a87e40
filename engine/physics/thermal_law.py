"""How a GPU's temperature answers to its power and its air, and what heat does to its clocks.

Law: the GPU approaches `air + power x resistance` with the time constant `resistance x heat capacity`; the resistance
grows as the air flow falls (flow to the power -0.8, turbulent forced convection). Its memory settles some degrees
above it, and slower. When the GPU reaches its highest operating temperature, software slowdown lowers the clocks
until the power just holds it there; where the lowest clock is still too much, the hardware slows down at the next
limit; past the shutdown limit the board switches off.

Sources: limits and their order from nvidia-smi -q (T.Limit offsets 0, -2 and -8 C of an H100, driver 590.48.01) and
from NVML's descriptions of the event reasons. Memory: +7 C at rest and below the GPU during the first minute of
gpu_burn (captures of the same driver) give the offset and a time constant of ten thirds of the GPU's. Resistance and
time constant come with the product. That a hot GPU is held steadily at its limit, and that a board switches off
beyond the last one, are simplifications of what firmware does.
"""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.shapes import Approach, Constant, Shape
from engine.physics.curves import Curve, interpolate
from engine.physics.gpu_power import Draw, Reason, power_at_lowest_clock, power_in_hardware_slowdown
from engine.world.inventory import GpuProduct

RATED_FLOW = 800
"""The air flow (permille of all fans at full speed) at which a product's thermal resistance is given."""

MEMORY_RISE = 7_000
"""m°C by which the memory settles above the GPU while the board is powered."""

# 1000 * (flow / rated flow) ^ -0.8, by flow in permille of the rated flow.
_RESISTANCE_BY_FLOW: Curve = (
    (20, 22860), (40, 13130), (60, 9500), (100, 6310), (150, 4560), (200, 3624), (250, 3031), (300, 2620), (350, 2316),
    (400, 2081), (450, 1894), (500, 1741), (550, 1613), (600, 1505), (650, 1411), (700, 1330), (750, 1259), (800, 1195),
    (850, 1139), (900, 1088), (950, 1042), (1000, 1000), (1050, 962), (1100, 927), (1150, 894), (1200, 864),
    (1250, 837),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cooling:
    """The air at a GPU (m°C), its thermal resistance (n°C per mW, that is m°C per kW) and its time constant (ns)."""

    air: int
    resistance: int
    time_constant: int

    def settled(self, power: int) -> int:
        """The temperature (m°C) at which `power` (mW) settles."""
        return self.air + power * self.resistance // 1_000_000

    def power_for(self, temperature: int) -> int:
        """The power (mW) that settles at `temperature`."""
        return (temperature - self.air) * 1_000_000 // self.resistance


@dataclass(frozen=True, slots=True)
class Plan:
    """What a GPU does until something changes: its power, where its temperature goes, why it is slow, and the level
    that ends it.

    `ends_at` is a temperature above at which the plan has to be made anew, or None.
    """

    power: int
    target: int
    reasons: int
    ends_at: int | None = None


def resistance(product: GpuProduct, position: int, flow: int) -> int:
    """m°C per kW of a GPU whose socket has the factor `position` (permille), in an air flow of `flow` permille."""
    return product.thermal_resistance * position * resistance_factor(flow) // 1000


def resistance_factor(flow: int) -> int:
    """Permille of the rated thermal resistance that a flow (permille of full) gives."""
    return interpolate(_RESISTANCE_BY_FLOW, flow * 1000 // RATED_FLOW)


def cooling(product: GpuProduct, position: int, flow: int, air: int) -> Cooling:
    """The cooling of a GPU in a socket with the factor `position`, in `flow` permille of air of `air` m°C."""
    return Cooling(
        air, resistance(product, position, flow), product.thermal_time_constant * resistance_factor(flow) // 1000
    )


def operating_limit(product: GpuProduct) -> int:
    """The GPU temperature (m°C) that software slowdown does not let it pass, for its own sake or its memory's."""
    return min(product.temperature_max_operating, product.memory_temperature_max_operating - MEMORY_RISE)


def plan(product: GpuProduct, drawn: Draw, air: Cooling, temperature: int) -> Plan:
    """What a GPU at `temperature` does under `drawn` and `air`."""
    limit = operating_limit(product)
    settled = air.settled(drawn.power)
    if settled <= limit:
        return Plan(drawn.power, settled, drawn.reasons)
    if temperature < limit:
        return Plan(drawn.power, settled, drawn.reasons, limit)
    return _slowed_by_software(product, drawn, air, temperature)


def _slowed_by_software(product: GpuProduct, drawn: Draw, air: Cooling, temperature: int) -> Plan:
    lowest = power_at_lowest_clock(product, drawn)
    limit, next_limit = operating_limit(product), product.temperature_slowdown
    held = Reason.IDLE | Reason.HW_SLOWDOWN | Reason.POWER_BRAKE
    reasons = drawn.reasons & held | Reason.SW_THERMAL
    if air.settled(lowest) <= limit:
        return Plan(max(lowest, air.power_for(limit)), limit, reasons)
    if air.settled(lowest) <= next_limit:
        return Plan(lowest, air.settled(lowest), reasons)
    if temperature < next_limit:
        return Plan(lowest, air.settled(lowest), reasons, next_limit)
    return _slowed_by_hardware(product, drawn, air, reasons)


def _slowed_by_hardware(product: GpuProduct, drawn: Draw, air: Cooling, reasons: int) -> Plan:
    least = power_in_hardware_slowdown(product, drawn)
    reasons |= Reason.HW_SLOWDOWN | Reason.HW_THERMAL
    limit = product.temperature_slowdown
    if air.settled(least) <= limit:
        return Plan(max(least, air.power_for(limit)), limit, reasons)
    beyond = air.settled(least) > product.temperature_shutdown
    return Plan(least, air.settled(least), reasons, product.temperature_shutdown if beyond else None)


def approach(start: int, level: int, target: int, time_constant: int) -> Shape:
    """From `level` at `start` to `target`; constant where there is nothing to approach."""
    return Approach(start, level, target, time_constant) if level != target else Constant(target)


def memory_time_constant(air: Cooling) -> int:
    """ns of the memory's approach."""
    return air.time_constant * 10 // 3


def memory_target(target: int, powered: bool) -> int:
    """Where the memory's temperature goes when the GPU's goes to `target`."""
    return target + (MEMORY_RISE if powered else 0)
