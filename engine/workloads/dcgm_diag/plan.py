"""Which tests a run of the diagnostics has, in which order, how long they take, and what they ask of a GPU.

Levels and order: NvidiaValidationSuite::FillTestVectors; `test_duration` and limits: each plugin's constructor and
diag-skus.yaml (by device id). Guesses: what a plugin takes besides its test duration, how long memory, pcie,
nvbandwidth, memory_bandwidth, pulse_test and nccl_tests take (level 2 takes two minutes on a node), and which kind of
work each is like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from engine.kernel.units import SECOND

DEPLOYMENT, HARDWARE, INTEGRATION, STRESS = "Deployment", "Hardware", "Integration", "Stress"
CATEGORIES = (DEPLOYMENT, HARDWARE, INTEGRATION, STRESS)
BY_NAME_ONLY = 9


@dataclass(frozen=True, slots=True)
class Test:
    """A test: its level, seconds (those of `test_duration` and the rest), workload (engine.physics.load; "": no load),
    the share of the free memory that it takes, and the first release that has it.
    """

    name: str
    category: str
    level: int
    duration: int
    overhead: int
    workload: str = ""
    memory_percent: int = 0
    since: tuple[int, int] = (0, 0)


SOFTWARE = Test("software", DEPLOYMENT, 1, 0, 3)
TESTS = (
    SOFTWARE,
    Test("memory", HARDWARE, 2, 0, 38, "memory", 97),
    Test("diagnostic", HARDWARE, 3, 180, 12, "burn", 85),
    Test("nvbandwidth", HARDWARE, 3, 0, 58, "copies", 2, since=(4, 0)),
    Test("nccl_tests", HARDWARE, 3, 0, 25, "nccl", 4, since=(4, 5)),
    Test("memtest", HARDWARE, 4, 600, 8, "memory", 90),
    Test("pulse_test", HARDWARE, 4, 0, 65, "power", 10),
    Test("context_create", HARDWARE, BY_NAME_ONLY, 0, 12),
    Test("pcie", INTEGRATION, 2, 0, 74, "copies", 3),
    Test("memory_bandwidth", STRESS, 3, 0, 22, "memory", 40),
    Test("targeted_stress", STRESS, 3, 30, 7, "burn", 20),
    Test("targeted_power", STRESS, 3, 120, 9, "power", 20),
)
"""In the order in which they run."""

_LEVELS = {
    "1": 1, "2": 2, "3": 3, "4": 4, "quick": 1, "short": 1, "medium": 2, "long": 3, "xlong": 4,
}  # fmt: skip
_WORDS = {1: "short", 2: "medium", 3: "long", 4: "xlong"}


@dataclass(frozen=True, slots=True)
class Limits:
    """What a GPU model must reach: W, GFLOP/s, MB/s, PCIe generation and width."""

    power: float
    stress: float
    bandwidth: float
    generation: int = 3
    width: int = 16


_LIMITS: Mapping[str, Limits] = MappingProxyType(
    {
        "20b2": Limits(399.0, 6975.0, 1_173_000.0),
        "2330": Limits(700.0, 29250.0, 1_905_000.0),
        "2335": Limits(700.0, 37500.0, 2_333.0),
        "2901": Limits(1000.0, 36949.0, 4_072_500.0),
    }
)


def limits(device_id: str) -> Limits:
    """The limits of a GPU model by its device id; for one that is not listed, what hardly anything misses."""
    return _LIMITS.get(device_id, Limits(100.0, 100.0, 100.0))


class UnknownTests(Exception):
    """Names in `-r` that are no tests."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(", ".join(names))
        self.names = tuple(names)


def word(run: str) -> str:
    """How nvvs is told what to run."""
    level = _LEVELS.get(run.strip().lower())
    return _WORDS[level] if level else run


def tests(run: str, release: tuple[int, int]) -> list[Test]:
    """The tests of `-r`: a level, or names with commas (the software checks always come first). Raises UnknownTests."""
    known = [test for test in TESTS if release >= test.since]
    level = _LEVELS.get(run.strip().lower())
    if level:
        return [test for test in known if test.level <= level]
    names = [name.strip().lower() for name in run.split(",") if name.strip()]
    missing = [name for name in names if name not in {test.name for test in known} and name not in _LEVELS]
    if missing or not names:
        raise UnknownTests(missing or [run])
    levels = [_LEVELS[name] for name in names if name in _LEVELS]
    return [test for test in known if test is SOFTWARE or test.name in names or test.level <= max(levels, default=0)]


@dataclass(frozen=True, slots=True)
class Parameters:
    """`-p`: values by test and by name within it (`pcie`, `gpu_nvlinks_expected_up`)."""

    values: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def number(self, test: str, name: str, default: float) -> float:
        """A number; the default where none is given or it is no number."""
        try:
            return float(self.values[test, name])
        except (KeyError, ValueError):
            return default

    def yes(self, test: str, name: str, default: bool) -> bool:
        """A truth value."""
        text = self.values.get((test, name))
        return default if text is None else text.lower()[:1] in ("t", "y", "1")

    def time(self, test: Test) -> int:
        """How long a test runs (ns)."""
        return int(self.number(test.name, "test_duration", test.duration) + test.overhead) * SECOND
