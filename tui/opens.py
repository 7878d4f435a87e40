"""Opening drills, sandboxes and exams in the full-screen program, and going home. What each needs is imported when it
is opened: the first screen waits for none of it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from textual.app import App

if TYPE_CHECKING:
    from exams.paper import Terms
    from tui.live.exam import Sitting, Wish
    from tui.live.live import Live
    from tui.opening import Opening
    from tui.store import Saved


class Opens(App[Any]):
    """A program that holds at most one session."""

    _live: Live | Sitting | None = None

    def go_home(self) -> None:
        """Close whatever is open, and show home."""
        from tui.screens.home import Home

        for screen in self.screen_stack:
            if (leaving := getattr(screen, "leaving", None)) is not None:
                leaving()
        while len(self.screen_stack) > 1:
            self.pop_screen()
        self.push_screen(Home())

    async def open_drill(self, name: str, seed: int | None = None) -> None:
        """Begin a drill. Raises BreakfixError."""
        from tui.drills import scenario_named, seed_of
        from tui.live import drill

        scenario = await asyncio.to_thread(scenario_named, name)  # one that nobody wrote takes seconds
        await self._enter(await drill.begin(scenario, name, seed_of(name, scenario, seed)))

    async def open_sandbox(self, opening: Opening) -> None:
        """Open a sandbox. Raises BreakfixError."""
        from tui.live import sandbox

        await self._enter(await sandbox.begin(opening))

    async def open_saved(self, found: Saved) -> None:
        """Take up a saved session. Raises BreakfixError."""
        from tui.live import drill, sandbox

        if found.header.get("kind") in ("exam", "study"):
            from tui.live import exam

            await self.open_sitting(await exam.resume(found))
            return
        await self._enter(await (drill if found.header.get("kind") == "drill" else sandbox).resume(found))

    async def open_exam_menu(self, source: str) -> None:
        """Show what can be done with an exam: take it, study, review. Raises BreakfixError."""
        from tui.screens.exam_menu import ExamMenu

        await self.push_screen(ExamMenu(source))

    async def open_exam(self, source: str, seed: int | None = None, terms: Terms | None = None) -> None:
        """Begin an exam; without a seed with a new one. Raises BreakfixError."""
        from tui.live import exam

        await self.open_sitting(await exam.begin_exam(source, seed, terms))

    async def open_study(self, source: str, seed: int | None = None, wish: Wish | None = None) -> None:
        """Begin to study; without a seed with a new one. Raises BreakfixError."""
        from tui.live import exam

        await self.open_sitting(await exam.begin_study(source, seed, wish))

    async def open_review(self, source: str) -> None:
        """Begin today's review. Raises BreakfixError where nothing is due."""
        from tui.live.exam import Wish

        await self.open_study(source, wish=Wish("due"))

    async def open_sitting(self, sitting: Sitting) -> None:
        """Go to an exam or a study session."""
        from tui.screens.exam import ExamScreen

        self._live = sitting
        await self.push_screen(ExamScreen(sitting))

    async def _enter(self, live: Live) -> None:
        from tui.screens.workspace import Workspace

        self._live = live
        await self.push_screen(Workspace(live))

    def let_go(self) -> None:
        """After a crash: give the journal free, so that the session can be taken up again."""
        if self._live is not None:
            self._live.journal.close()
