"""Labs: questions that are answered at once, steps that wait for what holds, and how it is scored."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engine.kernel.errors import BreakfixError
from scenarios.answering import numbered
from scenarios.guide import Guide, plain_step
from scenarios.model import Scenario
from scenarios.proof.prove import prove
from scenarios.session import DrillSession
from tests.scenarios.drill import result, scenario, start
from tests.scenarios.fake import FakeTerminals

QUESTIONS = [
    {
        "id": "which",
        "text": "Which GPU of {node}?",
        "accept": ["{gpu.short}"],
        "because": "It is {gpu}.",
        "hint": "gpus",
    },
    {"id": "many", "text": "How many?", "accept": [{"regex": "^8$"}]},
]
GUIDE = [
    {
        "title": "Look",
        "text": "Look.",
        "do": "gpus {node}",
        "done": [{"answer": "which"}],
        "learned": "It was {gpu.short}.",
    },
    {"title": "Drain", "text": "Drain.", "done": [{"fact": "not slurm.node.available(node)"}]},
    {"title": "Count", "text": "Count.", "done": [{"answer": "many"}]},
]
DROPPED = ("diagnosis", "evidence", "record", "hints", "safety")


def lab(**changes: Any) -> Scenario:
    """The small drill as a lab."""
    parts: dict[str, Any] = dict.fromkeys(DROPPED)
    parts |= {"kind": "lab", "questions": QUESTIONS, "guide": GUIDE, "wrong_fixes": []}
    parts["goals"] = [{"id": "out", "says": "{node} is drained", "fact": "not slurm.node.available(node)"}]
    parts["solution"] = "gpus {node}\n:answer which {gpu.short}\ndrain {node} lab\n:answer many 8\n:submit"
    return scenario(**{**parts, **changes})


async def _replies(lines: list[str], drill: Scenario) -> tuple[DrillSession, list[str]]:
    session = await start(drill)
    return session, [(await session.perform(session.stage.fill(line))).text for line in lines]


def replies(*lines: str, drill: Scenario | None = None) -> tuple[DrillSession, list[str]]:
    """What moves answer."""
    return asyncio.run(_replies([*lines], drill or lab()))


def test_an_answer_is_told_right_or_wrong_with_a_reason() -> None:
    session, (wrong, right, bare) = replies(":answer which gpu9", ":answer which {gpu.short}", ":answer many 7")
    gpu = session.stage.choices.texts["gpu"]
    assert (wrong, right, bare) == ("Not that. gpus", f"Right. It is {gpu}.", "Not that.")
    assert session.answers == {"which": session.stage.choices.texts["gpu.short"], "many": "7"}


def test_the_questions_are_told_with_the_answers() -> None:
    session, _ = replies(":answer many 8")
    told = "\n".join(numbered(session.stage, session.answers))
    assert "which            Which GPU of dgx-" in told and "you said: 8 (right)" in told


def test_steps_wait_for_answers_and_for_what_holds() -> None:
    session, _ = replies("gpus {node}", ":answer which gpu9")
    guide = Guide(session)
    assert [step.done for step in guide.steps] == [False, False, False]
    asyncio.run(session.perform(session.stage.fill(":answer which {gpu.short}")))
    assert [step.done for step in guide.steps] == [True, False, False]
    assert plain_step(session, guide).startswith(
        f"It was {session.stage.choices.texts['gpu.short']}.\n\nStep 2 of 3: Drain"
    )
    asyncio.run(session.perform(session.stage.fill("drain {node} lab")))
    assert [step.done for step in guide.steps] == [True, True, False]


def test_goals_and_answers_are_the_score() -> None:
    drill = lab()
    assert result(drill.solution, drill).score.total == 100
    half = result(["drain {node} lab", ":answer many 8"], drill)
    assert (half.score.total, half.passed) == (80, False)
    assert any("not right: Which GPU of dgx-" in why for why in half.not_passed)


def test_what_held_from_the_start_counts_with_the_answers() -> None:
    calm = lab(goals=[{"id": "in", "says": "x", "fact": "slurm.node.available(node)"}])
    assert result([":submit"], calm).score.total == 0
    assert result([":answer many 8"], calm).score.total == 30 + 20


def test_a_lab_is_proved_with_its_guide() -> None:
    assert prove(lab(), (1, 2), FakeTerminals).proved
    lame = lab(solution="gpus {node}\n:answer which {gpu.short}\n:answer many 8\ndrain {node} lab\n:submit",
               guide=[*GUIDE, {"title": "Never", "text": "x", "done": [{"fact": "not gpu.lost(gpu)"}]}])  # fmt: skip
    assert [(one.check, one.subject) for one in prove(lame, (1,), FakeTerminals).failures] == [("guide", "Never")]


@pytest.mark.parametrize(
    ("sign", "told"),
    [
        ({"answer": "nothing"}, "unknown question"),
        ({"fact": "gpu.nonsense(gpu)"}, "unknown fact"),
        ({"fact": "gpu.lost(gpu)", "answer": "which"}, "at once"),
        ({"answer": "which", "shown": "x"}, "goes with a line or a move"),
    ],
)
def test_signs_that_mean_nothing_are_refused(sign: dict[str, str], told: str) -> None:
    with pytest.raises(BreakfixError, match=told):
        lab(guide=[{"title": "x", "text": "x", "done": [sign]}])
