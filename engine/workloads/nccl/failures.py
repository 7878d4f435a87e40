"""How a collective fails: who notices what, after how long, and what each rank's NCCL then says."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType


class Stage(Enum):
    """When it fails: while the communicator is made, or in the first collective that moves data."""

    INITIALIZATION = "initialization"
    RUN = "run"


class Result(Enum):
    """A result code of NCCL: number, name, and what ncclGetErrorString says."""

    UNHANDLED_CUDA_ERROR = (1, "ncclUnhandledCudaError", "unhandled cuda error (run with NCCL_DEBUG=INFO for details)")
    SYSTEM_ERROR = (2, "ncclSystemError", "unhandled system error (run with NCCL_DEBUG=INFO for details)")
    INTERNAL_ERROR = (3, "ncclInternalError", "internal error - please report this issue to the NCCL developers")
    INVALID_ARGUMENT = (4, "ncclInvalidArgument", "invalid argument (run with NCCL_DEBUG=WARN for details)")
    INVALID_USAGE = (5, "ncclInvalidUsage", "invalid usage (run with NCCL_DEBUG=WARN for details)")
    REMOTE_ERROR = (6, "ncclRemoteError", "remote process exited or there was a network error")

    @property
    def number(self) -> int:
        """As in ncclResult_t."""
        return self.value[0]

    @property
    def text(self) -> str:
        """As nccl-tests and PyTorch print it."""
        return self.value[2]


class CollectiveFailed(Exception):
    """A communicator cannot be made, or a collective does not end.

    `culprits` are the ranks that get an error, `result` is what their call gives (None: no call ever returns); all
    other ranks wait until somebody ends them. `after` is the time (ns) from the beginning of the stage until then.
    With `hangs` nobody notices anything: all wait for ever, and only a watchdog or a person ends it; `culprits` are
    then the ranks that do not come. `lines` is what NCCL prints, by rank, under each one's NCCL_DEBUG.
    """

    def __init__(
        self,
        reason: str,
        stage: Stage,
        *,
        result: Result | None = None,
        lines: Mapping[int, tuple[str, ...]] | None = None,
        after: int = 0,
        hangs: bool = False,
        culprits: tuple[int, ...] = (),
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.stage = stage
        self.result = result
        self.lines: Mapping[int, tuple[str, ...]] = lines or MappingProxyType({})
        self.after = after
        self.hangs = hangs
        self.culprits = culprits
