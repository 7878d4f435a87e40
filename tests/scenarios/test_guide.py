"""Guides: what counts as a step that is done, what is told, what is refused in a file, and the packaged first look."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import yaml

from engine.kernel.documents import DocumentError
from scenarios.catalogue import packaged
from scenarios.guide import Guide, Step, pieces, plain_step, with_keys
from scenarios.journal import Entry
from scenarios.load import load
from scenarios.scoring import score
from scenarios.session import DrillSession
from tests.scenarios.drill import TEXT, scenario, start

STEPS: list[dict[str, Any]] = [
    {"title": "Look", "text": "Look at {node}.", "do": "gpus {node}", "done": [{"line": {"regex": r"^gpus\b"}}]},
    {"title": "Map", "text": "Press {key:workspace.map}.", "done": [{"opened": "map"}]},
    {
        "title": "Pin",
        "text": "The lost one: {key:terminal.pin}",
        "do": ":pin GPU {gpu.index} LOST",
        "done": [{"move": "pin", "shown": "GPU {gpu.index} LOST"}, {"line": "echo pinned"}],
    },
    {"title": "Repair", "text": "{key:drill.hands}", "do": ":hands replace target={gpu}", "done": [{"move": "hands"}]},
    {"title": "Wait", "text": "{key:workspace.time}", "do": ":wait 2h", "done": [{"told": "Replaced the GPU module"}]},
    {"title": "Again", "text": "Once more.", "do": "gpus {node}", "done": [{"line": {"regex": r"^gpus\b"}}]},
]


async def _guided(lines: list[str], opened: str | None = None) -> tuple[DrillSession, Guide]:
    session = await start(scenario(guide=STEPS))
    guide = Guide(session)
    if opened:
        guide.opened(opened)
    for line in lines:
        await session.perform(session.stage.fill(line))
        list(session.news())
        assert guide.steps
    return session, guide


def done(lines: list[str], opened: str | None = None) -> list[str]:
    """Titles of the steps that are done after some lines."""
    _, guide = asyncio.run(_guided(lines, opened))
    return [step.title for step in guide.steps if step.done]


def test_nothing_is_done_at_first_and_texts_are_filled() -> None:
    session, guide = asyncio.run(_guided([]))
    node = session.stage.choices.texts["node"]
    assert guide.current == Step(1, "Look", f"Look at {node}.", (f"gpus {node}",), False)
    assert not any(step.done for step in guide.steps)


def test_a_line_ticks_its_step_and_only_once() -> None:
    assert done(["gpus {node}"]) == ["Look"]
    assert "Again" not in done(["gpus {node}", "echo pinned"])
    assert "Again" in done(["gpus {node}", "gpus {node}"])
    assert done(["log {node}"]) == []


def test_a_move_must_say_what_the_step_asks_for() -> None:
    assert done(["gpus {node}", ":pin GPU {gpu.index} LOST"], "map") == ["Look", "Map", "Pin"]
    assert done(["gpus {node}", ":note GPU {gpu.index} LOST"]) == ["Look"]
    assert done(["gpus {node}", "echo pinned"], "map") == ["Look", "Map", "Pin"]


def test_a_message_is_a_sign_however_the_time_passed() -> None:
    lines = ["drain {node} x", ":hands replace target={gpu}"]
    assert "Wait" not in done(lines)
    assert done([*lines, ":wait 1h", ":wait 1h"]) == ["Map", "Repair", "Wait"]


def test_what_is_opened_counts_by_itself_and_when_a_later_step_is_done() -> None:
    assert done([], "map") == ["Map"]
    assert done([], "help") == []
    assert done([":hands replace target={gpu}"]) == ["Map", "Repair"]


def test_steps_done_out_of_order_are_ticked_and_the_first_open_one_is_current() -> None:
    _, guide = asyncio.run(_guided([":hands replace target={gpu}"]))
    assert guide.current is not None
    assert guide.current.title == "Look"


def test_a_step_in_order_waits_for_those_before_it() -> None:
    ordered = [{**STEPS[0]}, STEPS[1], {**STEPS[2], "in_order": True}]
    lines = ["echo pinned", "gpus {node}", "echo pinned"]

    async def titles(count: int) -> list[str]:
        session = await start(scenario(guide=ordered))
        guide = Guide(session)
        for line in lines[:count]:
            await session.perform(session.stage.fill(line))
        return [step.title for step in guide.steps if step.done]

    assert asyncio.run(titles(1)) == []
    assert asyncio.run(titles(2)) == ["Look"]
    assert asyncio.run(titles(3)) == ["Look", "Map", "Pin"]


def test_a_guide_begun_later_reads_the_whole_journal() -> None:
    session, guide = asyncio.run(_guided(["gpus {node}", ":hands replace target={gpu}"]))
    assert Guide(session).steps == guide.steps


def test_plain_mode_tells_moves_and_leaves_out_what_it_cannot_open() -> None:
    session, guide = asyncio.run(_guided(["gpus {node}"]))
    index = session.stage.choices.texts["gpu.index"]
    told = plain_step(session, guide).splitlines()
    assert told == ["Step 2 of 5: Pin", "The lost one: :pin", f"    :pin GPU {index} LOST"]
    session.journal.entries += [Entry(kind, 0, 0, "echo pinned gpus") for kind in ("line", "hands")]
    assert plain_step(session, guide).startswith("Step 4 of 5: Wait\n:wait\n")


def test_at_the_end_there_is_nothing_to_tell() -> None:
    session, guide = asyncio.run(_guided([]))
    session.journal.entries += [
        Entry("line", 0, 0, "gpus x"),
        Entry("line", 0, 0, "echo pinned"),
        Entry("hands", 0, 0, words=("replace", "x")),
        Entry("message", 0, 0, "Replaced the GPU module"),
        Entry("line", 0, 0, "gpus x"),
    ]
    assert guide.current is None
    assert plain_step(session, guide) == ""


def test_keys_stand_where_the_text_says() -> None:
    assert list(pieces("a {key:drill.pin} b")) == [("a ", False), ("drill.pin", True), (" b", False)]
    assert with_keys("{key:a.b}{key:c.d}", str.upper) == "A.BC.D"


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ({"text": "{nod}"}, 'guide[0].text: unknown name "nod"'),
        ({"text": "{key:note}"}, "write it like {key:drill.note}"),
        ({"do": ":pni x"}, 'unknown move ":pni"'),
        ({"done": [{"line": "{gpu.indx}"}]}, 'unknown name "gpu.indx"; did you mean "gpu.index"'),
        ({"done": [{"line": {"regex": "("}}]}, "no RE2 expression"),
        ({"done": [{}]}, "a sign needs one of"),
        ({"done": [{"move": "pin", "line": "x"}]}, 'nothing is "line" and "move" at once'),
        ({"done": [{"opened": "map", "shown": "x"}]}, '"shown" goes with a line or a move'),
        ({"done": [{"opened": "maap"}]}, "map"),
        ({"done": []}, "done"),
        ({"dne": []}, "dne"),
    ],
)
def test_mistakes_are_told_with_file_and_line(step: dict[str, Any], words: str) -> None:
    text = TEXT + "guide:\n" + str(yaml.safe_dump([{**STEPS[0], **step}]))
    with pytest.raises(DocumentError) as caught:
        load(text, "drill.yaml")
    first = len(TEXT.splitlines()) + 1
    problems = [str(problem) for problem in caught.value.problems]
    assert any(words in problem for problem in problems), problems
    assert all(int(problem.split(":")[1]) >= first for problem in problems)


async def _first_look(seed: int) -> tuple[list[str], DrillSession, Any]:
    """Do what the guide says and nothing else. Returns the titles of the steps in the order in which they came."""
    session = await DrillSession.start(packaged("first-look"), seed)
    guide, told = Guide(session), []
    while (step := guide.current) is not None:
        told.append(step.title)
        if not step.do:
            guide.opened("map")
        for line in step.do:
            await session.perform(line)
            list(session.news())
        assert guide.current != step, f"{step.title} is not done by what it says"
    result = await score(session)
    session.close()
    return told, session, result


@pytest.mark.parametrize("seed", range(1, 6))
def test_whoever_does_what_the_first_look_says_passes_with_nearly_everything(seed: int) -> None:
    told, session, result = asyncio.run(_first_look(seed))
    assert len(told) == len(session.scenario.guide)
    assert session.submitted
    assert result.passed
    assert result.score.total >= 95


def test_the_first_look_can_be_done_in_plain_mode() -> None:
    async def play() -> DrillSession:
        session = await DrillSession.start(packaged("first-look"), 3)
        guide = Guide(session)
        while text := plain_step(session, guide):
            assert "{" not in text
            for line in text.splitlines()[2:]:
                await session.perform(line.strip())
                list(session.news())
        session.close()
        return session

    assert asyncio.run(play()).submitted


def test_a_step_fits_into_a_few_lines() -> None:
    """At 80x24 the guide has little room."""
    for step in packaged("first-look").guide:
        assert len(" ".join(step.text.split())) <= 240, step.title
        assert len(step.title) <= 30
