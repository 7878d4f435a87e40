"""How good a link's signal is: bit error rates before and after error correction, and the errors that follow.

A cable's `error_exponent` is that of the bit error rate which is left after forward error correction; 15 stands for a
clean one, on which nothing is counted (NVIDIA tests its cables to 1e-15 and better). Before correction: links of PAM4
lanes (HDR and newer) always see errors, 1e-9 to 1e-7 on eight healthy HDR100 ports (mlxlink captures); what belongs to
a worse rate after correction follows from RS(544,514), which mends up to 15 of 544 symbols of 10 bits, with errors that
are independent (the probability of 16 and more). That the same holds for NRZ lanes is a simplification.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.physics import optics
from engine.world.records import CableState
from engine.world.world import World

CLEAN = CableState().error_exponent
"""The exponent of a signal without errors that anybody would count."""

BAD = 12
"""From this exponent on firmware speaks of bad signal integrity (a link that meets no criteria; a guess)."""

_BEFORE_CORRECTION: Mapping[int, tuple[int, int]] = MappingProxyType(
    {
        6: (107, 3), 7: (87, 3), 8: (72, 3), 9: (60, 3), 10: (51, 3), 11: (43, 3), 12: (36, 3), 13: (31, 3), 14: (26, 3)
    }
)  # fmt: skip
"""Hundredths and exponent of the rate before correction, by the exponent of the one after it."""

_HEALTHY_FIRST, _HEALTHY_LAST = 7, 9


@dataclass(frozen=True, slots=True)
class BitErrorRate:
    """A bit error rate: `hundredths` / 100 x 10^-`exponent`; without any error hundredths is 0."""

    hundredths: int
    exponent: int


def error_exponent(world: World, port: str) -> int:
    """Of the signal that comes in by a port; CLEAN where there is no cable."""
    return optics.error_exponent(world, port)


def after_correction(world: World, port: str) -> BitErrorRate:
    """Of symbols and of what applications see; none on a clean link."""
    exponent = error_exponent(world, port)
    return BitErrorRate(0 if exponent >= CLEAN else 100, exponent)


def before_correction(world: World, port: str) -> BitErrorRate:
    """Of the bare signal. A healthy port keeps its own, by chance."""
    exponent = error_exponent(world, port)
    if exponent < CLEAN:
        return BitErrorRate(*_BEFORE_CORRECTION[max(exponent, min(_BEFORE_CORRECTION))])
    return healthy(world, port)


def healthy(world: World, port: str) -> BitErrorRate:
    """What a port's bare signal has while nothing is wrong."""
    chance = hash64(world.seed, "raw bit error rate", port)
    return BitErrorRate(100 + chance % 900, _HEALTHY_FIRST + (chance >> 32) % (_HEALTHY_LAST - _HEALTHY_FIRST + 1))


def symbol_errors(exponent: int, rate: int, duration: int) -> int:
    """Errors left after correction that a link of `rate` Gb/s lets through in `duration` ns, idle or busy."""
    return 0 if exponent >= CLEAN else rate * duration // 10**exponent


def spoiled_packets(exponent: int, received: int) -> int:
    """How many packets among `received` bytes are spoiled by such errors."""
    return 0 if exponent >= CLEAN else received * 8 // 10**exponent
