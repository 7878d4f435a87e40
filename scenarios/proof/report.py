"""What a proof says: every failure with its scenario, seed and check, what is wrong, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that does not hold. `subject` names the evidence, wrong cause or wrong fix that it is about."""

    scenario: str
    seed: int
    check: str
    subject: str
    what: str
    advice: str

    def __str__(self) -> str:
        about = f" {self.subject}" if self.subject else ""
        return f"{self.scenario}, seed {self.seed}, {self.check}{about}: {self.what}\n  {self.advice}"


@dataclass(frozen=True)
class ProofReport:
    """The proof of a scenario over some seeds."""

    scenario: str
    seeds: tuple[int, ...]
    checks: tuple[str, ...]
    failures: tuple[Failure, ...]
    told_apart: tuple[tuple[str, str], ...] = ()

    @property
    def proved(self) -> bool:
        return not self.failures

    def lines(self) -> list[str]:
        """The report for people."""
        seeds = f"{len(self.seeds)} seed{'s' * (len(self.seeds) != 1)}"
        if self.proved:
            return [f"{self.scenario}: proved over {seeds} ({', '.join(self.checks)})"]
        return [f"{self.scenario}: NOT proved over {seeds}", *(str(failure) for failure in self.failures)]

    def matrix(self) -> list[str]:
        """For each piece of evidence the faults that it told apart from the true ones, over all seeds; a fault that
        several would tell apart stands where it was told apart first.
        """
        by_evidence: dict[str, set[str]] = {}
        for evidence, suspect in self.told_apart:
            by_evidence.setdefault(evidence, set()).add(suspect)
        told = sorted(by_evidence.items(), key=lambda item: (-len(item[1]), item[0]))
        lines = [f"  {evidence}: {len(found)} faults: {', '.join(sorted(found))}" for evidence, found in told]
        return [f"{self.scenario}: evidence, and the faults that do not show it", *lines]

    def json(self) -> dict[str, Any]:
        """The report as data."""
        fields: Sequence[str] = ("seed", "check", "subject", "what", "advice")
        failures = [{name: getattr(failure, name) for name in fields} for failure in self.failures]
        return {
            "scenario": self.scenario,
            "seeds": list(self.seeds),
            "proved": self.proved,
            "checks": list(self.checks),
            "told_apart": sorted({f"{evidence}: {suspect}" for evidence, suspect in self.told_apart}),
            "failures": failures,
        }
