"""The one source of chance: counter-based streams with names, drawn from the seed by BLAKE2b.

A stream is a function of (seed, name, draw number) only. Two parts of the model that use different names never disturb
each other, and a draw gives the same value on every platform and Python version. Streams keep no state in the world:
whoever needs a lasting sequence puts the position into the name (`stream(f"slurm/job/{job_id}")`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


def hash64(*parts: object) -> int:
    """64 uniform bits named by `parts`; the jitter of gauges and stable identifiers come from here."""
    return int.from_bytes(blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).digest(), "big")


class Stream:
    """A sequence of draws named `name` under `seed`."""

    def __init__(self, seed: int, name: str) -> None:
        self._key = f"{seed}\x1f{name}"
        self._drawn = 0

    def bits(self) -> int:
        """The next 64 uniform bits."""
        self._drawn += 1
        return hash64(self._key, self._drawn)

    def integer(self, low: int, high: int) -> int:
        """A uniform integer in low..high, both included. Raises ValueError if low > high."""
        span = high - low + 1
        if span <= 0:
            raise ValueError(f"empty range {low}..{high}")
        limit = (1 << 64) - (1 << 64) % span
        while (bits := self.bits()) >= limit:
            pass
        return low + bits % span

    def chance(self, numerator: int, denominator: int) -> bool:
        """True with probability numerator/denominator."""
        return self.integer(1, denominator) <= numerator

    def choice(self, items: Sequence[T]) -> T:
        """One of `items`. Raises ValueError if there are none."""
        return items[self.integer(0, len(items) - 1)]

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """`count` different items, in drawn order."""
        return self.shuffled(items)[:count]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """A new list of all items in random order (Fisher-Yates)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.integer(0, last)
            result[last], result[other] = result[other], result[last]
        return result

    def hexadecimal(self, digits: int) -> str:
        """A lower-case hexadecimal string of `digits` digits."""
        text = "".join(f"{self.bits():016x}" for _ in range(-(-digits // 16)))
        return text[:digits]

    def __iter__(self) -> Iterator[int]:
        while True:
            yield self.bits()
