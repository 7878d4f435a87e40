"""The rows of an nccl-tests table: which sizes, types, reductions and roots follow each other.

Source: NVIDIA/nccl-tests 2.17.6 src/common.cu (TimeTest) and the RunTest of each test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.commands.nccl._tests.operations import FP8, REDUCTIONS, TYPES, Operation
from engine.commands.nccl._tests.settings import Settings


@dataclass(frozen=True, slots=True)
class Series:
    """One call of TimeTest: a type, a reduction, a root (-1: none)."""

    datatype: str
    reduction: str
    root: int

    @property
    def element(self) -> int:
        """Bytes of an element."""
        return TYPES[self.datatype]


def series(operation: Operation, settings: Settings, ranks: int, *, fp8: bool) -> Iterator[Series]:
    """Every call of TimeTest in order. `fp8`: the GPUs have 8-bit floating point."""
    types = [settings.datatype] if settings.datatype else [name for name in TYPES if fp8 or name not in FP8]
    reductions = [operation.no_operation]
    if operation.reduces:
        reductions = [settings.op] if settings.op else list(REDUCTIONS)
    roots: range | list[int] = [-1]
    if operation.rooted:
        roots = range(ranks) if settings.root == -1 else [settings.root]
    for datatype in types:
        for reduction in reductions:
            for root in roots:
                yield Series(datatype, reduction, root)


def warm_up_sizes(settings: Settings) -> Iterator[int]:
    """The sizes of the warm-up: each twice the one before."""
    size = settings.minbytes
    while 0 < size <= settings.maxbytes:
        yield size
        size *= 2


def sizes(settings: Settings) -> Iterator[int]:
    """The sizes of the rows; without end where the step leads nowhere, as the program runs then."""
    size = settings.minbytes
    while size <= settings.maxbytes:
        yield size
        size = size * settings.stepfactor if settings.stepfactor > 1 else size + settings.stepbytes
