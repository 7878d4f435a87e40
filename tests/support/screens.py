"""Every screen of the full-screen program, ready to be shown: one factory for each, with what it needs to be there.

A new screen needs an entry in `FACTORIES`; tests/tui/test_every_screen.py says so if it is missing.
"""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.screen import Screen

import tui.look
import tui.screens
import tui.widgets
from scenarios.result import Result
from tui.app import Breakfix, Crash
from tui.drills import scenario_named
from tui.live import drill
from tui.live.drill import LiveDrill
from tui.screens.home import Home

DRILL = "gpu-off-the-bus"
LAB = "meet-the-gpu-node"
STYLES = Path(tui.look.__file__).with_name("breakfix.tcss")


async def at_home(pilot: Pilot[Any]) -> None:
    """Until the program has opened its first screen, which it does behind the back of who starts it."""
    for _ in range(200):
        if isinstance(pilot.app.screen, Home):
            break
        await pilot.pause(0.01)
    await pilot.pause()


@dataclass(frozen=True)
class Ground:
    """What screens show: a drill that is being played, with something in it."""

    program: Breakfix
    live: LiveDrill


async def new_drill() -> LiveDrill:
    """A drill in which a few things were done."""
    live = await drill.begin(scenario_named(DRILL), DRILL, 1)
    await live.run_line(1, "echo '[idle] 25 \N{MICRO SIGN}s'")
    for move in (":pin [idle] 25", ":note looked at the queue", ":hint"):
        await live.move(move)
    return live


@cache
def lab_under_way() -> LiveDrill:
    """A lab that has just begun."""
    return asyncio.run(drill.begin(scenario_named(LAB), LAB, 1))


@cache
def handed_in() -> tuple[LiveDrill, Result]:
    """A drill that was handed in, and its result."""

    async def play() -> tuple[LiveDrill, Result]:
        live = await new_drill()
        return live, await live.submit()

    return asyncio.run(play())


def _answer_dialog(ground: Ground) -> Screen[Any]:
    from tui.screens.answer import AnswerDialog

    return AnswerDialog(lab_under_way())


def _commands_menu(ground: Ground) -> Screen[Any]:
    from tui.screens.commands_menu import CommandsMenu

    return CommandsMenu(ground.live, ground.live.seat(1))


def _context_menu(ground: Ground) -> Screen[Any]:
    from tui.screens.context_menu import ContextMenu

    return ContextMenu([("copy", "Copy"), ("pin", "Pin this line")], 200, 60)


def _crash(ground: Ground) -> Screen[Any]:
    from tui.screens.crash import CrashScreen

    return CrashScreen(Crash("KeyError: '[gpu5]'", ""), can_resume=True)


def _debrief(ground: Ground) -> Screen[Any]:
    from tui.screens.debrief import Debrief

    return Debrief(*handed_in())


def _help(ground: Ground) -> Screen[Any]:
    from tui.screens.help import Help

    return Help(ground.program.offers(), ground.program.help_texts())


def _exam(module: str, name: str) -> Callable[[Ground], Screen[Any]]:
    """The factory of a screen that takes nothing but an exam under way."""

    def make(ground: Ground) -> Screen[Any]:
        from tests.support.exams import unkept_exam

        made: Screen[Any] = getattr(importlib.import_module(f"tui.screens.{module}"), name)(unkept_exam())
        return made

    return make


def _exam_cluster(ground: Ground) -> Screen[Any]:
    from tui.screens.exam_lab import ExamCluster

    return ExamCluster(ground.live)


def _exam_lab(ground: Ground) -> Screen[Any]:
    from tests.support.exams import unkept_exam
    from tui.screens.exam import ExamScreen
    from tui.screens.exam_lab import ExamLab

    return ExamLab(ground.live, ExamScreen(unkept_exam()))


def _exam_menu(ground: Ground) -> Screen[Any]:
    from tui.screens.exam_menu import ExamMenu

    return ExamMenu("nca-aiio")


def _exam_note(ground: Ground) -> Screen[Any]:
    from tui.screens.exam_note import ExamNote

    return ExamNote("Note", "A note for yourself.", "the [third] line")


def _exam_result(ground: Ground) -> Screen[Any]:
    from exams.report import report
    from tests.support.exams import SOURCE, handed_in
    from tui.screens.exam_result import ExamResult

    return ExamResult(report(handed_in().attempt), SOURCE)


def _exam_review(ground: Ground) -> Screen[Any]:
    from exams.report import report
    from tests.support.exams import SOURCE, handed_in
    from tui.screens.exam_review import ExamReview

    return ExamReview(report(handed_in().attempt), SOURCE)


def _exam_start(ground: Ground) -> Screen[Any]:
    from exams.paper import Terms
    from tests.exams import bank
    from tests.support.exams import SOURCE
    from tui.live.exam import begin_exam
    from tui.screens.exam_start import ExamStart

    terms = Terms(count=4, labs=0)
    return ExamStart(bank.course(), terms, 5, lambda told: begin_exam(SOURCE, 5, terms, fresh=False, told=told))


def _calculator(ground: Ground) -> Screen[Any]:
    from tui.screens.calculator import Calculator

    return Calculator()


def _rendered() -> None:
    """The items of the small exam; rendering them has a loop of its own."""
    from tests.support.exams import handed_in

    handed_in()


def _of_drill(module: str, name: str) -> Callable[[Ground], Screen[Any]]:
    """The factory of a screen that takes nothing but the drill."""

    def make(ground: Ground) -> Screen[Any]:
        made: Screen[Any] = getattr(importlib.import_module(f"tui.screens.{module}"), name)(ground.live)
        return made

    return make


