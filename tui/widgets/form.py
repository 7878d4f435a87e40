"""A dialog with fields: it says what is wrong inside, loses nothing, and has its buttons at the end."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Button, Input, Static, TextArea

from engine.kernel.errors import BreakfixError
from tui.actions import action
from tui.live.drill import LiveDrill
from tui.widgets.dialog import Dialog
from tui.widgets.finder import Finder

Result = TypeVar("Result")


class Form(Dialog[Result]):
    """A dialog about the drill `live`. `fields` yields what is to be filled in; `BUTTONS` are ids and titles.

    The button "back" closes it; for the others a subclass has `pressed`.
    """

    DEFAULT_CSS = """
    Form #wrong { color: $state-down; height: auto; display: none; }
    Form #wrong.told { display: block; }
    Form #buttons { height: 1; margin: 1 0 0 0; }
    """
    BUTTONS: ClassVar[tuple[tuple[str, str], ...]] = (("back", "Back"),)

    def __init__(self, live: LiveDrill) -> None:
        super().__init__()
        self.live = live

    def content(self) -> ComposeResult:
        yield from self.fields()
        yield Static(id="wrong", markup=False)
        with Horizontal(id="buttons"):
            for id, title in self.BUTTONS:
                yield Button(title, id=id, compact=True)

    def fields(self) -> ComposeResult:
        """What is to be filled in."""
        yield from ()

    def complain(self, text: str) -> None:
        """Say what is wrong; empty for nothing."""
        told = self.query_one("#wrong", Static)
        told.update(text)
        told.set_class(bool(text), "told")

    async def make(self, move: str) -> str | None:
        """Make a move. Returns what came of it; None if it cannot be made, which the dialog then says."""
        try:
            return await self.live.move(move)
        except BreakfixError as error:
            self.complain(str(error))
            return None

    @on(Finder.Changed)
    def _changed(self) -> None:
        self.complain("")

    @on(Finder.Missed)
    def _missed(self, event: Finder.Missed) -> None:
        self.complain(f'Nothing here fits "{event.finder.value}". A piece of a name is enough.')

    def on_key(self, event: events.Key) -> None:
        """What is typed while the dialog is being opened goes to its first field."""
        if event.character and event.is_printable and isinstance(self.focused, (Input, TextArea)):
            event.stop()
            self.focused.post_message(events.Paste(event.character))

    @on(Button.Pressed)
    async def _button(self, event: Button.Pressed) -> None:
        event.stop()
        await self._do(event.button)

    async def _do(self, button: Button) -> None:
        """What a button says; nothing once the dialog is closed, however often it was pressed."""
        if not self.is_current or button.disabled:
            return
        if button.id == "back":
            self.close_dialog()
        else:
            await self.pressed(button.id or "")

    async def pressed(self, button: str) -> None:
        """Do what a button says."""

    @property
    def on_button(self) -> bool:
        """Whether a button has the focus."""
        return isinstance(self.focused, Button)

    @action("form.press", "Press the button", "enter", footer=10, when="on_button")
    async def press(self) -> None:
        """Press the button that has the focus."""
        if isinstance(self.focused, Button):
            await self._do(self.focused)

    @action("form.next", "Next field", "tab", footer=20)
    def next_field(self) -> None:
        """Go to the next field or button."""
        self.focus_next()

    @action("form.page_down", "Page down", "pagedown")
    def page_down(self) -> None:
        """Scroll down in the dialog."""
        self.query_one(".dialog", VerticalScroll).scroll_page_down(animate=False)

    @action("form.page_up", "Page up", "pageup")
    def page_up(self) -> None:
        """Scroll up in the dialog."""
        self.query_one(".dialog", VerticalScroll).scroll_page_up(animate=False)
