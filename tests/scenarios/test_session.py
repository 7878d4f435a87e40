"""A session: the learner's moves, what others do meanwhile, and the journal."""

from __future__ import annotations

import asyncio
import json

import pytest

from engine.control.slurm import registration
from engine.kernel.units import MINUTE, SECOND
from scenarios.journal import Entry, ScreenEvent, decode, encode
from scenarios.script import MoveError
from scenarios.session import DrillSession
from scenarios.verify import redo
from tests.scenarios.drill import played, scenario, start


def moves(*lines: str) -> list[str]:
    """What the moves answer."""

    async def run() -> list[str]:
        session = await start(scenario())
        return [(await session.perform(session.stage.fill(line))).text for line in lines]

    return asyncio.run(run())


def refusal(*lines: str) -> str:
    with pytest.raises(MoveError) as caught:
        moves(*lines)
    return caught.value.message


def test_the_learner_comes_after_the_lead_and_reads_the_briefing() -> None:
    session = played([])
    assert session.clock(session.simulation.now) == "09:30:00"
    assert session.briefing.subject == "llama-sft stopped"
    assert session.elapsed == 0


def test_a_line_is_run_and_kept() -> None:
    session = played(["echo hello", "sleep 90s"])
    first, second = session.journal.entries
    assert (first.kind, first.text, first.shown, first.status) == ("line", "echo hello", "hello\n", 0)
    assert second.ended - second.started == 90 * SECOND == session.elapsed


def test_a_pin_takes_the_latest_line_that_holds_the_text() -> None:
    session = played(["echo first one", "echo second one", ":pin one", ":pin first"])
    assert [(entry.text, entry.source) for _, entry in session.journal.of("pin")] == [
        ("second one", 1),
        ("first one", 0),
    ]
    assert "no line that a command printed holds" in refusal("echo a", ":pin b")


def test_hints_come_in_order_and_end() -> None:
    first, second = moves(":hint", ":hint")
    assert first == "Look at the kernel's log\n(4 points; 1 more)"
    assert second == f"It is {played([]).stage.choices.texts['gpu']}\n(10 points; no more)"
    assert refusal(":hint", ":hint", ":hint") == "there are no more hints"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (":diagnose component=dgx-02/gpu9 cause=gpu.fell_off_bus", 'unknown component "dgx-02/gpu9"; did you mean'),
        (":diagnose component=dgx-2 cause=gpu.fell_off_bus", 'unknown component "dgx-2"; did you mean'),
        (":diagnose component=dgx-02 cause=gpu.fell_of_bus", 'did you mean "gpu.fell_off_bus"'),
        (":hands polish target=dgx-02/gpu1", 'unknown action "polish"'),
        (":hands replace target=dgx-02/gpu12", "replace cannot be done to that"),
        (":answer q1 yes", 'unknown question "q1"'),
    ],
)
def test_names_that_do_not_exist_are_refused_and_nothing_happens(line: str, words: str) -> None:
    assert words in refusal(line)
    with pytest.raises(MoveError):
        played([":nonsense"])


def test_hands_take_their_time_and_report() -> None:
    session = played([":hands clean-filter target={node}", ":wait 30m"])
    (news,) = [entry for entry in session.news() if entry.words == ("machine room",)]
    assert "Cleaned the inlet filter" in news.text
    assert list(session.news()) == []


def test_others_act_and_write_at_their_times() -> None:
    session = played([":wait 14m"])
    assert session.simulation.world.slurm_nodes["dgx-04"].drain
    later = played([":wait 14m", ":wait 10m"])
    assert not later.simulation.world.slurm_nodes["dgx-04"].drain
    (other,) = (entry for _, entry in later.journal.of("other"))
    assert other.user == "mara"
    assert 15 * MINUTE < other.started - later.stage.arrival < 16 * MINUTE
    assert [entry.text for entry in later.news()] == [f"Is it {later.stage.choices.texts['node']}?"]


def test_reasons_that_the_learner_sets_are_kept_and_those_of_others_are_not() -> None:
    session = played(["drain {node} gpu broken", "resume {node}", ":wait 20m"])
    assert [entry.text for _, entry in session.journal.of("record")] == ["gpu broken"]


def test_a_reason_that_slurm_gives_is_not_the_learners() -> None:
    async def run() -> DrillSession:
        session = await start(scenario())
        registration.drain(session.simulation, "dgx-01", "Kill task failed")
        await session.perform("echo hello")
        return session

    session = asyncio.run(run())
    assert session.simulation.world.slurm_nodes["dgx-01"].reason == "Kill task failed"
    assert session.journal.of("record") == []


def test_nothing_can_be_done_after_handing_in() -> None:
    assert "submitted" in refusal(":submit", ":note too late")


def test_entries_survive_json() -> None:
    session = played(scenario().solution)
    screen = Entry(
        "line", 1, 2, "less x", answers=("y", None), screen=(ScreenEvent(1), ScreenEvent(2, "q")), frames="a\n"
    )
    for entry in [*session.journal.entries, screen]:
        assert decode(json.loads(json.dumps(encode(entry)))) == entry


def test_a_session_taken_up_again_is_the_same() -> None:
    async def again(session: DrillSession) -> tuple[list[int], DrillSession]:
        fresh = await start(scenario())
        return await redo(fresh, session.journal.entries), fresh

    session = played(scenario().solution)
    differing, fresh = asyncio.run(again(session))
    assert differing == []
    assert fresh.journal.entries == session.journal.entries
    assert fresh.simulation.state_digest() == session.simulation.state_digest()
