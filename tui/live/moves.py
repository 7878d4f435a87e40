"""The learner's moves beside the shell as lines that start with a colon, in every front end."""

from __future__ import annotations

from engine.kernel.errors import BreakfixError
from scenarios.answering import numbered
from scenarios.model import Scenario
from scenarios.script import MOVE_WORDS
from scenarios.session import DrillSession

_DIAGNOSING = """\
  :diagnose component=dgx-02/gpu5 cause=CAUSE     the first one earns the points
  :causes [WORD]    causes that a diagnosis may name, or those with the word
"""

_ANSWERING = """\
  :questions        what the lab asks, and your answers
  :answer ID TEXT   answer a question
"""

_MOVES = """Your moves beside the shell{pins}:
{special}  :pin TEXT         keep the line of the output that holds TEXT as evidence
  :note TEXT        a note for the ticket
{escalate}  :hands ACTION target=dgx-02/gpu5     order work (`hands list` shows what)
  :wait 10m         let time pass
{hint}  :briefing, :help  the briefing, or this list, again
  :submit           hand in
  :quit             leave; `breakfix drill --resume` takes it up again"""

TOLD_WORDS = ("help", "briefing", "causes", "questions")
"""Moves that only tell something."""


def moves_text(scenario: Scenario) -> str:
    """The moves that there are in a scenario: a lab has questions in place of a diagnosis."""
    diagnosing = scenario.diagnosis is not None
    return _MOVES.format(
        pins=" (evidence that is not pinned counts half)" if diagnosing else "",
        special=(_DIAGNOSING if diagnosing else "") + (_ANSWERING if scenario.questions else ""),
        escalate="  :escalate TEXT    hand the case to the vendor\n" if diagnosing else "",
        hint="  :hint             a hint (it costs points)\n" if scenario.hints else "",
    )


def is_move(line: str) -> bool:
    """Whether a line is a move (or a mistyped one) and nothing for the shell."""
    return line.startswith(":") and line.strip().removeprefix(":").split(" ")[0].isalpha()


async def make_move(session: DrillSession, line: str, terminal: int = 1) -> str:
    """Make the move. Returns what to tell the learner, also for one that cannot be made."""
    word = line.strip().removeprefix(":").split(" ")[0]
    if word == "help":
        return moves_text(session.scenario)
    if word == "questions":
        return "\n".join(numbered(session.stage, session.answers)) or "Nothing is asked here."
    if word == "briefing":
        return briefing_text(session)
    if word == "causes":
        return _causes(session, line.strip().partition(" ")[2])
    if word not in MOVE_WORDS:
        return f"There is no move :{word}; `:help` shows them. (To run it in the shell, put a space before it.)"
    try:
        return (await session.perform(line.strip(), terminal)).text
    except BreakfixError as error:
        return str(error)


def _causes(session: DrillSession, words: str) -> str:
    """Causes whose names or titles hold all the words."""
    wanted = words.lower().split()
    found = [(cause, title) for cause, title in sorted(session.vocabulary.items())]
    found = [(cause, title) for cause, title in found if all(word in f"{cause} {title}".lower() for word in wanted)]
    return "\n".join(f"  {cause:<34} {title}" for cause, title in found) or f"No cause has {words!r} in it."


def briefing_text(session: DrillSession) -> str:
    """The briefing as text."""
    told = session.briefing
    return (
        f"\n{session.scenario.title}  ({told.form}, {session.clock(session.stage.arrival)})\n"
        f"From: {told.sender}\nSubject: {told.subject}\n\n{told.text}"
    )
