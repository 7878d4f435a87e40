"""The guide of a drill: what to do next, prominently, and which steps are done.

GuidePanel stands in the column beside the terminals; GuideStrip above them, where there is no room for the column.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Static

from scenarios.guide import Guide, Step, pieces
from tui.actions import Action, Acts, action
from tui.app import breakfix
from tui.live.drill import LiveDrill
from tui.widgets.panel import Panel

Part = tuple[str, str | Style]

_MUTED = "$muted"
_KEY = "bold $accent"

_TICKED = 3
"""Steps that are done and still told by their titles."""


class _Body(Static):
    """The text; a click on the line to type comes here."""

    def action_take_line(self) -> None:
        """The line was clicked."""
        panel = self.parent
        assert isinstance(panel, GuidePanel)
        panel.take_line()


class GuidePanel(Panel):
    """The current step, its line to type, and the steps that are done. Keys and the line can be clicked.

    The workspace calls `opened` when it opens something that a step may wait for.
    """

    TITLE = "Guide"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Guide",
        """
        What to do next, step by step. Steps may be done in another order too. A line to type can be clicked: it is put
        at the prompt of the terminal, and Enter there runs it.
        """,
    )
    DEFAULT_CSS = """
    GuidePanel Static { height: auto; }
    GuidePanel { dock: top; max-height: 60%; }
    """

    class LineWanted(Message):
        """This line is to be put at the prompt."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, live: LiveDrill, id: str | None = None) -> None:
        super().__init__(live, id)
        self.guide = Guide(live.session)
        self._body = _Body()
        self._shown: object = None
        self._known: dict[str, Action] = {}

    def compose(self) -> ComposeResult:
        yield self._body

    def on_mount(self) -> None:
        """Show the first step; once more when all that has keys is on the screen."""
        super().on_mount()
        self.call_after_refresh(self.show_session)

    def opened(self, what: str) -> None:
        """A part of the program was opened."""
        self.guide.opened(what)
        self.show_session()

    def show_session(self) -> None:
        """Show the step that is next, if that has changed."""
        steps = self.guide.steps
        parts = list(self._parts(steps))
        if parts == self._shown:
            return
        self._shown = parts
        self._body.update(Content.assemble(*parts))
        self.scroll_home(animate=False)

    # What it says

    def _parts(self, steps: list[Step]) -> Iterator[Part]:
        current = next((step for step in steps if not step.done), None)
        if current is None:
            yield "All steps are done.", "bold"
        else:
            yield f"Step {current.number} of {len(steps)}: ", _KEY
            yield f"{current.title}\n", "bold"
            yield from self._text(current)
            yield from self._line(current)
        yield from self._ticked(steps)

    def _ticked(self, steps: list[Step]) -> Iterator[Part]:
        """The last steps that are done, and how many there were before."""
        tick = breakfix(self).glyphs.tick
        done = [step for step in steps if step.done]
        if len(done) > _TICKED:
            yield f"\n{tick} {len(done) - _TICKED} before", _MUTED
        for step in done[-_TICKED:]:
            yield f"\n{tick} {step.title}", _MUTED
        if done and done[-1].learned:
            yield f"\n{done[-1].learned}", _MUTED

    def _text(self, step: Step) -> Iterator[Part]:
        for piece, is_key in pieces(step.text):
            if is_key:
                yield self._key(piece), Style.parse(_KEY) + Style.from_meta({"@click": f"app.do('{piece}')"})
            else:
                yield piece, ""

    def _line(self, step: Step) -> Iterator[Part]:
        """What to type; a move has a key, and its line is for other front ends."""
        line = typed(step)
        if line:
            yield "\n  $ ", _MUTED
            yield line, Style.parse(_KEY) + Style.from_meta({"@click": "take_line"})

    def _key(self, id: str) -> str:
        """The key of an action as people read it, or its name while nothing on the screen has it."""
        known = self._known.get(id) or self._find(id)
        if known is None:
            return id.partition(".")[2].replace("_", " ")
        self._known[id] = known
        return breakfix(self).keymap.shown(known) or known.title

    def _find(self, id: str) -> Action | None:
        app, screen = breakfix(self), self.screen
        for node in (app, screen, *screen.walk_children()):
            if isinstance(node, Acts):
                for one in type(node).actions():
                    if one.id == id:
                        return one
        return None

    # Its line

    @property
    def line(self) -> str | None:
        """The line of the current step, if there is one to type."""
        step = self.guide.current
        return typed(step) if step else None

    @action("guide.take_line", "Take the line", "enter", footer=5, when="line")
    def take_line(self) -> None:
        """Put the line of this step at the terminal's prompt."""
        if self.line:
            self.post_message(self.LineWanted(self.line))


class GuideStrip(GuidePanel):
    """The current step alone, in a few rows."""

    DEFAULT_CSS = """
    GuideStrip { dock: none; background: $panel; height: auto; max-height: 7; padding: 0 1; }
    """

    def __init__(self, live: LiveDrill, id: str | None = None) -> None:
        super().__init__(live, id)
        self.can_focus = False
        self.remove_class("panel")  # there is no room for a frame

    def _ticked(self, steps: list[Step]) -> Iterator[Part]:
        yield from ()


def typed(step: Step) -> str | None:
    """The one line of a step that is typed in the terminal, if there is one."""
    lines = [line for line in step.do if not line.startswith(":")]
    return lines[0] if lines else None
