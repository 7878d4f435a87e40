"""Checks an exam: reads its files, renders its items over seeds, and asks every check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date

from exams.check import (
    alike,
    coverage,
    exhibits,
    explanations,
    identity,
    lengths,
    numbers,
    points,
    positions,
    seeds,
    sources,
    twins,
    wording,
)
from exams.check.finding import Finding
from exams.check.pool import SEEDS, Pool, Progress, looks_of
from exams.check.reading import Reading

CHECKS: tuple[Callable[[Pool], Iterator[Finding]], ...] = (
    identity.check,
    seeds.check,
    numbers.check,
    points.check,
    alike.check,
    explanations.check,
    sources.check,
    wording.check,
    twins.check,
    lengths.check,
    positions.check,
    exhibits.check,
    coverage.check,
)


@dataclass(frozen=True)
class Checked:
    """What was found in an exam or in a bank, in the order of files and lines."""

    name: str
    items: int
    findings: tuple[Finding, ...]

    @property
    def failed(self) -> bool:
        """Whether anything but warnings was found."""
        return any(not finding.warning for finding in self.findings)

    @property
    def summary(self) -> str:
        """How many mistakes and warnings there are, on a line."""
        warnings = sum(finding.warning for finding in self.findings)
        mistakes = len(self.findings) - warnings
        told = _counted(mistakes, "mistake") if mistakes else "no mistakes found"
        return f"{self.name}: {_counted(self.items, 'item')}, {told}" + (
            f", {_counted(warnings, 'warning')}" if warnings else ""
        )


async def check(
    reading: Reading, seeds: int = SEEDS, today: date | None = None, progress: Progress | None = None
) -> Checked:
    """Everything that is not sound in what was read. Exhibits are run at the seeds from 1 to `seeds`."""
    if reading.pool is None:
        return Checked(reading.name, 0, tuple(sorted(reading.findings)))
    looks = await looks_of(reading.pool.entries, seeds, progress)
    pool = replace(reading.pool, looks=looks, today=today)
    found = [*reading.findings, *(finding for ask in CHECKS for finding in ask(pool))]
    return Checked(reading.name, len(pool.entries), tuple(sorted(dict.fromkeys(found))))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
