"""The workspace: the terminals of a session in tabs and splits, the drill's panels beside them, and the learner's
moves.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal

from tui.actions import action
from tui.app import breakfix
from tui.live.drill import LiveDrill
from tui.live.live import Live
from tui.widgets.footer import Footer
from tui.widgets.guide_panel import GuidePanel, GuideStrip
from tui.widgets.panel import Panel
from tui.widgets.terminal_pane import TerminalPane
from tui.workspace.moves import Moves
from tui.workspace.tab_bar import TabBar
from tui.workspace.terminals import Terminals
from tui.workspace.top_line import TopLine

_CLOCK_SECONDS = 0.5
# The side column stands beside the terminals from this width on; below it lies over them when it is called.
WIDE_COLUMNS = 110


class Workspace(Moves):
    """A session under way."""

    CSS_PATH: ClassVar[Any] = "workspace.tcss"
    AUTO_FOCUS = ""
    ABOUT = (
        "Workspace",
        """
        You are at the terminal of a (simulated) cluster. What you type goes to its shell; the function keys, and the
        prefix key followed by another, do the rest. Everything in the last and the first line can be clicked.
        """,
    )

    def __init__(self, live: Live) -> None:
        super().__init__(live)
        self._side_called = False
        self._told_unsaved = False

    # What it is made of

    def compose(self) -> ComposeResult:
        yield TopLine(self.live)
        yield TabBar()
        if self.guided:
            yield GuideStrip(self.drill)
        with Horizontal():
            if isinstance(self.live, LiveDrill):
                from tui.workspace.side import Side

                yield Side(self.live)
            yield Terminals(self.live)
        yield Footer()

    async def on_mount(self) -> None:
        """Open the terminals that the session has, or its first one."""
        self.live.on_change = self._changed
        self._arrange_side()
        await self.area.begin()
        if self.has_side and not self.guided and not self.has_class("wide") and not self.live.play.past:
            self.show_side()  # whoever comes new reads first what it is about
        breakfix(self).carry_out("The clock", self._keep_clock())

    @property
    def area(self) -> Terminals:
        """The terminals."""
        return self.query_one(Terminals)

    @property
    def companions(self) -> list[Terminals]:
        """What can be done with the terminals can be done from anywhere on this screen."""
        return list(self.query(Terminals))

    @property
    def can_play(self) -> bool:
        """Whether the session goes on."""
        return not self.live.over

    @property
    def guided(self) -> bool:
        """Whether the drill tells what to do, step by step."""
        return isinstance(self.live, LiveDrill) and bool(self.live.session.scenario.guide)

    @property
    def has_side(self) -> bool:
        """Whether there is a column beside the terminals."""
        return isinstance(self.live, LiveDrill)

    def leaving(self) -> None:
        """The program ends, or another screen takes over: close the session; its journal stays."""
        self.live.on_change = lambda: None
        self.live.close()

    async def _keep_clock(self) -> None:
        while self.is_attached:
            await asyncio.sleep(_CLOCK_SECONDS)
            await self.live.keep_time()
            if self.is_attached:
                self.query_one(TopLine).show_session()
                self.query_one(Footer).look_again()
                self._tell_unsaved()

    def _tell_unsaved(self) -> None:
        """Say once that the disk does not take the journal."""
        if self.live.journal.broken and not self._told_unsaved:
            self._told_unsaved = True
            self.notify(self.live.journal.broken, severity="warning", timeout=15)

    def _changed(self) -> None:
        """Something in the session has changed."""
        if self.is_attached:
            self.call_later(self.show_session)

    def show_session(self) -> None:
        """Show the session as it is now."""
        self.query_one(TopLine).show_session()
        for panel in self.query(Panel):
            panel.show_session()
        self.query_one(Footer).look_again()
        self._show_tabs()

    # The side column

    def on_resize(self, event: events.Resize) -> None:
        """Beside the terminals where there is room."""
        self._arrange_side()

    def _arrange_side(self) -> None:
        wide = self.app.size.width >= WIDE_COLUMNS
        self.set_class(wide, "wide")
        self.set_class(not wide and self._side_called, "side-called")

    def leave_side(self) -> None:
        """Back to the terminal; a column that lies over it goes away."""
        self._side_called = False
        self._arrange_side()
        self.back_to_terminal()

    def back_to_terminal(self) -> None:
        """Give the focus to the terminal."""
        if self.area.pane is not None:
            self.set_focus(self.area.pane)

    @action("workspace.side", "Briefing", "f3", "prefix b", footer=20, when="has_side")
    def show_side(self) -> None:
        """Read the briefing and what else stands beside the terminals; once more goes back."""
        side = self.query_one("#side")
        if side.has_focus_within or (self._side_called and not self.has_class("wide")):
            self.leave_side()
            return
        self._side_called = True
        self._arrange_side()
        side.query("BriefingPanel").first().focus()

    # Tabs and panes

    def _show_tabs(self) -> None:
        self.query_one(TabBar).show(self.area.titles(), self.area.index)

    def on_pane_area_tabs_changed(self) -> None:
        """The bar shows what there is, and the journal keeps it."""
        self._show_tabs()
        self.live.keep_layout(self.area.layout_data())
        self.query_one(Footer).look_again()

    def on_terminal_pane_changed(self) -> None:
        """A prompt on another host, perhaps."""
        self._show_tabs()

    def on_terminal_pane_ended(self, message: TerminalPane.Ended) -> None:
        """Somebody typed `exit` in the first login."""
        breakfix(self).carry_out("Close", self.area.leave(message.pane))

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A click into a pane chooses it; one that has lost the focus again since then is not chosen."""
        if isinstance(event.widget, TerminalPane) and event.widget is self.focused:
            self.area.choose(event.widget)

    def on_tab_bar_chosen(self, message: TabBar.Chosen) -> None:
        """A click on a tab."""
        self.area.show_tab(message.index)

    def on_tab_bar_close_wanted(self, message: TabBar.CloseWanted) -> None:
        """A click on a tab with the middle button."""
        self.area.show_tab(message.index)
        self.area.close_pane()

    async def on_tab_bar_new_wanted(self) -> None:
        """A click on `+`."""
        await self.area.new_tab()

    @property
    def has_views(self) -> bool:
        """Whether what was seen is kept in pictures: in an exam everybody keeps it in mind."""
        return not breakfix(self).under_exam_rules

    @action("workspace.map", "Map", "f2", "prefix m", footer=30, when="has_views")
    def show_map(self) -> None:
        """The nodes, as far as you have looked at them."""
        self.show_view("map", self.area.pane.seat.title if self.area.pane else None)

    def on_terminal_pane_map_wanted(self, message: TerminalPane.MapWanted) -> None:
        """A name in a terminal was clicked."""
        if breakfix(self).screen is self and self.has_views:
            self.show_view("map", message.component)

    def show_view(self, name: str, at: str | None = None) -> None:
        """A view of what was seen, and from it the next one."""
        from tui.screens.view import Turn, view

        async def ended(answer: str | Turn) -> None:
            if isinstance(answer, Turn):
                self.show_view(answer.view, answer.at)
            else:
                await self.area.open(self.area.open_tab, answer)

        self.ask(view(name, self.live, at), "Views", ended)
        self.opened(name)

    @action("workspace.racks", "Racks", "prefix R", when="has_views")
    def show_racks(self) -> None:
        """The racks with what stands in them, as far as you have looked."""
        self.show_view("racks")

    @action("workspace.fabric", "Fabric", "prefix F", when="has_views")
    def show_fabric(self) -> None:
        """The switches tier by tier, with their rails and cables, as far as you have looked."""
        self.show_view("fabric")

    @action("workspace.queue", "Queue", "prefix J", when="has_views")
    def show_queue(self) -> None:
        """The jobs that squeue and scontrol have shown you."""
        self.show_view("queue")

    @action("workspace.alerts", "Alerts", "prefix A", when="has_views")
    def show_alerts(self) -> None:
        """Everything that looked wrong when you last saw it, the worst first."""
        self.show_view("alerts")

    @action("workspace.charts", "Charts", "prefix G", when="has_views")
    def show_charts(self) -> None:
        """The numbers that you have read, over time: temperatures, power, clocks, fans."""
        self.show_view("charts")

    def opened(self, what: str) -> None:
        """Tell a guide that part of the program was opened."""
        for panel in self.query(GuidePanel):
            panel.opened(what)

    def type_in_terminal(self, text: str) -> None:
        """What was typed beside the terminal goes to its prompt."""
        self.leave_side()
        if self.area.pane is not None:
            self.area.pane.insert_text(text)

    def on_guide_panel_line_wanted(self, message: GuidePanel.LineWanted) -> None:
        """A click on the line that the guide gives."""
        self.leave_side()
        if self.area.pane is not None:
            self.area.pane.put_text(message.text)

    @action("workspace.commands", "Commands", "f8", "prefix i", footer=48, when="can_play")
    def show_commands(self) -> None:
        """Which commands there are, with lines to begin with: one is put at the prompt, or run."""
        from tui.screens.commands_menu import CommandsMenu

        pane = self.area.pane
        if pane is None:
            return

        async def chosen(answer: tuple[str, bool]) -> None:
            text, run = answer
            if run:
                pane.run_text(text)
            else:
                pane.put_text(text)

        self.ask(CommandsMenu(self.live, pane.seat), "Commands", chosen)
        self.opened("commands")

    @action("workspace.time", "Time", "f7", "prefix t", footer=65, when="can_play")
    def show_time(self) -> None:
        """Let time pass, change the speed, or stop the clock."""
        from tui.screens.wait import WaitDialog

        self.ask(WaitDialog(self.live), "Time", self.told)
        self.opened("time")

    def on_terminal_pane_menu_wanted(self, message: TerminalPane.MenuWanted) -> None:
        """A right click in a terminal."""
        from tui.screens.context_menu import ContextMenu

        app = breakfix(self)
        if app.screen is not self:
            return
        chosen = [one for one in app.offers() if one.enabled and one.action.id in _MENU]
        titles = {"terminal.on_map": f"Show {message.pane.component_meant} on the map"}
        items = [
            (one.action.id, titles.get(one.action.id, one.action.title))
            for one in sorted(chosen, key=lambda one: _MENU.index(one.action.id))
        ]

        async def done(id: str) -> None:
            await app.do_by_id(id)

        self.ask(ContextMenu(items, message.x, message.y), "Menu", done)

    @action("workspace.home", "Home", "prefix q", footer=85)
    def go_home(self) -> None:
        """Leave this. It is kept, unless nothing was done, and can be taken up again from home."""
        if self.is_over:
            self.drill.forget()
        breakfix(self).go_home()


_MENU = (
    "terminal.leave_program", "terminal.enter", "terminal.stop", "terminal.clear_line", "terminal.on_map",
    "terminal.copy", "terminal.paste", "terminal.pin", "terminal.find", "terminal.save", "terminal.clear",
    "workspace.split_right", "workspace.split_down", "workspace.zoom", "workspace.close_pane",
)  # fmt: skip
"""What a right click in a terminal offers, in this order."""
