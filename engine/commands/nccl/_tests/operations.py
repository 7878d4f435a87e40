"""The collective operations of nccl-tests: what each moves, how its bandwidth counts, and where its source calls.

Source: NVIDIA/nccl-tests 2.17.6 src/*.cu (GetCollByteCount, GetBw, RunTest) and doc/PERFORMANCE.md. Counts are rounded
down so that every rank's part is a multiple of 16 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

WHOLE, SHARED, EXCHANGED = "whole", "shared", "exchanged"
"""What a size means: each rank's buffer; a buffer cut into a part for each rank; the same both ways."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A test. `name` is the model's, `source` its file with the lines that start the timing (`call`) and call NCCL
    (`library`).

    `moves` says what a size means (WHOLE, SHARED, EXCHANGED). Bus bandwidth is algorithm bandwidth times `factor(n)`.
    `reduces`: a reduction is chosen; `rooted`: a root is.
    """

    name: str
    source: str
    call: int
    library: int
    moves: str
    reduces: bool = False
    rooted: bool = False
    no_operation: str = "none"

    @property
    def program(self) -> str:
        return f"{self.name}_perf"

    def factor(self, ranks: int) -> float:
        """Bus bandwidth of one unit of algorithm bandwidth."""
        if self.name == "all_reduce":
            return 2 * (ranks - 1) / ranks
        return (ranks - 1) / ranks if self.moves != WHOLE and self.name != "hypercube" else 1.0

    def counts(self, size: int, element: int, ranks: int) -> tuple[int, int, int]:
        """Elements that a rank sends, that it receives, and that the call is given, for a size in bytes."""
        count = size // element
        if self.moves == WHOLE:
            return count, count, count
        part = (count // ranks) & -(16 // element)
        if self.moves == EXCHANGED:
            return part * ranks, part * ranks, part
        whole = (part, part * ranks) if self.name in ("all_gather", "gather", "hypercube") else (part * ranks, part)
        return (*whole, part)

    def moved(self, parameter: int, element: int, ranks: int) -> int:
        """Bytes that algorithm bandwidth counts, of a call that was given so many elements."""
        if self.moves == WHOLE:
            return parameter * element
        return parameter * element * (ranks - 1 if self.name == "hypercube" else ranks)


OPERATIONS = {
    operation.name: operation
    for operation in (
        Operation("all_reduce", "all_reduce.cu", 561, 494, WHOLE, reduces=True),
        Operation("all_gather", "all_gather.cu", 87, 50, SHARED),
        Operation("reduce_scatter", "reduce_scatter.cu", 98, 49, SHARED, reduces=True),
        Operation("broadcast", "broadcast.cu", 103, 50, WHOLE, rooted=True),
        Operation("reduce", "reduce.cu", 104, 46, WHOLE, reduces=True, rooted=True),
        Operation("alltoall", "alltoall.cu", 373, 299, EXCHANGED),
        Operation("sendrecv", "sendrecv.cu", 109, 60, WHOLE, reduces=True),
        Operation("gather", "gather.cu", 117, 58, SHARED, rooted=True),
        Operation("scatter", "scatter.cu", 113, 54, SHARED, rooted=True),
        Operation("hypercube", "hypercube.cu", 108, 67, SHARED, no_operation=""),
    )
}

TYPES = {
    "int8": 1, "uint8": 1, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8, "half": 2, "float": 4, "double": 8,
    "bfloat16": 2, "f8e4m3": 1, "f8e5m2": 1,
}  # fmt: skip
"""Bytes of an element by the program's name of its type, in the program's order."""

REDUCTIONS = ("sum", "prod", "max", "min", "avg", "mulsum")
FP8 = ("f8e4m3", "f8e5m2")
