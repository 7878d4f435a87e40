"""How much power a GPU draws at which clock: what its work asks, what caps it, and the clock that fits into a budget.

Law: power = idle + dynamic part, and the dynamic part follows the SM clock along a curve. A GPU runs at its highest
clock unless a power limit, a locked clock or heat forbids it. Sources: H100 captures of driver 590.48.01 (345 MHz and
70 W idle, 1980 MHz at 630 W). The curve is a guess: it is shaped so that half the budget costs a third of the clock,
as published runs under lowered power limits show, and so that a GPU pinned at a quarter of its clock by heat draws
about half of what it did.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.physics.curves import interpolate, inverse
from engine.world.inventory import GpuProduct
from engine.world.records import GpuLoad, GpuState

CLOCK_STEP = 15
"""MHz between two supported clocks (nvidia-smi -q -d SUPPORTED_CLOCKS of an H100)."""

CONTEXT_POWER = 45_000
"""mW that an open context adds to an idle GPU, whose clocks then stay up (guess)."""

_DYNAMIC_BY_CLOCK = (
    (0, 0),
    (106, 60),
    (250, 130),
    (500, 250),
    (600, 320),
    (700, 430),
    (800, 590),
    (900, 780),
    (1000, 1000),
)
_CLOCK_BY_DYNAMIC = inverse(_DYNAMIC_BY_CLOCK)

# Boards of one kind differ; the same work draws up to 2.5 % more or less (guess).
_SPREAD = 25


class Reason:
    """Clock event reasons: bits of NVML's nvmlClocksEventReason*."""

    IDLE = 0x1
    APPLICATION_CLOCKS = 0x2
    SW_POWER_CAP = 0x4
    HW_SLOWDOWN = 0x8
    SW_THERMAL = 0x20
    HW_THERMAL = 0x40
    POWER_BRAKE = 0x80


@dataclass(frozen=True, slots=True)
class Draw:
    """What a GPU would draw if heat did not matter, in mW: now, without any cap, and at a standstill.

    `clock_idle` is the clock (MHz) of an idle GPU, `clock_most` the highest that settings allow, `reasons` why it does
    not draw its demand.
    """

    power: int
    demand: int
    static: int
    clock_idle: int
    reasons: int
    clock_most: int

    @property
    def dynamic(self) -> int:
        return self.demand - self.static


@lru_cache(maxsize=4096)
def silicon(serial: str) -> int:
    """How much more power than its kind a board draws, in permille: a property of the board."""
    return hash64("silicon", serial) % (2 * _SPREAD + 1) - _SPREAD


def draw(product: GpuProduct, state: GpuState, load: GpuLoad) -> Draw:
    """The draw of a GPU under `load` with its present settings, heat left aside."""
    lowest, highest, chosen = state.locked_clock_minimum, state.locked_clock, state.application_clock
    drawn = _draw(product, silicon(state.serial), load, state.power_limit, _least(highest, chosen), lowest)
    if chosen is None or load.idle or drawn.clock_most != chosen or chosen >= product.clock_graphics_max:
        return drawn
    return replace(drawn, reasons=drawn.reasons | Reason.APPLICATION_CLOCKS)


def _least(*clocks: int | None) -> int | None:
    return min((clock for clock in clocks if clock is not None), default=None)


@lru_cache(maxsize=4096)
def _draw(product: GpuProduct, skew: int, load: GpuLoad, limit: int, highest: int | None, lowest: int | None) -> Draw:
    static = product.power_idle * (1000 + skew) // 1000
    if load.idle:
        return _idle(product, load, static, highest, lowest)
    full = product.clock_graphics_max
    demand = max(static, product.power_limit * load.power_permille // 1000 * (1000 + skew) // 1000)
    at_lock = (
        static + (demand - static) * interpolate(_DYNAMIC_BY_CLOCK, min(1000, (highest or full) * 1000 // full)) // 1000
    )
    power = min(at_lock, limit)
    capped = Reason.SW_POWER_CAP if limit < at_lock else 0
    return Draw(power, demand, static, product.clock_graphics_idle, capped, highest or full)


def _idle(product: GpuProduct, load: GpuLoad, static: int, highest: int | None, lowest: int | None) -> Draw:
    """Nothing runs. With a context open the clocks stay up, without one they fall to the idle clock."""
    held = load.memory_used > 0
    clock = product.clock_graphics_max if held else product.clock_graphics_idle
    clock = min(max(clock, lowest or 0), highest or product.clock_graphics_max)
    power = static + (CONTEXT_POWER if held else 0)
    return Draw(power, power, power, clock, Reason.IDLE, clock)


def under_power_brake(product: GpuProduct, drawn: Draw) -> Draw:
    """The same GPU while the platform pulls its power brake: at half of its clock at most. NVML: "a factor of 2 or
    more"; that it is two here is a guess.
    """
    half = product.clock_graphics_max // 2 // CLOCK_STEP * CLOCK_STEP
    share = interpolate(_DYNAMIC_BY_CLOCK, half * 1000 // product.clock_graphics_max)
    return replace(
        drawn,
        power=min(drawn.power, drawn.static + max(0, drawn.dynamic) * share // 1000),
        clock_idle=min(drawn.clock_idle, half),
        clock_most=min(drawn.clock_most, half),
        reasons=drawn.reasons & ~Reason.SW_POWER_CAP | Reason.HW_SLOWDOWN | Reason.POWER_BRAKE,
    )


def clock(product: GpuProduct, drawn: Draw, power: int) -> int:
    """The SM clock (MHz) at which a GPU with that demand draws `power`."""
    if drawn.dynamic <= 0:
        return drawn.clock_idle
    if power >= drawn.power and not drawn.reasons & Reason.SW_POWER_CAP:
        return drawn.clock_most
    share = min(1000, max(0, power - drawn.static) * 1000 // drawn.dynamic)
    exact = product.clock_graphics_max * interpolate(_CLOCK_BY_DYNAMIC, share) // 1000
    stepped = product.clock_graphics_max - -(-(product.clock_graphics_max - exact) // CLOCK_STEP) * CLOCK_STEP
    return max(product.clock_graphics_min, stepped)


def power_at_lowest_clock(product: GpuProduct, drawn: Draw) -> int:
    """The least power (mW) to which lowering clocks can bring a GPU that has work."""
    share = interpolate(_DYNAMIC_BY_CLOCK, product.clock_graphics_min * 1000 // product.clock_graphics_max)
    return min(drawn.power, drawn.static + max(0, drawn.dynamic) * share // 1000)


def power_in_hardware_slowdown(product: GpuProduct, drawn: Draw) -> int:
    """The power (mW) once the hardware itself has halved the lowest clock."""
    return drawn.static + (power_at_lowest_clock(product, drawn) - drawn.static) // 2