def _palette(ground: Ground) -> Screen[Any]:
    from textual.command import CommandPalette

    from tui.screens.palette import Everything

    return CommandPalette(providers=[Everything], placeholder="What do you want to do?")


def _pin_line(ground: Ground) -> Screen[Any]:
    from tui.screens.pin_line import PinLine

    return PinLine(["top - 09:14:22", "", "  PID USER  COMMAND [bold]", "\N{MICRO SIGN} " * 200])


def _replay(ground: Ground) -> Screen[Any]:
    from tui.live.transcript import Moment
    from tui.screens.replay import Replay
    from tui.widgets.rows import Row

    told = [Moment(10**9, 2 * 10**9, 1, "alex@head-01:~$ ", "sinfo", "PARTITION AVAIL\nbatch*    up\n")]
    return Replay(ground.live, [*told, Moment(3 * 10**9, 3 * 10**9, 1, "", "noted: looks well")], [Row("sinfo")])


def _board(ground: Ground) -> Screen[Any]:
    from tui.screens.board import BoardScreen

    return BoardScreen(ground.live, "dgx-02")


def _glossary(ground: Ground) -> Screen[Any]:
    from tui.screens.glossary import Glossary

    return Glossary("rail")


def _progress(ground: Ground) -> Screen[Any]:
    from tui.screens.progress import ProgressScreen

    return ProgressScreen()


def _settings(ground: Ground) -> Screen[Any]:
    from tui.screens.settings import SettingsScreen

    return SettingsScreen()


@dataclass(frozen=True)
class Factory:
    """How a screen is made, and a text that is on it at every size (None: its class's title). `footer`: whether it has
    one. `before` is done before the program runs.
    """

    make: Callable[[Ground], Screen[Any]]
    shows: str | None = None
    footer: bool = True
    before: Callable[[], object] = lambda: None


FACTORIES: dict[str, Factory] = {
    "Calculator": Factory(_calculator),
    "AnswerDialog": Factory(_answer_dialog, before=lab_under_way),
    "BoardScreen": Factory(_board, "Board of dgx-02"),
    "Alerts": Factory(_of_drill("alerts", "Alerts")),
    "FabricMap": Factory(_of_drill("fabric", "FabricMap")),
    "Queue": Factory(_of_drill("queue", "Queue")),
    "Racks": Factory(_of_drill("racks", "Racks")),
    "Charts": Factory(_of_drill("charts", "Charts")),
    "CommandPalette": Factory(_palette, "What do you want to do?", footer=False),
    "CommandsMenu": Factory(_commands_menu),
    "ContextMenu": Factory(_context_menu, "Pin this line"),
    "CrashScreen": Factory(_crash, "breakfix had a fault"),
    "Debrief": Factory(_debrief, "/ 100", before=handed_in),
    "DiagnosisDialog": Factory(_of_drill("diagnosis", "DiagnosisDialog")),
    "EscalateDialog": Factory(_of_drill("escalate", "EscalateDialog")),
    "ExamCluster": Factory(_exam_cluster, "Back to the item"),
    "ExamLab": Factory(_exam_lab, "Back to the item", before=_rendered),
    "ExamMenu": Factory(_exam_menu, "Exam"),
    "ExamNavigator": Factory(_exam("exam_navigator", "ExamNavigator"), before=_rendered),
    "ExamNote": Factory(_exam_note),
    "ExamResult": Factory(_exam_result, "By domain", before=_rendered),
    "ExamReview": Factory(_exam_review, "all items: 1 of", before=_rendered),
    "ExamScreen": Factory(_exam("exam", "ExamScreen"), "SMALL exam", before=_rendered),
    "ExamStart": Factory(_exam_start, "Enter begins"),
    "ExamSubmit": Factory(_exam("exam_submit", "ExamSubmit"), before=_rendered),
    "HandsDialog": Factory(_of_drill("hands", "HandsDialog")),
    "Glossary": Factory(_glossary, "Glossary"),
    "ProgressScreen": Factory(_progress),
    "Help": Factory(_help),
    "HintDialog": Factory(_of_drill("hint", "HintDialog")),
    "Home": Factory(lambda ground: Home(), "breakfix"),
    "HostPicker": Factory(_of_drill("hosts", "HostPicker")),
    "MapScreen": Factory(_of_drill("map", "MapScreen")),
    "NoteDialog": Factory(_of_drill("note", "NoteDialog")),
    "PinLine": Factory(_pin_line),
    "Replay": Factory(_replay, "1 of 2"),
    "SettingsScreen": Factory(_settings),
    "SubmitDialog": Factory(_of_drill("submit", "SubmitDialog")),
    "WaitDialog": Factory(_of_drill("wait", "WaitDialog")),
    "Workspace": Factory(_of_drill("workspace", "Workspace"), "A training run that stopped"),
}

WITHOUT_FACTORY = {
    "Dialog": "a base",
    "ExamShell": "a base",
    "Form": "a base",
    "ItemActs": "a base",
    "View": "a base",
    "TooSmall": "is shown in smaller windows than all others (tests/tui/widgets/test_too_small.py)",
}
"""Screens that are not shown with the others, and why."""


def screen_classes() -> dict[str, type[Screen[Any]]]:
    """Every screen that the program defines, by its name."""
    found: dict[str, type[Screen[Any]]] = {}
    for package in (tui.screens, tui.widgets):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, type) and issubclass(value, Screen) and value.__module__ == module.name:
                    found[value.__name__] = value
    return found
