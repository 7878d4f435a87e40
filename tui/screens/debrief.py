"""The debrief: the score with its reasons, what was wrong, and what could be learned from it."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import Screen

from engine.kernel.errors import BreakfixError
from scenarios.debrief import page
from scenarios.result import Result
from tui.actions import Acts, action
from tui.app import breakfix
from tui.live.drill import LiveDrill
from tui.paths import transcripts_folder
from tui.widgets.debrief_sections import LEFT, RIGHT, Debriefing, head, section_rows
from tui.widgets.footer import Footer
from tui.widgets.rows import Rows

_WIDE = 120


class Debrief(Screen[str | None], Acts):
    """The result of a drill that was handed in. Its own result is "again" (another seed), "home", or None: look at the
    terminals again.
    """

    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Debrief",
        """
        What was wrong, what you earned and why, what there was to see, and what to take along. The arrow keys scroll,
        `n` and `p` go from section to section.
        """,
    )
    CSS: ClassVar[str] = """
    Debrief #head { dock: top; height: auto; padding: 0 1; background: $panel; }
    Debrief #columns { height: 1fr; padding: 1 1 0 1; }
    Debrief .column { height: auto; overflow: hidden; }
    Debrief.wide #columns { layout: horizontal; overflow: hidden; }
    Debrief.wide .column { width: 1fr; height: 1fr; overflow: hidden auto; padding: 0 1 0 0; }
    Debrief.wide #right { padding: 0 0 0 1; border-left: vkey $frame; }
    Debrief.wide.ascii #right { border-left: ascii $frame; }
    """

    def __init__(self, live: LiveDrill, result: Result) -> None:
        super().__init__()
        self.live, self.result = live, result
        self._section = 0

    def compose(self) -> ComposeResult:
        told = Debriefing(self.live, self.result, breakfix(self).glyphs)
        yield Rows(list(head(told)), id="head")
        with VerticalScroll(id="columns"):
            for id, sections in (("left", LEFT), ("right", RIGHT)):
                with VerticalScroll(id=id, classes="column"):
                    for name, section in sections:
                        if rows := section_rows(name, section, told):
                            yield Rows(rows, classes="section")
        yield Footer()

    def on_resize(self, event: events.Resize) -> None:
        """Two columns where there is room."""
        wide = event.size.width >= _WIDE
        self.set_class(wide, "wide")
        self.set_class(self.app.has_class("ascii"), "ascii")
        self.query_one("#columns").can_focus = not wide
        for column in self.query(".column"):
            column.can_focus = wide
        if self.focused is None or not self.focused.can_focus:
            self.query_one("#left" if wide else "#columns").focus()

    @property
    def _scroller(self) -> VerticalScroll:
        """What scrolls the section that is looked at."""
        section = list(self.query(".section"))[self._section]
        column = section.parent if self.has_class("wide") else self.query_one("#columns")
        assert isinstance(column, VerticalScroll)
        return column

    @action("debrief.next", "Next section", "n", footer=10)
    def next_section(self) -> None:
        """Go to the next section."""
        self._go(1)

    @action("debrief.previous", "Previous section", "p", footer=40)
    def previous_section(self) -> None:
        """Go to the section before."""
        self._go(-1)

    def _go(self, by: int) -> None:
        sections = list(self.query(".section"))
        self._section = min(max(self._section + by, 0), len(sections) - 1)
        self._scroller.focus(scroll_visible=False)
        self._scroller.scroll_to_widget(sections[self._section], animate=False, top=True)

    @action("debrief.replay", "Replay", "r", footer=15)
    def replay(self) -> None:
        """See the session again, line by line, beside the reference path."""
        from tui.live.transcript import moments
        from tui.screens.replay import Replay
        from tui.store import read_journal
        from tui.widgets.debrief_sections import reference
        from tui.widgets.rows import title

        try:
            told = list(moments(read_journal(self.live.journal.path)))
        except (OSError, BreakfixError) as error:
            self.notify(f"The session can't be read again: {error}", severity="error", markup=False)
            return
        rows = [title("Reference path"), *reference(Debriefing(self.live, self.result, breakfix(self).glyphs))]
        self.app.push_screen(Replay(self.live, told, rows))

    @action("debrief.again", "Another seed", "s", footer=20)
    def again(self) -> None:
        """The same drill with other machines, parts and times."""
        self.dismiss("again")

    @action("debrief.terminals", "Terminals", "t", footer=25)
    def terminals(self) -> None:
        """Look at the terminals again; nothing runs there any more."""
        self.dismiss(None)

    @action("debrief.home", "Home", "h", "escape", footer=30)
    def home(self) -> None:
        """Done with this drill."""
        self.dismiss("home")

    @action("debrief.save", "Save as text", "w", footer=35)
    def save(self) -> None:
        """Write the debrief into a text file."""
        path = _free_path(f"debrief-{self.result.scenario}-{self.result.seed}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page(self.live.session, self.result), encoding="utf-8")
        except OSError as error:
            self.notify(f"It can't be saved: {error.strerror} ({path})", severity="error", markup=False)
            return
        self.notify(f"Saved as {path}", timeout=8, markup=False)


def _free_path(name: str) -> Path:
    """A file of that name, with a number if there is one already."""
    path, number = transcripts_folder() / f"{name}.txt", 1
    while path.exists():
        number += 1
        path = path.with_name(f"{name}-{number}.txt")
    return path
