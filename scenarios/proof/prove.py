"""`breakfix author prove`: all checks of a scenario over several seeds."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from engine.kernel.errors import BreakfixError
from scenarios.model import Scenario
from scenarios.proof.checks import CHECKS
from scenarios.proof.report import Failure, ProofReport
from scenarios.proof.run import WHOLE, ProofRun, Share
from scenarios.stage import Stage
from scenarios.terminals import OpenWorld, ShellTerminals

SEEDS = tuple(range(1, 21))

SHARES = 4
"""At most so many seeds share the faults of the catalogue as suspects: each is tried at every fourth seed."""


def prove(scenario: Scenario, seeds: Iterable[int] = SEEDS, open_world: OpenWorld = ShellTerminals) -> ProofReport:
    """Prove a scenario. What is wrong with it is in the report; nothing is raised."""
    tried = tuple(seeds)
    count = max(min(SHARES, len(tried)), 1)
    shares = [Share(place % count, count) for place in range(len(tried))]
    told: list[tuple[str, str]] = []
    runs = [prove_seed(scenario, seed, open_world, share, told) for seed, share in zip(tried, shares, strict=True)]
    failures = [failure for run in runs for failure in asyncio.run(run)]
    return ProofReport(scenario.id, tried, tuple(CHECKS), tuple(failures), tuple(told))


async def prove_seed(
    scenario: Scenario,
    seed: int,
    open_world: OpenWorld = ShellTerminals,
    share: Share = WHOLE,
    told_apart: list[tuple[str, str]] | None = None,
) -> list[Failure]:
    """The failures at one seed, with its share of the suspects; what told these apart is added to `told_apart`."""
    try:
        run = await ProofRun.of(Stage.build(scenario, seed, open_world), share)
    except BreakfixError as error:
        return [Failure(scenario.id, seed, "reference", "", error.message, error.hint or "Correct the scenario.")]
    failures = []
    for name, check in CHECKS.items():
        try:
            failures += [failure async for failure in check(run)]
        except BreakfixError as error:
            failures.append(run.failure(name, "", error.message, error.hint or "Correct the scenario."))
    if told_apart is not None:
        told_apart += run.told_apart
    return failures
