"""Parameters of faults that show again and again: how often, how many times, and whether only under load."""

from __future__ import annotations

from dataclasses import dataclass

from engine.faults.fault import Parameter, Values
from engine.kernel.units import SECOND

LOAD, ALWAYS = "load", "always"

EVERY = Parameter("every", "duration", "0s", "How often it shows on average (0: once).", least=0)
TIMES = Parameter("times", "integer", None, "How many times it shows; for good if only `every` is given.", least=1)
WHEN = Parameter("when", "choice", LOAD, "Whether it shows only while the GPU works, or always.", (LOAD, ALWAYS))


@dataclass(frozen=True, slots=True)
class Repetition:
    """How often on average (ns), how many times (None: for good), and whether only under load."""

    every: int
    times: int | None
    under_load: bool


def repetition(values: Values) -> Repetition:
    """What the parameters say; something that shows several times without `every` does so from second to second."""
    every, times = int(values["every"] or 0), values.get("times")
    under_load = values.get("when", LOAD) == LOAD
    if times is not None:
        return Repetition(max(every, SECOND), int(times), under_load)
    return Repetition(every, None, under_load) if every else Repetition(SECOND, 1, under_load)
