"""A chassis, its boot and its power supplies."""

from __future__ import annotations

from enum import Enum

from engine.kernel.quick_dataclass import dataclass


class Power(Enum):
    """Of a chassis."""

    ON = "on"
    OFF = "off"


class BootPhase(Enum):
    """How far a powered node has come."""

    OFF = "off"
    FIRMWARE = "firmware"
    KERNEL = "kernel"
    SERVICES = "services"
    RUNNING = "running"


@dataclass(frozen=True, slots=True)
class NodeState:
    """A chassis and its boot.

    `boots` counts starts since the site began; `cold` says whether the last one followed power-off.
    `booted_at` is when the kernel started (negative: before the site's start). `boot_history` holds (kernel start, end)
    of earlier boots.
    """

    booted_at: int
    power: Power = Power.ON
    phase: BootPhase = BootPhase.RUNNING
    boots: int = 0
    cold: bool = True
    boot_history: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class PsuState:
    """A power supply. `input_lost` says that its own cord gives nothing (pulled, loose); `feed` is the letter of the
    rack PDU that its cord was moved to ("": the usual one). One that `failed` and `latched` it is whole: it comes back
    when it is pulled and pushed in again.
    """

    failed: bool = False
    input_lost: bool = False
    serial: str = ""
    feed: str = ""
    latched: bool = False
