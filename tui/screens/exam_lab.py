"""The shell of an item: the lab of a hands-on one, or the cluster that an exhibit shows. Both lead back to the item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.screen import Screen

from exams.exhibits import Exhibits
from exams.item import Item
from exams.rendered import Rendered
from tui.actions import action
from tui.live.drill import LiveDrill
from tui.live.exam import Sitting
from tui.screens.workspace import Workspace

if TYPE_CHECKING:
    from tui.screens.exam import ExamScreen


class ExamShell(Workspace):
    """A workspace that leads back to what it was opened from. The session is closed when that says so."""

    CSS_PATH: ClassVar[Any] = Workspace.CSS_PATH
    ABOUT = (
        "The shell of an item",
        "You are at a terminal of the item's cluster. Home leads back to the item.",
    )

    @action("workspace.home", "Back to the item", "prefix q", footer=10)
    def go_home(self) -> None:
        """Back to the item."""
        self.live.on_change = lambda: None
        self.dismiss(None)


class ExamCluster(ExamShell):
    """The cluster of an exhibit, to look around."""

    def go_home(self) -> None:
        """Back to the item; nothing of this is kept."""
        self.leaving()
        self.dismiss(None)


class ExamLab(ExamShell):
    """A hands-on item: handed in, it is worth its goals. Nothing about it is told before the exam is over."""

    def __init__(self, live: LiveDrill, exam: ExamScreen) -> None:
        super().__init__(live)
        self.exam, self.number = exam, exam.sitting.number

    def leaving(self) -> None:
        """The exam closes the session."""
        self.live.on_change = lambda: None

    async def _debrief(self) -> None:
        share = await lab_share(self.drill)
        self.leaving()
        self.dismiss(None)
        await self.exam.lab_done(self.number, share)


async def lab_share(lab: LiveDrill) -> str:
    """Hand a lab in; the share of its goals that hold."""
    from exams.answers import answer_data
    from exams.hands_on import worked

    return str(answer_data(worked(lab.session.scenario, await lab.submit())))


async def open_lab(exam: ExamScreen) -> None:
    """Open the lab of the item in view, or go back to it. Raises BreakfixError."""
    number, item = exam.sitting.number, exam.sitting.item
    if number not in exam.labs:
        exam.labs[number] = await _lab(item)
    await exam.app.push_screen(ExamLab(exam.labs[number], exam))


async def _lab(item: Rendered) -> LiveDrill:
    """The lab of an item: where it was left when the program ended, or from its beginning."""
    from tui.drills import scenario_named
    from tui.live import drill
    from tui.store import saved_sessions

    scenario = scenario_named(item.scenario)
    for one in saved_sessions("drill"):
        if (one.header.get("scenario"), one.header.get("seed")) == (scenario.id, item.seed):
            return await drill.resume(one)
    return await drill.begin(scenario, item.scenario, item.seed)


async def open_cluster(screen: Screen[None], sitting: Sitting, item: Rendered) -> None:
    """Open the cluster of the item in view. Raises BreakfixError."""
    await show_cluster(screen, sitting.exhibits, sitting.course.item(item.item), item.seed)


async def show_cluster(screen: Screen[None], exhibits: Exhibits, item: Item, seed: int) -> None:
    """Open the cluster of an item's exhibit at a seed. Raises BreakfixError."""
    from tui.live.exhibit import open_exhibit

    await screen.app.push_screen(ExamCluster(await open_exhibit(exhibits, item, seed)))
