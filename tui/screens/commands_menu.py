"""The commands by topic, with ready lines for each: for whoever does not know what to type, or does not type.

Names are shown at once; a command's module is imported when its row comes into view, and the others little by little
afterwards, so that the search knows what they do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Button, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from engine.commands.command import load_command
from tui.actions import action
from tui.app import breakfix
from tui.live.command_examples import SHELL_SUMMARIES, holds, searched
from tui.live.ready_lines import ReadyLine, ReadyLines
from tui.screens.hosts import HostPicker, LazyRow, SearchBox, cut
from tui.widgets.dialog import Dialog
from tui.widgets.keys_taken import keys_taken

if TYPE_CHECKING:
    from tui.live.live import Live
    from tui.live.seat import Seat

_NAME_COLUMNS = 15
_LOADED_AT_ONCE, _LOADED_EVERY = 4, 0.03
_LOOKED_EVERY = 0.5
_DOUBLE = 2


class LineField(TextArea):
    """A line to change. It wraps, so that all of it can be read."""

    def __init__(self) -> None:
        super().__init__(id="line", soft_wrap=True, show_line_numbers=False, tab_behavior="focus", compact=True)
        self.cursor_blink = False
        self.highlight_cursor_line = False

    @property
    def line(self) -> str:
        """What it holds, as one line."""
        return " ".join(self.text.splitlines()).strip()

    def put(self, text: str) -> None:
        """Hold another line, with the cursor at its end."""
        self.text = text
        self.move_cursor(self.document.end)

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":  # there is but one line
            event.prevent_default()


class CommandsMenu(Dialog[tuple[str, bool]]):
    """Commands, their ready lines, and a line to change. Its result is the line, and whether to run it at once."""

    title_text = "Commands"
    CLOSES_OUTSIDE = False
    ABOUT = (
        "Commands",
        """
        On the left the commands by topic; type to search. On the right lines that can be run as they are, for the host
        that the button names. The line at the bottom can be changed. *Run* runs it, *Insert* puts it at the prompt; so
        does a double click on a line.
        """,
    )
    CSS = """
    CommandsMenu .dialog { width: 96%; max-width: 150; height: 92%; }
    CommandsMenu Horizontal { height: 1; }
    CommandsMenu #lists { height: 1fr; margin: 1 0 0 0; }
    CommandsMenu #search { width: 1fr; margin-right: 1; scrollbar-size-horizontal: 0; }
    CommandsMenu #commands { width: 34%; height: 100%; margin-right: 1; }
    CommandsMenu #chosen { width: 1fr; height: 100%; }
    CommandsMenu #about { height: auto; max-height: 6; padding-bottom: 1; }
    CommandsMenu #lines { height: 1fr; }
    CommandsMenu #line { width: 100%; height: 3; padding: 0 1; margin: 0; scrollbar-size-vertical: 0; }
    CommandsMenu #change { width: 1fr; color: $state-degraded; }
    CommandsMenu Button { margin: 0 0 0 1; min-width: 5; }
    CommandsMenu #host { max-width: 40; }
    """

    warmed = False
    """Whether all commands are loaded."""

    def __init__(self, live: Live, seat: Seat) -> None:
        super().__init__()
        self.live, self.seat = live, seat
        self.ready = ReadyLines(live, seat)
        self.names = list(dict.fromkeys(name for names in self.ready.topics.values() for name in names))
        self.summaries: dict[str, str] = dict(SHELL_SUMMARIES)
        self.command = ""
        self._warming: Timer | None = None

    @property
    def can_run(self) -> bool:
        """Whether the terminal takes lines now."""
        return self.seat.can_run and not self.seat.busy

    @property
    def can_run_typed(self) -> bool:
        """Whether the line to change has the focus, and the terminal takes lines now."""
        return self.can_run and isinstance(self.focused, LineField)

    def content(self) -> ComposeResult:
        """Search and host, the two lists, and the line."""
        with Horizontal():
            yield SearchBox("commands", "search", self._show_commands, self._to_lines)
            yield Button("", id="host", compact=True)
        with Horizontal(id="lists"):
            yield OptionList(id="commands", compact=True, markup=False)
            with Vertical(id="chosen"):
                yield Static(id="about", markup=False)
                yield OptionList(id="lines", compact=True, markup=False)
        yield LineField()
        with Horizontal():
            yield Static(id="change", markup=False)
            yield Button("Insert", id="insert", compact=True)
            yield Button("Run", id="run", compact=True, variant="primary")

    def on_mount(self) -> None:
        """Show all commands, and load them little by little."""
        self._show_commands("")
        self._show_host()
        self._show_run()
        self.set_interval(_LOOKED_EVERY, self._show_run)
        self.query_one(SearchBox).focus()
        self._warming = self.set_interval(_LOADED_EVERY, self._warm)

    def _warm(self) -> None:
        left = [name for name in self.names if name not in self.summaries]
        for name in left[:_LOADED_AT_ONCE]:
            self._summary(name)
        if not left and self._warming is not None:
            self._warming.stop()
            self.warmed = True
            self._search_again()

    def _search_again(self) -> None:
        """With all summaries known more may fit; the list stays as it is for who has gone on from the search."""
        search, shown = self.query_one(SearchBox), self.query_one("#commands", OptionList)
        if not search.value.strip() or not search.has_focus:
            return
        if len(searched(self.names, search.value, self.summaries)) != shown.option_count:
            self._show_commands(search.value)

    def _summary(self, name: str) -> str:
        if name not in self.summaries:
            self.summaries[name] = load_command(name).summary
        return self.summaries[name]

    # The lists

    def _show_commands(self, text: str) -> None:
        shown = self.query_one("#commands", OptionList)
        if text.strip():
            rows = [self._command_option(name) for name in searched(self.names, text, self.summaries)]
        else:
            rows = [row for topic, names in self.ready.topics.items() for row in self._topic_rows(topic, names)]
        shown.set_options(rows)
        shown.highlighted = next((index for index, row in enumerate(rows) if not row.disabled), None)

    def _topic_rows(self, topic: str, names: list[str]) -> Iterator[Option]:
        yield Option(Content.styled(topic, "bold $accent"), disabled=True)
        for name in names:
            yield self._command_option(name, topic)

    def _command_option(self, name: str, topic: str = "") -> Option:
        return Option(LazyRow(lambda columns: self._command_row(name, columns)), id=f"{topic}/{name}")

    def _command_row(self, name: str, columns: int) -> Content:
        ellipsis = breakfix(self).glyphs.ellipsis
        left = columns - _NAME_COLUMNS
        if left < _NAME_COLUMNS:
            return Content(cut(f" {name}", columns, ellipsis))
        about = cut(self._summary(name), left, ellipsis)
        return Content.assemble(cut(f" {name}", _NAME_COLUMNS, ellipsis), (about, "dim"))

    def _show_lines(self) -> None:
        about = [f"  {self._summary(self.command)}", *filter(None, [self.ready.misfit(self.command)])]
        self.query_one("#about", Static).update(Content.assemble((self.command, "bold"), "\n".join(about)))
        ready, shown = self.ready.lines(self.command), self.query_one("#lines", OptionList)
        shown.set_options([Option(self._line_row(one), id=one.line) for one in ready])
        text = self.query_one(SearchBox).value
        fitting = (index for index, one in enumerate(ready) if holds(f"{one.line} {one.about}", text))
        shown.highlighted = next(fitting, 0)

    def _line_row(self, ready: ReadyLine) -> Content:
        """The whole line, wrapped where it is long, and what it does."""
        if change := self.ready.change(self.command, ready.line):
            return Content.assemble(ready.line, "\n  ", (self._mark, "$state-degraded"), change)
        return Content.assemble(ready.line, "\n  ", (ready.about, "dim"))

    @property
    def _mark(self) -> str:
        """What stands before a change."""
        return f"{breakfix(self).glyphs.degraded} "

    def _show_host(self) -> None:
        button = self.query_one("#host", Button)
        button.label = Content(f"Host: {self.ready.target} {breakfix(self).glyphs.open}")
        button.refresh(layout=True)  # as wide as the new name

    def _show_run(self) -> None:
        """The button to run, or why it does not."""
        button = self.query_one("#run", Button)
        label = "Run" if self.can_run else "Something runs" if self.seat.busy else "It is over"
        if str(button.label) != label:
            button.label, button.disabled = label, not self.can_run
            button.refresh(layout=True)

    # What is done to them

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show a command's lines; put a line into the line to change."""
        if event.option_list.id == "commands":
            self.command = str(event.option_id).partition("/")[2]
            self._show_lines()
        else:
            self._put(str(event.option_id))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """From the command to its lines, from a line to the line to change."""
        if event.option_list.id == "commands":
            self.query_one("#lines").focus()
        else:
            self._put(str(event.option_id))
            self.query_one("#line").focus()

    def on_click(self, event: events.Click) -> None:
        """Twice on a line: it goes to the prompt."""
        option = event.style.meta.get("option")
        if event.chain != _DOUBLE or event.widget is None or event.widget.id != "lines" or option is None:
            return
        if self.query_one("#lines", OptionList).get_option_at_index(option).id == self.query_one(LineField).text:
            self.insert_line()

    def on_text_area_changed(self) -> None:
        """Say what the line changes, if it does."""
        ellipsis = breakfix(self).glyphs.ellipsis
        change = self.ready.change(self.command, self.query_one(LineField).line)
        said = f"{self._mark}{change}" if change else ""
        self.query_one("#change", Static).update(LazyRow(lambda columns: Content(cut(said, columns, ellipsis))))

    def _put(self, text: str) -> None:
        self.query_one(LineField).put(text)

    def _to_lines(self) -> None:
        self.set_focus(self.query_one("#lines"))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """The buttons."""
        {"host": self.choose_host, "insert": self.insert_line, "run": self.run_line}[str(event.button.id)]()

    @action("commands.host", "Host", "prefix h", footer=10)
    def choose_host(self) -> None:
        """Choose the host that the lines are for."""
        below = self.query_one("#host").region
        self.app.push_screen(HostPicker(self.live, self.ready.target, below), self._set_host)

    def _set_host(self, host: str | None) -> None:
        if host is not None:
            self.ready.choose(host)
            self._show_host()
            if self.command:
                self._show_lines()

    @action("commands.insert", "Insert", "prefix i", footer=20)
    def insert_line(self) -> None:
        """Put the line at the terminal's prompt, to look at it once more."""
        self._leave(False)

    @action("commands.run", "Run", "prefix r", footer=30, when="can_run")
    def run_line(self) -> None:
        """Run the line in the terminal."""
        self._leave(True)

    @action("commands.run_typed", "Run", "enter", footer=5, when="can_run_typed")
    async def run_typed(self) -> None:
        """Run the line that the field holds."""
        await keys_taken(self.query_one(LineField))
        self._leave(True)

    def _leave(self, run: bool) -> None:
        if text := self.query_one(LineField).line:
            self.ready.used(self.command)
            self.dismiss((text, run))
