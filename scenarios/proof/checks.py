"""The parts of a proof, each over one seed: seen, idle, solved, wrong cause, identifiable, wrong fix, noise."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from engine.faults.fault import Fault, catalogue
from engine.faults.targets import target_kinds
from engine.kernel.errors import BreakfixError
from scenarios.components import NOTHING, node_of
from scenarios.model import Evidence, FaultUse, OtherMove, WrongCause
from scenarios.proof.report import Failure
from scenarios.proof.run import ProofRun, play
from scenarios.scoring import end_state, judge

Check = Callable[[ProofRun], AsyncIterator[Failure]]

ENOUGH = 95
"""Points that the reference solution must reach."""

TARGETS_PER_KIND = 1
"""Targets that are tried for each kind of component beside those in question; another choice at each seed."""


async def reference(run: ProofRun) -> AsyncIterator[Failure]:
    """Every move of the reference solution can be made."""
    for what in run.refused:
        yield run.failure("reference", "", what, "Correct the solution, or what it should have shown.")


async def guide(run: ProofRun) -> AsyncIterator[Failure]:
    """Every step of the guide is done by the reference solution."""
    for title in run.undone:
        yield run.failure(
            "guide", title, "the reference solution does not do it", "Correct the step's signs or the line."
        )


async def seen(run: ProofRun) -> AsyncIterator[Failure]:
    """Each piece of evidence appears in the reference run and not in the twin, and its fact tells the two apart."""
    for one in run.stage.scenario.evidence:
        sighting = run.sighting(one.id)
        if sighting is None:
            yield _unseen(run, one)
            continue
        real = await run.untouched(run.stage.scenario.faults, sighting.at)
        faults, moves = _instead(run, one)
        twin = await run.untouched(faults, sighting.at, moves)
        if not run.stage.holds(one.fact, real):
            yield run.failure("seen", one.id, f"its fact does not hold: {one.fact}", "Correct the fact or the faults.")
        if run.stage.holds(one.fact, twin):
            what = f"its fact holds in the twin too: {one.fact}"
            yield run.failure("seen", one.id, what, "Write a fact that only the fault makes true.")


async def idle(run: ProofRun) -> AsyncIterator[Failure]:
    """Doing nothing scores 0, and a diagnosis alone does not pass."""
    nothing = judge((await play(run.stage, ":submit")).session, [])
    if nothing.score.total or nothing.passed:
        what = f"doing nothing scores {nothing.score.total}"
        yield run.failure("idle", "", what, "Let some goal not hold at the start.")
    script = "\n".join(f":diagnose component={component} cause={cause}" for component, cause in nothing.truths)
    guess = judge((await play(run.stage, script)).session, [])
    if guess.passed:
        yield run.failure("idle", "", "a diagnosis alone passes", "Add a goal that does not hold at the start.")


async def solved(run: ProofRun) -> AsyncIterator[Failure]:
    """The reference solution passes with 95 points or more."""
    result = judge(run.session, run.sightings)
    if result.passed and result.score.total >= ENOUGH:
        return
    parts = [part for part in result.score.parts if part.points < part.of]
    lost = [reason.text for part in parts for reason in part.reasons if reason.points <= 0]
    what = f"the reference solution scores {result.score.total}: {'; '.join([*result.not_passed, *lost])}"
    yield run.failure("solved", "", what, "Mend the solution, the goals or the evidence.")


async def wrong_cause(run: ProofRun) -> AsyncIterator[Failure]:
    """In the world of each wrong cause, the lines that refute it show something else."""
    for wrong in _wrong(run):
        shown = await run.elsewhere(wrong.instead, wrong.moves)
        for one in run.stage.scenario.evidence:
            sighting = run.sighting(one.id)
            if one.id not in wrong.refuted_by or sighting is None:
                continue
            text = shown[sighting.entry].text if sighting.entry in shown else ""
            if run.shows(one, text):
                yield run.failure(
                    "wrong cause",
                    wrong.cause,
                    f"its refutation {one.id} shows there too",
                    "Name evidence that this cause does not yield, or make the pattern narrower.",
                )


async def identifiable(run: ProofRun) -> AsyncIterator[Failure]:
    """No other fault of the catalogue, standing alone, yields all the evidence, and none of several faults can be left
    out of it.

    The seeds of a proof share the suspects.
    """
    faults = [use for use in run.stage.scenario.faults if use.when is None]
    for use in faults if len(run.stage.scenario.truths) > 1 else ():
        if await run.yields_all([other for other in faults if other is not use]):
            advice = "Add evidence of its own, or take it out of the diagnosis and the faults."
            yield run.failure("identifiable", f"{use.fault} {use.target}", "all the evidence shows without it", advice)
    for use in run.share.of(list(_suspects(run))):
        try:
            everything = await run.yields_all((use,))
        except BreakfixError:
            continue  # a fault that the site has no place for
        if everything:
            yield run.failure(
                "identifiable",
                f"{use.fault} {use.target}",
                "this fault alone yields all the evidence",
                "Add evidence that tells it apart, or name it under `accept`.",
            )


async def wrong_fix(run: ProofRun) -> AsyncIterator[Failure]:
    """Exactly the named goals or safety rules fail."""
    for fix in run.stage.scenario.wrong_fixes:
        played = await play(run.stage, fix.lines)
        goals, safety = end_state(played.session)
        for what in played.refused:
            yield run.failure("wrong fix", fix.id, what, "Correct the script.")
        failed = [one.id for one in (*goals, *safety) if not one.holds]
        if set(failed) != set(fix.breaks):
            what = f"it should break {', '.join(fix.breaks)} and no more, and breaks {', '.join(failed) or 'nothing'}"
            yield run.failure("wrong fix", fix.id, what, "Mend the script, the goals or the rules.")


async def noise(run: ProofRun) -> AsyncIterator[Failure]:
    """Where there is nothing but noise, no line of the reference solution shows any evidence."""
    shown = await run.elsewhere(())
    for one in run.stage.scenario.evidence:
        if one.against:
            continue
        for place, there in shown.items():
            if run.shows(one, there.text) and not run.shows(one, run.entries[place].text):
                what = f"{run.entries[place].text!r} shows it without the faults"
                yield run.failure("noise", one.id, what, "Make the pattern narrower.")
                break


CHECKS: Mapping[str, Check] = MappingProxyType({
    "reference": reference,
    "guide": guide,
    "seen": seen,
    "idle": idle,
    "solved": solved,
    "wrong cause": wrong_cause,
    "identifiable": identifiable,
    "wrong fix": wrong_fix,
    "noise": noise,
})  # fmt: skip


def _unseen(run: ProofRun, one: Evidence) -> Failure:
    if not any(run.shows(one, entry.everything) for entry in run.entries if entry.kind == "line"):
        what = "no line of the reference solution shows it"
        return run.failure("seen", one.id, what, "Add a line that does, or mend the pattern or the fault.")
    where = f"with {one.against} instead" if one.against else "in the twin"
    return run.failure(
        "seen",
        one.id,
        f"where the reference solution shows it, it shows {where} too, or stands in the line itself",
        "Write a pattern that only the fault makes appear, and that nobody types to find it.",
    )


def _wrong(run: ProofRun) -> tuple[WrongCause, ...]:
    return run.stage.scenario.diagnosis.wrong if run.stage.scenario.diagnosis else ()


def _instead(run: ProofRun, one: Evidence) -> tuple[tuple[FaultUse, ...], tuple[OtherMove, ...]]:
    """What stands in the world that a piece of evidence is compared with: faults, and what somebody did."""
    return next(((wrong.instead, wrong.moves) for wrong in _wrong(run) if wrong.cause == one.against), ((), ()))


def _suspects(run: ProofRun) -> Iterator[FaultUse]:
    """Faults that could be thought of, at the onset of the true one. Where nothing is broken they are those that the
    scenario names: that no fault of a whole catalogue stands anywhere is more than anybody can look for.
    """
    scenario, right = run.stage.scenario, _accepted(run)
    asked = {one.cause for one in _wrong(run)} if scenario.kind == "healthy" else set(catalogue())
    named = [*(component for component, _ in right), *(run.stage.fill(one.component) for one in _wrong(run))]
    places = sorted({node_of(component) for component in named} - {NOTHING})
    uses = [*scenario.faults, *(use for wrong in _wrong(run) for use in wrong.instead)]
    onset = uses[0].onset if uses else "0s"
    for fault in (fault for fault in catalogue().values() if fault.id in asked):
        for target in _targets(run, fault, places, [component for component, _ in right]):
            if (target, fault.id) not in right:
                yield FaultUse(fault=fault.id, target=target, onset=onset, parameters={})


def _accepted(run: ProofRun) -> list[tuple[str, str]]:
    """Components and causes that are right."""
    answers = [
        answer
        for truth in run.stage.scenario.truths
        for answer in [(truth.component, truth.cause), *((one.component, one.cause) for one in truth.accept)]
    ]
    return [(run.stage.fill(component), cause) for component, cause in answers]


def _targets(run: ProofRun, fault: Fault, places: Sequence[str], asked: Sequence[str]) -> Iterator[str]:
    """Components at some places that a fault may befall: those in question, and a few others."""
    inventory = run.stage.base.world.inventory
    for name in fault.targets:
        kind = target_kinds()[name]
        known = [target for place in places for target in kind.near(inventory, place)]
        racks = {inventory.node(place).rack for place in places if place in inventory.node_index}
        here = [target for target in dict.fromkeys(known) if node_of(target) in (*places, *racks)]
        fitting = [target for target in here if kind.has(inventory, target)]
        chance = run.stage.base.stream(f"proof/{run.stage.scenario.id}/{fault.id}/{name}")
        first = [target for target in asked if target in fitting]
        yield from dict.fromkeys([*first, *chance.sample(fitting, TARGETS_PER_KIND)])
