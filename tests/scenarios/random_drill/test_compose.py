"""Drills that nobody wrote: the same name is the same drill, it is proved, and it can be played and failed."""

from __future__ import annotations

import asyncio
import os

import pytest

from engine.kernel.errors import BreakfixError
from scenarios.random_drill.compose import EXAMS, TRIES, areas, compose, random_drill, wish_of
from scenarios.random_drill.findings import findings, looks, shows
from scenarios.scoring import score
from scenarios.script import script_lines
from scenarios.session import DrillSession

NAMES = ["random/gpu/0/1", "random/cooling/0/2", "random/any/0/5"]
MANY = [f"random/any/0/{seed}" for seed in range(1, 1001)] if os.environ.get("BREAKFIX_LONG") else []


async def played(name: str, lines: list[str] | None = None) -> tuple[float, bool]:
    scenario = random_drill(name)
    session = await DrillSession.start(scenario, wish_of(name).seed)
    try:
        solution = [line for _, line in script_lines(session.stage.fill(scenario.solution))]
        for line in lines if lines is not None else solution:
            await session.perform(line)
        if not session.submitted:
            session.submit()
        result = await score(session)
        return result.score.total, result.passed
    finally:
        session.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NAMES, *MANY])
def test_a_drill_is_fair_and_told_without_a_symptom(name: str) -> None:
    scenario = random_drill(name)  # what is composed has been proved
    total, passed = asyncio.run(played(name))
    assert passed and total >= 95
    assert asyncio.run(played(name, [])) == (0, False)
    assert scenario.diagnosis is not None
    told = f"{scenario.title} {scenario.briefing.subject} {scenario.briefing.text}".lower()
    assert scenario.diagnosis.cause not in told and scenario.diagnosis.component.rpartition("/")[2] not in (
        word for word in told.split() if "/" in scenario.diagnosis.component
    )
    assert len(scenario.evidence) >= 2 and scenario.diagnosis.wrong and scenario.outcome == "escalate"


def test_the_same_name_is_the_same_drill() -> None:
    first = random_drill(NAMES[0])
    again = asyncio.run(compose(wish_of(NAMES[0])))
    assert first.model_dump(exclude={"evidence"}) == again.model_dump(exclude={"evidence"})
    assert [one.id for one in first.evidence] == [one.id for one in again.evidence]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("random/gpus/0/1", "gpu"),
        ("random/gpu/9/1", "no random drill"),
        ("random/gpu/0/", "no random drill"),
        ("random/../../etc/passwd", "no random drill"),
        ("random/gpu/0/99999999999999999999", "no random drill"),
    ],
)
def test_names_that_mean_nothing(name: str, says: str) -> None:
    with pytest.raises(BreakfixError, match=says):
        wish_of(name)


def test_every_area_of_an_exam_is_one() -> None:
    from engine.faults.fault import catalogue

    known = {name.partition(".")[0] for name in catalogue()}
    assert {area for named in EXAMS.values() for area in named} <= known and set(areas()) <= known and TRIES > 10


def test_a_finding_lasts_and_is_nowhere_else() -> None:
    look = looks()[0]
    now = ["fan4  0 RPM crit", "fan5  14040 RPM ok", "up 3 min"]
    later = ["fan4  0 RPM crit", "fan5  13920 RPM ok", "up 23 min"]
    twin = (["fan4  14100 RPM ok", "fan5  14040 RPM ok", "up 3 min"], ["fan4  13900 RPM ok", "fan5  1 RPM ok"])
    others = {one: ([], []) for one in looks()[1:]}
    [found] = findings({look: (now, later), **others}, {look: twin, **others})
    assert found.text == "fan4  0 RPM crit" and shows(found.regex, now) and not shows(found.regex, [*twin[0], *twin[1]])
    assert not list(findings({look: (now, ["nothing"]), **others}, {look: twin, **others})), "what is soon gone is none"
