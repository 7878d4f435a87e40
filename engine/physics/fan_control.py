"""The fan curve of a BMC: how fast the fans run for how hot the hottest GPU will become.

Law: duty rises in a straight line from 45 % at 50 °C to 100 % at 75 °C of the hottest GPU, and settles where curve
and heat agree. Guess: vendors do not publish their curves; this one gives a DGX H100 under training about 65 °C at 80
% duty with 24 °C air. The controller's own hunting (tens of seconds) is left out: the settled duty is asked for at
once.
"""

from __future__ import annotations

from functools import lru_cache

from engine.physics.thermal_law import resistance_factor

LEAST_DUTY, FULL_DUTY = 450, 1000
COOLEST, HOTTEST = 50_000, 75_000

Heat = tuple[tuple[int, int], ...]
"""Per GPU: its rise above the inlet at rated flow (m°C), and the share of the air (permille) that reaches it."""


def wanted_duty(temperature: int) -> int:
    """The duty (permille) that the curve gives for the hottest GPU's temperature (m°C)."""
    duty = LEAST_DUTY + (temperature - COOLEST) * (FULL_DUTY - LEAST_DUTY) // (HOTTEST - COOLEST)
    return min(FULL_DUTY, max(LEAST_DUTY, duty))


def hottest_settled(inlet: int, blocked: int, heat: Heat, duty: int) -> int:
    """Where the hottest GPU settles (m°C) at `duty`, `blocked` permille of the filter being clogged."""
    passed = duty * (1000 - blocked) // 1000
    return inlet + max((rise * resistance_factor(passed * share // 1000) // 1000 for rise, share in heat), default=0)


@lru_cache(maxsize=4096)
def settled_duty(inlet: int, blocked: int, heat: Heat) -> int:
    """The least duty that satisfies the curve at the temperature which it leads to."""
    low, high = LEAST_DUTY, FULL_DUTY
    while low < high:
        middle = (low + high) // 2
        if middle >= wanted_duty(hottest_settled(inlet, blocked, heat, middle)):
            high = middle
        else:
            low = middle + 1
    return low
