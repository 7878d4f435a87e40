"""How sure an answer is: asked in study before it is marked."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Button, Static

from exams.attempt import Confidence
from tui.actions import Acts, action

_LEVELS: dict[str, tuple[str, Confidence | None]] = {
    "sure": ("s Sure", "sure"),
    "unsure": ("u Unsure", "unsure"),
    "guess": ("g Guess", "guess"),
    "unsaid": ("Enter Don't say", None),
}


class SureStrip(Horizontal, Acts, can_focus=True):
    """The question, with a button for each answer. It is there only while it is asked."""

    DEFAULT_CSS = """
    SureStrip { height: 1; dock: bottom; margin: 0 0 1 0; padding: 0 1; background: $panel; display: none; }
    SureStrip.asking { display: block; }
    SureStrip Static { width: auto; margin: 0 2 0 0; text-style: bold; }
    """

    class Said(Message):
        """How sure; None: not said."""

        def __init__(self, level: Confidence | None) -> None:
            super().__init__()
            self.level = level

    class Withdrawn(Message):
        """Back to the answer."""

    def compose(self) -> ComposeResult:
        """The question and its answers."""
        yield Static("How sure are you?", markup=False)
        for id, (title, _) in _LEVELS.items():
            button = Button(title, id=id, compact=True)
            button.can_focus = False
            yield button

    def ask(self, asking: bool) -> None:
        """Ask, or don't any more."""
        self.set_class(asking, "asking")
        if asking:
            self.focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """The same by mouse."""
        event.stop()
        self.post_message(self.Said(_LEVELS[event.button.id or "unsaid"][1]))

    @action("sure.sure", "Sure", "s", footer=1)
    def sure(self) -> None:
        """I know it."""
        self.post_message(self.Said("sure"))

    @action("sure.unsure", "Unsure", "u", footer=2)
    def unsure(self) -> None:
        """I think so."""
        self.post_message(self.Said("unsure"))

    @action("sure.guess", "Guess", "g", footer=3)
    def guess(self) -> None:
        """I don't know."""
        self.post_message(self.Said("guess"))

    @action("sure.unsaid", "Don't say", "enter", footer=4)
    def unsaid(self) -> None:
        """Mark it without."""
        self.post_message(self.Said(None))

    @action("sure.back", "Back to the answer", "escape", footer=5)
    def back(self) -> None:
        """Think again; the answer can still be changed."""
        self.post_message(self.Withdrawn())
