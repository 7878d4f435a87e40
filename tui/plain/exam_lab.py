"""A hands-on item of an exam in plain mode: its scenario played in the shell, while the exam's time runs."""

from __future__ import annotations

import asyncio
import shutil

from exams.hands_on import worked
from scenarios import saved
from scenarios.catalogue import find
from scenarios.model import Scenario
from scenarios.scoring import score
from scenarios.session import DrillSession
from scenarios.terminals import FrontEnd
from tui.live.exam import Sitting
from tui.pace import WallPace
from tui.paths import sessions_folder
from tui.plain.conversation import print_bytes
from tui.plain.drill import Conversation
from tui.store import JournalFile, Record

TICK_SECONDS = 1.0

_BEFORE = """`:submit` hands the lab in and comes back; `:quit` comes back without a result.
`:briefing` tells the task again, `:help` what else can be typed. Only the goals
that are reached count here. The exam's time runs on; a lab that is not handed
in when it is over has no points.
"""


class _Unsaved(JournalFile):
    """The journal of a lab: none, since it is begun anew where the exam was left."""

    def write(self, record: Record) -> None:
        """Nothing is kept."""


async def play_lab(sitting: Sitting) -> bool:
    """Play the lab of the item in view. Returns whether it was handed in; its share is then the answer."""
    scenario = find(sitting.item.scenario)
    journal = _Unsaved(sessions_folder() / "lab.jsonl")
    session = await saved.begin(scenario, sitting.item.seed, _front, WallPace(), journal.write)
    try:
        conversation = Conversation(session, journal)
        conversation.brief()
        print(f"\n{_BEFORE}")
        await _while_time_runs(sitting, conversation)
        return not sitting.over and await _handed_in(sitting, scenario, session)
    finally:
        session.close()


def _front(number: int) -> FrontEnd:
    columns, rows = shutil.get_terminal_size()
    return FrontEnd(columns=columns, rows=rows, interactive=True, printer=print_bytes)


async def _while_time_runs(sitting: Sitting, conversation: Conversation) -> None:
    """Play until the lab is handed in or left, or the exam's time is over."""
    playing = asyncio.ensure_future(conversation.run())
    while not playing.done():
        await asyncio.wait({playing}, timeout=TICK_SECONDS)
        if sitting.tick() and not playing.done():
            conversation.session.interrupt()
            playing.cancel()
            await asyncio.wait({playing})
            return
    playing.result()


async def _handed_in(sitting: Sitting, scenario: Scenario, session: DrillSession) -> bool:
    if not session.submitted:
        print("The lab was not handed in; `lab` begins it anew.")
        return False
    answer = worked(scenario, await score(session))
    if sitting.tick():
        return False
    sitting.answer(str(answer.share))
    print("The lab is handed in.")
    return True
