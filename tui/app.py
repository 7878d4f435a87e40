"""The full-screen program: its screens, its look, and the way from a key to an action.

Keys are looked up here and nowhere else: first as a sequence of the innermost node with an action for it (see
`tui/actions.py`), and only then are they the focused widget's. A widget that takes text (`TAKES_TEXT`) is not asked to
give up keys that type something.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import traceback
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.binding import BindingType
from textual.dom import DOMNode
from textual.reactive import reactive
from textual.widget import Widget

from engine.kernel.errors import BreakfixError
from tui.actions import Acts, Offer, action, offers
from tui.alt_keys import teach_alt_keys
from tui.keymap import DEFAULT_PREFIX, Keymap, load_keymap
from tui.keys import PREFIX, named
from tui.look.dressed import Dressed
from tui.look.glyphs import ASCII, UNICODE, Glyphs, shows_unicode
from tui.opens import Opens
from tui.paths import keymap_file
from tui.settings import Settings, load_settings, save_settings

if TYPE_CHECKING:
    from textual.screen import Screen

LEAST_COLUMNS, LEAST_ROWS = 80, 24

_MIDDLE = 2


@dataclass(frozen=True)
class Crash:
    """What ended the program: the report's text, and where it was written."""

    error: str
    report: str


Start = Callable[["Breakfix"], Coroutine[Any, Any, None]]


