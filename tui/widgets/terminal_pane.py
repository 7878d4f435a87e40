"""A pane with a terminal in it: what was printed, the prompt, and full-screen programs, in one widget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.geometry import Size
from textual.message import Message

from tui.app import breakfix
from tui.keys import named
from tui.terminal.browsing import Wish
from tui.terminal.program import Program
from tui.terminal.rows import LEAST_COLUMNS
from tui.widgets.terminal_actions import TerminalActions

if TYPE_CHECKING:
    from engine.commands.context import Screen

_LOOKS_A_SECOND = 4
_BEFORE_LAYOUT = Size(80, 24)


class TerminalPane(TerminalActions):
    """The terminal of a seat."""

    TAKES_TEXT = True

    class PinWanted(Message):
        """Text is to be pinned."""

        def __init__(self, pane: TerminalPane, text: str) -> None:
            super().__init__()
            self.pane, self.text = pane, text

    class MenuWanted(Message):
        """A right click, at a place of the screen."""

        def __init__(self, pane: TerminalPane, x: int, y: int) -> None:
            super().__init__()
            self.pane, self.x, self.y = pane, x, y

    class MapWanted(Message):
        """A component is to be shown on the map."""

        def __init__(self, component: str) -> None:
            super().__init__()
            self.component = component

    class Ended(Message):
        """The last login was left."""

        def __init__(self, pane: TerminalPane) -> None:
            super().__init__()
            self.pane = pane

    class Entered(Message):
        """A line was entered at the prompt."""

        def __init__(self, pane: TerminalPane, text: str) -> None:
            super().__init__()
            self.pane, self.text = pane, text

    class Changed(Message):
        """A prompt shows; the host may be another one."""

        def __init__(self, pane: TerminalPane) -> None:
            super().__init__()
            self.pane = pane

    _begun = False

    def on_mount(self) -> None:
        """Take the seat."""
        self.page.kept.limit = breakfix(self).settings.scrollback
        self.seat.view = self

    def on_resize(self, event: events.Resize) -> None:
        """Wrap lines anew; the first time, show the prompt. A pane that is hidden stays as it is."""
        if not self.size:
            return
        columns, rows = self.size_in_cells
        if columns != self.page.columns:
            self._painter.forget()
        self.page.resize(columns, rows - 1 if self.browsing is not None else rows)
        if not self._begun:
            self._begun = True
            self.conversation.begin()
        elif self.seat.busy:
            self.seat.live.resize(self.seat.number, columns, rows)
        self.page_changed()

    def on_unmount(self) -> None:
        """Leave the seat: what runs is hung up."""
        if self.seat.view is self:
            self.seat.view = None
        if self.program is not None:
            self.program.close()
        self.conversation.close()

    def on_focus(self) -> None:
        """The cursor becomes a block."""
        settings = breakfix(self).settings
        self.conversation.aid(suggests=settings.suggestions, colours=settings.line_colours)
        self.conversation.set_aside(False)
        self.tail_changed()

    def on_blur(self) -> None:
        """The cursor becomes a line."""
        self.conversation.set_aside(True)
        self.tail_changed()

    # What it tells

    def prompt_changed(self) -> None:
        """A prompt shows."""
        self.offer_anew()
        self.post_message(self.Changed(self))

    def line_entered(self, text: str) -> None:
        """A line was entered."""
        self.post_message(self.Entered(self, text))

    def shell_ended(self) -> None:
        """The last login was left."""
        self.post_message(self.Ended(self))

    def want_pin(self, text: str) -> None:
        """Text is to be pinned."""
        self.post_message(self.PinWanted(self, text))

    def want_menu(self, x: int, y: int) -> None:
        """A right click."""
        self.post_message(self.MenuWanted(self, x, y))

    def want_map(self, component: str) -> None:
        """A word that means something."""
        self.post_message(self.MapWanted(component))

    # What the shell wants of a view

    @property
    def size_in_cells(self) -> tuple[int, int]:
        """Columns and rows that a program has."""
        size = self.size if self.size else _BEFORE_LAYOUT
        return max(size.width, LEAST_COLUMNS), max(size.height, 1)

    def print(self, data: bytes, is_error: bool) -> None:
        """Something was printed."""
        self.conversation.print(data)

    async def ask(self, prompt: str, hidden: bool) -> str | None:
        """A line for a running command; None at Ctrl-D."""
        self.call_later(self.offer_anew)
        return await self.conversation.ask(prompt, hidden)

    async def show(self, screen: Screen, refresh: int | None) -> int | None:
        """A full-screen program until it ends."""
        await self.conversation.drained()
        self.leave_browsing()
        self.select(None)
        simulation = self.seat.live.simulation
        program = Program(screen, refresh, lambda: simulation.now, self.refresh)
        for key in self.conversation.ahead.take_keys():
            program.press(key)
        self._put_program(program)
        timer = self.set_interval(1 / _LOOKS_A_SECOND, program.look) if refresh is not None else None
        try:
            status = await program.run()
            if program.trouble is not None:
                self.tell_trouble("The full-screen program", program.trouble)
            return status
        finally:
            if timer is not None:
                timer.stop()
            self._put_program(None)
            self.page_changed()

    def _put_program(self, program: Program | None) -> None:
        """Another thing to show; what can be done now is another too, which the layout signal tells the footer."""
        self.program = program
        self.release_row()
        self.refresh(layout=True)

    # Keys

    async def _on_key(self, event: events.Key) -> None:
        if self.press(named(event.key, event.character), event.character):
            event.stop()
            event.prevent_default()

    def press(self, key: str, character: str | None) -> bool:
        """A key; whether it was taken."""
        self.release_row()
        if self.program is not None:
            self.program.press(key)
            return True
        if self.selection is not None and key == "ctrl+c":
            self.copy()
            self.select(None)
            self.leave_browsing()
            return True
        if self.browsing is not None:
            self._browse(key)
            return True
        taken = self.conversation.press(key, character)
        if taken:
            self.select(None)
            self.go_to_end()
        return taken

    def _browse(self, key: str) -> None:
        """A key in scroll mode."""
        browsing = self.browsing
        assert browsing is not None
        marked = browsing.mark is not None
        wish = browsing.press(key)
        if marked or browsing.mark is not None:  # what the mouse selected stays
            self.selection = browsing.selection if browsing.mark is not None else None
        if wish is Wish.COPY:
            self.copy()
        elif wish is Wish.PIN and self.can_pin:
            self.pin()
        if wish is not None:
            self.leave_browsing()
        self.refresh()

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        self.insert_text(event.text)

    def run_text(self, text: str) -> None:
        """Enter a line as if it was typed."""
        self.leave_browsing()
        self.conversation.run_text(text)
