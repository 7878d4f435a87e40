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

    @property
    def proved(self) -> bool:
        return not self.failures

    def lines(self) -> list[str]:
        """The report for people."""
        seeds = f"{len(self.seeds)} seed{'s' * (len(self.seeds) != 1)}"
        if self.proved:
            return [f"{self.scenario}: proved over {seeds} ({', '.join(self.checks)})"]
        return [f"{self.scenario}: NOT proved over {seeds}", *(str(failure) for failure in self.failures)]

    def json(self) -> dict[str, Any]:
        """The report as data."""
        fields: Sequence[str] = ("seed", "check", "subject", "what", "advice")
        failures = [{name: getattr(failure, name) for name in fields} for failure in self.failures]
        return {
            "scenario": self.scenario,
            "seeds": list(self.seeds),
            "proved": self.proved,
            "checks": list(self.checks),
            "failures": failures,
        }
