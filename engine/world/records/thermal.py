"""Temperatures of GPUs over time, and the air that carries their heat away."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.shapes import Constant, Shape
from engine.world.records.gpu import GpuLoad

_ROOM_AIR = Constant(24_000)


@dataclass(frozen=True, slots=True)
class ThermalRegime:
    """A GPU's temperature and power since `since`, until something changes.

    `reasons` are clock event reasons (NVML bit mask).
    """

    since: int
    temperature: Shape
    memory_temperature: Shape
    power: Shape
    sm_clock: int
    reasons: int
    load: GpuLoad


@dataclass(frozen=True, slots=True)
class ThermalHistory:
    """The regimes of a GPU, oldest first; the last one holds now.

    None: it has been idle in a steady state since long ago.
    """

    regimes: tuple[ThermalRegime, ...] = ()


@dataclass(frozen=True, slots=True)
class CoolingState:
    """Air of a node: its inlet temperature, how clogged its filter is, and the duty asked of the fans.

    `previous_duty_permille` was asked before `duty_changed_at`; the rotors need some seconds from one to the other.
    """

    inlet: Shape = _ROOM_AIR
    filter_blocked_permille: int = 0
    fan_duty_permille: int = 450
    previous_duty_permille: int = 450
    duty_changed_at: int = 0


@dataclass(frozen=True, slots=True)
class FanState:
    """A fan module."""

    failed: bool = False
    serial: str = ""
