"""What a run of the diagnostics gives: tests, a result for each GPU, errors and remarks."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from engine.control.dcgm.errors import ISOLATE, DcgmError
from engine.workloads.dcgm_diag.plan import Test


class Result(Enum):
    """How a test ended."""

    PASS = "Pass"
    SKIP = "Skip"
    WARN = "Warn"
    FAIL = "Fail"


@dataclass(slots=True)
class TestRun:
    """A test that ran: results by GPU id, errors, and remarks as (GPU id or None, text)."""

    test: Test
    results: dict[int, Result] = field(default_factory=dict)
    errors: list[DcgmError] = field(default_factory=list)
    remarks: list[tuple[int | None, str]] = field(default_factory=list)
    part: dict[str, Result] = field(default_factory=dict)
    """Results of the software checks by their names."""

    def add(self, error: DcgmError, result: Result = Result.FAIL) -> None:
        """An error, with the result that it has for its GPU (or for all)."""
        self.errors.append(error)
        for gpu in self.results if error.gpu is None else [error.gpu]:
            if self.results.get(gpu) is not Result.FAIL:
                self.results[gpu] = result

    @property
    def result(self) -> Result:
        """The test's own: the worst that matters."""
        found = set(self.results.values())
        for result in (Result.FAIL, Result.WARN, Result.PASS):
            if result in found:
                return result
        return Result.SKIP


def failed(runs: list[TestRun]) -> bool:
    """Whether there was any error."""
    return any(run.errors for run in runs)


def isolates(runs: list[TestRun]) -> bool:
    """Whether an error asks for a GPU to be drained."""
    return any(error.kind.severity == ISOLATE for run in runs for error in run.errors)