class Breakfix(Opens, Dressed, Acts):
    """The program. `start(program)` is carried out when home is there: open a drill, say what went wrong before."""

    TITLE = "breakfix"
    CSS_PATH: ClassVar[Any] = Path(__file__).parent / "look" / "breakfix.tcss"
    ENABLE_COMMAND_PALETTE = False
    ESCAPE_TO_MINIMIZE = False
    BINDINGS: ClassVar[list[BindingType]] = []

    prefixed: reactive[bool] = reactive(False)
    """Whether the prefix key was pressed and the next key completes a sequence."""

    def __init__(self, start: Start | None = None, settings: Settings | None = None) -> None:
        super().__init__()
        teach_alt_keys()
        self._bindings.key_to_bindings.clear()  # Textual's own Ctrl-Q and Ctrl-C mean other things here
        self.settings, self.complaints = (settings, []) if settings else load_settings()
        self.keymap: Keymap
        self.keymap, wrong = load_keymap(keymap_file())
        self.complaints += wrong
        if self.keymap.prefix == DEFAULT_PREFIX:
            self.keymap.prefix = self.settings.prefix
        self.crash: Crash | None = None
        self.passed: bool | None = None
        self._start = start
        self.starting = start is not None
        """Whether something is being opened over home."""

    @property
    def glyphs(self) -> Glyphs:
        """The signs to draw with."""
        if self.settings.glyphs == "auto":
            return UNICODE if shows_unicode(os.environ) else ASCII
        return ASCII if self.settings.glyphs == "ascii" else UNICODE

    def on_mount(self) -> None:
        """Open the first screen."""
        from tui.screens.home import Home
        from tui.widgets.too_small import look_at_size

        self._dress()
        self._leave_on_signals()
        self.push_screen(Home())
        look_at_size(self, self.size)
        if self._start is not None:
            self.carry_out("breakfix", self._open_first(self._start))
        for text in self.complaints:
            self.notify(text, severity="warning", timeout=10)

    async def _open_first(self, start: Start) -> None:
        """Open what was asked for; home reads its lists only where it is seen, for they are long."""
        from tui.screens.home import Home

        try:
            await start(self)
        finally:
            self.starting = False
            if isinstance(self.screen, Home):
                self.screen.read()

    def _leave_on_signals(self) -> None:
        """Asked to end, it leaves the terminal as it was."""
        if self.is_headless:
            return
        for name in ("SIGTERM", "SIGHUP"):
            with suppress(AttributeError, NotImplementedError, RuntimeError, ValueError):
                asyncio.get_running_loop().add_signal_handler(getattr(signal, name), self.leave)

    def on_resize(self, event: events.Resize) -> None:
        """A window that is too small says so."""
        from tui.widgets.too_small import look_at_size

        look_at_size(self, event.size)

    def _dress(self) -> None:
        self.keymap.manner = self.settings.keys
        self.dress(self.settings.theme, ascii_only=self.glyphs is ASCII)

    def change_settings(self, **changes: Any) -> None:
        """Set some of the settings, at once and for the next time."""
        self.settings = self.settings.model_copy(update=changes)
        self._dress()
        if wrong := save_settings(self.settings):
            self.notify(wrong, severity="warning")

    @property
    def under_exam_rules(self) -> bool:
        """Whether an exam is being sat, here or below what is shown: then nothing is looked up and nothing kept."""
        sittings = [getattr(screen, "sitting", None) for screen in self.screen_stack]
        return any(one is not None and one.is_exam and not one.over for one in sittings)

    # From a key to an action

    def focus_chain(self, screen: Screen[Any] | None = None) -> list[DOMNode]:
        """From what has the focus in a screen (the topmost one) outwards, and then the program."""
        screen = screen or self.screen
        start: DOMNode = screen.focused or screen
        chain = [node for node in start.ancestors_with_self if node is not self]
        if screen not in chain:
            chain.append(screen)
        return [*chain, *getattr(screen, "companions", ()), self]

    def offers(self) -> list[Offer]:
        """What can be done now, the innermost first."""
        modal = self.screen.is_modal
        return [
            one for one in offers(self.focus_chain()) if not (modal and one.node is self and not one.action.everywhere)
        ]

    def offers_below_dialog(self, screen: Screen[Any]) -> list[Offer]:
        """What can be done in a screen that a dialog covers."""
        return offers(self.focus_chain(screen))

    async def on_event(self, event: events.Event) -> None:
        """Keys that begin or complete a sequence of an action go no further."""
        if isinstance(event, events.Key) and not event.is_forwarded and await self._pressed(event):
            return
        await super().on_event(event)

    async def _pressed(self, event: events.Key) -> bool:
        key = named(event.key, event.character)
        if self.prefixed:
            self.prefixed = False
            if key == self.keymap.prefix:
                return False  # twice: the key itself, for what has the focus
            found = self.keymap.find(f"{PREFIX} {key}", self.offers())
            if found is not None:
                await self.do(found, key)
            elif key != "escape":
                self.notify(f"There is no {self.keymap.shown_sequence(f'{PREFIX} {key}')} here.", timeout=3)
            return True
        if key == self.keymap.prefix:
            self.prefixed = True
            return True
        if event.is_printable and self._types(key):
            return False
        found = self.keymap.find(key, self.offers())
        if found is None:
            return False
        await self.do(found, key)
        return True

    def _types(self, key: str) -> bool:
        """Whether the focused widget takes a character as text."""
        focused = self.screen.focused
        return focused is not None and (
            getattr(focused, "TAKES_TEXT", False) or focused.check_consume_key(key, key if len(key) == 1 else None)
        )

    async def do(self, offer: Offer, key: str = "") -> None:
        """Do an action; what goes wrong in it is told, and the program goes on."""
        try:
            result = offer.do(key)
            if inspect.isawaitable(result):
                await result
        except Exception as error:
            self.tell_trouble(offer.action.title, error)

    def carry_out(self, what: str, work: Coroutine[Any, Any, None]) -> None:
        """Do something that takes a while beside the screen; what goes wrong is told."""

        async def guarded() -> None:
            try:
                await work
            except BreakfixError as error:
                self.notify(str(error), title=what, severity="error", timeout=15, markup=False)
            except Exception as error:
                self.tell_trouble(what, error)

        self.run_worker(guarded(), exit_on_error=False)

    async def action_do(self, id: str) -> None:
        """Do the action of this id, if it can be done now (for clicks on `[@click=app.do('drill.pin')]`)."""
        await self.do_by_id(id)

    async def do_by_id(self, id: str) -> bool:
        """Do the action of this id, if it can be done now."""
        for one in self.offers():
            if one.action.id == id and one.enabled:
                await self.do(one)
                return True
        return False

    def notify(self, message: str, *, markup: bool = False, **options: Any) -> None:
        """Say something in a corner for a while. What it says may hold names and paths: it is no markup."""
        super().notify(message, markup=markup, **options)

    # Trouble

    def tell_trouble(self, what: str, error: Exception) -> None:
        """Say that something went wrong in the program itself, keep a report, and go on."""
        from tui.reports import write_report

        report = write_report("".join(traceback.format_exception(error)))
        self.notify(
            f"{what}: something went wrong in breakfix ({type(error).__name__}: {error}). Nothing is lost; go on."
            + (f" A report is in {report}." if report else ""),
            severity="error",
            timeout=15,
            markup=False,
        )

    def _handle_exception(self, error: Exception) -> None:
        """An exception that nobody caught ends the program's screen; whoever runs it opens the crash screen."""
        if self.is_headless:
            super()._handle_exception(error)
            return
        from tui.reports import write_report

        text = "".join(traceback.format_exception(error))
        self.crash = Crash(f"{type(error).__name__}: {error}", str(write_report(text) or ""))
        with suppress(Exception):
            self.exit(return_code=1)

    # Actions of the whole program

    @action("app.help", "Help", "f1", "prefix ?", footer=46, everywhere=True)
    def show_help(self) -> None:
        """What can be done here, and with which keys."""
        from tui.screens.help import Help

        if not isinstance(self.screen, Help):
            if (opened := getattr(self.screen, "opened", None)) is not None:
                opened("help")
            self.push_screen(Help(self.offers(), self.help_texts()))

    @action("app.palette", "Menu", "prefix space", "prefix :", footer=95)
    def show_palette(self) -> None:
        """Everything that can be done here, to search and choose from."""
        from textual.command import CommandPalette

        from tui.screens.palette import Everything

        self.push_screen(CommandPalette(providers=[Everything], placeholder="What do you want to do?"))

    @property
    def may_look_up(self) -> bool:
        """Whether words may be looked up."""
        return not self.under_exam_rules

    @action("app.glossary", "Glossary", "prefix I", when="may_look_up")
    def show_glossary(self) -> None:
        """What the words of the field mean; a word that is marked is looked up at once."""
        from tui.glossary import fitting
        from tui.screens.glossary import Glossary

        marked = getattr(self.screen.focused, "selected_text", lambda: None)() or self.screen.get_selected_text() or ""
        word = " ".join(marked.split())
        self.push_screen(Glossary(word if word and fitting(word) else ""))

    @action("app.settings", "Settings", "prefix S")
    def show_settings(self) -> None:
        """Theme, signs, keys and the rest."""
        from tui.screens.settings import SettingsScreen

        self.push_screen(SettingsScreen())

    @action("app.quit", "Quit", "prefix Q")
    def leave(self) -> None:
        """Leave breakfix. A session that is open is kept and can be taken up again."""
        for screen in self.screen_stack:
            leaving = getattr(screen, "leaving", None)
            if leaving is not None:
                leaving()
        self.exit()

    @property
    def has_selected_text(self) -> bool:
        """Whether text was marked with the mouse, outside the terminals."""
        return bool(self.screen.selections) and bool(self.screen.get_selected_text())

    @action("app.copy", "Copy", "ctrl+c", "prefix y", footer=1, when="has_selected_text", everywhere=True)
    def copy_selected(self) -> None:
        """Copy the text that is marked."""
        self.copy_to_clipboard(self.screen.get_selected_text() or "")
        self.screen.clear_selection()
        self.notify("Copied.", timeout=2)

    def on_click(self, event: events.Click) -> None:
        """The middle button puts what was copied into a field, as terminals do."""
        from textual.widgets import Input, TextArea

        if event.button == _MIDDLE and self.clipboard:
            if isinstance(event.widget, Input):
                event.widget.insert_text_at_cursor(" ".join(self.clipboard.split()))
            elif isinstance(event.widget, TextArea):
                event.widget.insert(self.clipboard)

    def help_texts(self) -> list[tuple[str, str]]:
        """Title and text of what has the focus and of what it stands in, the innermost first."""
        return [
            (node.ABOUT[0], inspect.cleandoc(node.ABOUT[1]))
            for node in self.focus_chain()
            if isinstance(node, Acts) and node.ABOUT is not None
        ]

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[Any]:
        """None of Textual's own."""
        return ()


def breakfix(node: Widget | DOMNode) -> Breakfix:
    """The program that a node belongs to."""
    app = node.app
    assert isinstance(app, Breakfix)
    return app
