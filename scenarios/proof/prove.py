"""`breakfix author prove`: all checks of a scenario over several seeds."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from engine.kernel.errors import BreakfixError
from scenarios.model import Scenario
from scenarios.proof.checks import CHECKS
from scenarios.proof.report import Failure, ProofReport
from scenarios.proof.run import ProofRun
from scenarios.stage import Stage
from scenarios.terminals import OpenWorld, ShellTerminals

SEEDS = tuple(range(1, 21))


def prove(scenario: Scenario, seeds: Iterable[int] = SEEDS, open_world: OpenWorld = ShellTerminals) -> ProofReport:
    """Prove a scenario. What is wrong with it is in the report; nothing is raised."""
    tried = tuple(seeds)
    failures = [failure for seed in tried for failure in asyncio.run(prove_seed(scenario, seed, open_world))]
    return ProofReport(scenario.id, tried, tuple(CHECKS), tuple(failures))


async def prove_seed(scenario: Scenario, seed: int, open_world: OpenWorld = ShellTerminals) -> list[Failure]:
    """The failures at one seed."""
    try:
        run = await ProofRun.of(Stage.build(scenario, seed, open_world))
    except BreakfixError as error:
        return [Failure(scenario.id, seed, "reference", "", error.message, error.hint or "Correct the scenario.")]
    failures = []
    for name, check in CHECKS.items():
        try:
            failures += [failure async for failure in check(run)]
        except BreakfixError as error:
            failures.append(run.failure(name, "", error.message, error.hint or "Correct the scenario."))
    return failures
