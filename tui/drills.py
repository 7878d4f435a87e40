"""Drills in plain mode and from scripts: briefing, moves, and the debrief."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.kernel.errors import BreakfixError
from scenarios.catalogue import in_order, packaged, places
from scenarios.debrief import page, result_json
from scenarios.load import load_file
from scenarios.model import Scenario
from scenarios.scoring import score
from scenarios.script import script_lines
from scenarios.session import DrillSession
from tui.played import Played, remember

if TYPE_CHECKING:
    from tui.plain.drill import Conversation
    from tui.store import Saved


@dataclass(frozen=True)
class ScriptResult:
    """What a script earned: the page, the JSON data, and whether it passed."""

    page: str
    data: dict[str, Any]
    passed: bool


def scenario_named(name: str) -> Scenario:
    """The packaged scenario of that name, that of a pack (`PACK/ID`), or the one in the file. Raises BreakfixError."""
    if name in places() or not ("/" in name or name.endswith((".yaml", ".yml"))):
        return packaged(name)
    from tui.packs import scenario_of

    return scenario_of(name) or load_file(Path(name))


async def run_script(scenario: Scenario, seed: int, text: str) -> ScriptResult:
    """Play a script to its end. Raises BreakfixError, with the script's line, for a move that can't be made."""
    session = await DrillSession.start(scenario, seed)
    try:
        for number, line in script_lines(text):
            if session.submitted:
                raise BreakfixError(f"line {number} of the script comes after :submit")
            try:
                await session.perform(line)
            except BreakfixError as error:
                raise BreakfixError(f"line {number} of the script: {error.message}", error.hint) from None
        result = await score(session) if session.submitted else None
        shown = page(session, result) if result else "Not handed in: the script has no :submit. Score 0, not passed.\n"
        return ScriptResult(shown, result_json(session, result), bool(result and result.passed))
    finally:
        session.close()


def choose(seed: str | None) -> int:
    """Let the learner choose a drill from a numbered list."""
    from tui.opening import parse_seed

    names = in_order("drill", "healthy", "incident")
    for number, name in enumerate(names, 1):
        scenario = packaged(name)
        print(f"{number:3}  {scenario.minutes:>3} min  level {scenario.difficulty}  {scenario.title}"[:79])
    try:
        answer = input("Which one (number; nothing leaves)? ").strip() if sys.stdin.isatty() else ""
    except EOFError:
        answer = ""
    if not answer:
        return 0
    name = names[int(answer) - 1] if answer.isdigit() and 1 <= int(answer) <= len(names) else answer
    scenario = packaged(name)
    return asyncio.run(play(scenario, name, parse_seed(seed) if seed else new_seed(name), as_json=False))


def new_seed(name: str) -> int:
    """A seed that the learner has not had in this drill, from what is saved and what was handed in."""
    from tui.played import results
    from tui.store import saved_sessions

    saved = (one.header for one in saved_sessions("drill") if one.header.get("scenario") == name)
    used = [seed for header in saved if isinstance(seed := header.get("seed"), int)]
    return max([*used, *(one.seed for one in results() if one.scenario == name)], default=0) + 1


def last_saved(name: str | None) -> Saved:
    """The last drill (of that name) that was not handed in. Raises BreakfixError if there is none."""
    from tui.store import saved_sessions

    labs = [lab for exam in saved_sessions("exam") for lab in exam.header.get("labs", ())]
    for one in saved_sessions("drill"):
        of_an_exam = [one.header.get("scenario"), one.header.get("seed")] in labs
        if not of_an_exam and name in (None, one.header.get("scenario"), one.header.get("source")):
            return one
    raise BreakfixError("there is no drill to take up again", "`breakfix list drills` shows what can be begun.")


async def play(scenario: Scenario, source: str, seed: int, *, as_json: bool) -> int:
    """Play a new drill in plain mode. Returns 0 if it was passed."""
    from tui.plain.drill import begin

    return await finish(await begin(scenario, source, seed), as_json=as_json)


async def resume_last(name: str | None) -> int:
    """Take up the last drill (of that name) that was not handed in."""
    from tui.plain.drill import resume

    return await finish(await resume(name), as_json=False)


async def finish(conversation: Conversation, *, as_json: bool) -> int:
    """Play to the end, then score and show it. The journal is kept until the result has been shown."""
    session = await conversation.run()
    try:
        if not session.submitted:
            if not conversation.journal.broken:
                print("Not handed in; `breakfix drill --resume` takes it up again.")
            return 1
        result = await score(session)
        remember(Played(result.scenario, result.seed, round(result.score.total), result.passed))
        shown = json.dumps(result_json(session, result), indent=2, ensure_ascii=False) if as_json else None
        print(shown or page(session, result), flush=True)
        conversation.forget()
        return 0 if result.passed else 1
    finally:
        session.close()
