"""What a terminal pane shows: a page, what is selected and searched in it, and a full-screen program over it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from tui.app import breakfix
from tui.seen.meant import word_around
from tui.terminal.browsing import Browsing
from tui.terminal.conversation import Conversation
from tui.terminal.line_editor import Picture
from tui.terminal.page import Page, Spot
from tui.terminal.program import Program
from tui.terminal.rows import LEAST_COLUMNS, cells, index_at
from tui.terminal.selection import Selection, line_at, selected_text
from tui.terminal.sgr import text_of
from tui.widgets.terminal_paint import Mark, Painter

if TYPE_CHECKING:
    from tui.live.seat import Seat

_KEPT_LINES = 100_000
_LONGEST_NAME = 200
_WHEN_OVER = "drill.debrief"
_REVERSE, _UNDERLINE = Style(reverse=True), Style(underline=True)


class TerminalView(Widget, can_focus=True):
    """The state of a terminal pane and how it is painted."""

    ALLOW_SELECT = False  # it selects by itself, in lines that stay while more is printed
    DEFAULT_CLASSES = "terminal"
    DEFAULT_CSS = """
    TerminalView { width: 1fr; height: 1fr; background: $background; color: $foreground; }
    TerminalView > .terminal--bar { background: $panel; color: $foreground; }
    TerminalView > .terminal--below { background: $panel; color: $accent; text-style: bold; }
    TerminalView > .terminal--chosen { background: $accent 30%; }
    TerminalView > .terminal--found { color: $accent; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"terminal--bar", "terminal--below", "terminal--chosen", "terminal--found"}

    def __init__(self, seat: Seat, id: str | None = None) -> None:
        super().__init__(id=id)
        self.seat = seat
        self.page = Page(_KEPT_LINES)
        self.selection: Selection | None = None
        self.browsing: Browsing | None = None
        self.program: Program | None = None
        self.taken_line: int | None = None
        self.taken_row = ""
        self.taken_word = ""
        self.conversation = Conversation(seat, self.page, self)
        self._painter = Painter(self.page, lambda: self.rich_style)
        self._picture: Picture | None = None

    # What others have to know

    def offer_anew(self) -> None:
        """What can be done has changed; what a change of the layout tells the footer is told without one."""
        if self.is_attached:
            self.screen.screen_layout_refresh_signal.publish(self.screen)

    # What the conversation tells

    def tail_changed(self) -> None:
        """What is being typed looks different: paint the rows of it that do."""
        if self.program is not None:
            return
        before, top, rows = self._picture, self.page.top, self.page.rows
        self._picture = self.conversation.show_tail()
        if self._picture is None or before is None or (top, rows) != (self.page.top, self.page.rows):
            self.refresh()
            return
        changed = {before.cursor[0], self._picture.cursor[0]}
        pairs = zip(before.rows, self._picture.rows, strict=False)
        changed.update(row for row, (old, new) in enumerate(pairs) if old != new)
        first = self.page.tail_row - top + min(changed)
        self.refresh(Region(0, first, self.size.width, max(changed) - min(changed) + 1))

    def page_changed(self) -> None:
        """Lines have come."""
        self._picture = self.conversation.show_tail()
        if self.browsing is not None:
            self.browsing.hold()
        if self.program is None:
            self.refresh()

    def prompt_changed(self) -> None:
        """A prompt shows."""

    def line_entered(self, text: str) -> None:
        """A line was entered at the prompt."""

    def shell_ended(self) -> None:
        """The last login was left."""

    def tell_trouble(self, what: str, error: Exception) -> None:
        """Something went wrong in breakfix itself."""
        breakfix(self).tell_trouble(what, error)

    def keys_when_over(self) -> str:
        """What leads on when the session has ended, with its key; empty if nothing does."""
        app = breakfix(self)
        offered = [one for one in app.offers_below_dialog(self.screen) if one.action.id == _WHEN_OVER and one.enabled]
        keys = app.keymap.all_shown(offered[0].action) if offered else ""
        return f"{keys}: {offered[0].action.title}" if keys else ""

    # Scrolling

    def go_to_end(self) -> None:
        """Follow the end."""
        if not self.page.following:
            self.page.scroll_to_end()
            self.refresh()

    def scroll_rows(self, rows: int) -> None:
        """Move what is in view."""
        if self.program is None:
            self.page.scroll_by(rows)
            self.refresh()

    def browse(self, *, choosing: bool = False, finding: bool = False) -> None:
        """Enter scroll mode."""
        if self.program is None and self.page.kept.rows:
            self.page.height = max(self.size.height - 1, 1)
            self.browsing = Browsing(self.page, choosing=choosing, finding=finding)
            self.selection = None
            self.refresh()

    def leave_browsing(self) -> None:
        """Back to the prompt."""
        if self.browsing is not None:
            self.browsing, self.selection = None, None
            self.page.height = max(self.size.height, 1)
            self.page.scroll_to_end()
            self.refresh()

    # Selected text

    def select(self, selection: Selection | None) -> None:
        """Another selection."""
        if selection != self.selection:
            self.selection = selection
            self.refresh()

    def selected_text(self) -> str | None:
        """The selected text, if any is."""
        return (selected_text(self.page, self.selection) or None) if self.selection is not None else None

    def selected_or_line(self) -> str | None:
        """The selected text, or the line that is chosen in scroll mode or was taken by a right click."""
        line = self.browsing.selection if self.browsing is not None else self._taken
        if self.selection is None and line is not None:
            return selected_text(self.page, line) or None
        return self.selected_text()

    def take_row(self, x: int, y: int) -> None:
        """A right click takes the line and the word under it, for what is then chosen from the menu; a selection comes
        first.
        """
        self.taken_word = self.word_under(x, y)
        if self.program is not None:
            rows = self.picture_of(self.program)
            self.taken_row = text_of(rows[y]).rstrip() if 0 <= y < len(rows) else ""
        elif 0 <= y < self.page.height:
            number = self.page.spot(self.page.top + y, 0).number
            if self.browsing is None:
                self.taken_line = number if number < self.page.kept.end else None
            elif self.browsing.mark is None:
                self.browsing.choose(number)
        self.refresh()

    def word_under(self, x: int, y: int) -> str:
        """The word at a place of the pane; empty where there is none."""
        if self.program is not None or not 0 <= y < self.page.height:
            return ""
        spot = self.page.spot(self.page.top + y, max(x, 0))
        return word_around(self.page.text(spot.number), spot.at)

    @property
    def component_meant(self) -> str | None:
        """What the taken or selected word means: a machine of the site, or a part of one."""
        word = self.taken_word or (self.selected_text() or "" if self.selection is not None else "")
        return self.seat.meant(word) if 0 < len(word) <= _LONGEST_NAME else None

    def release_row(self) -> None:
        """Take that back: something else is done."""
        self.taken_word = ""
        if self.taken_line is not None or self.taken_row:
            self.taken_line, self.taken_row = None, ""
            self.refresh()

    @property
    def _taken(self) -> Selection | None:
        return line_at(self.page, Spot(self.taken_line, 0)) if self.taken_line is not None else None

    def insert_text(self, text: str) -> None:
        """Put text at the prompt (or at a question, or where a program or a search takes keys)."""
        if self.program is not None:
            for character in text.replace("\r\n", "\n").replace("\r", "\n"):
                self.program.press("enter" if character == "\n" else character)
        elif self.browsing is not None and self.browsing.typed is not None:
            line = next(iter(text.strip().splitlines()), "")
            self.browsing.type_text(self.browsing.typed + "".join(filter(str.isprintable, line)))
            self.refresh()
        else:
            self.leave_browsing()
            self.conversation.paste(text)
            self.go_to_end()
        self.offer_anew()

    def put_text(self, text: str) -> None:
        """Put text at the prompt (or at a question) in place of what is typed there."""
        if self.program is not None:
            self.insert_text(text)
            return
        self.leave_browsing()
        self.conversation.put(text)
        self.go_to_end()
        self.offer_anew()

    # Painting

    def notify_style_update(self) -> None:
        """The theme has changed."""
        super().notify_style_update()
        self._painter.forget_styles()

    def picture_of(self, program: Program) -> list[str]:
        """The rows of a full-screen program at the pane's size."""
        return program.picture(max(self.size.width, LEAST_COLUMNS), max(self.size.height, 1))

    def render_line(self, y: int) -> Strip:
        """A row of the pane."""
        width, height = self.size
        if self.program is not None:
            rows = self.picture_of(self.program)
            raw = rows[y] if y < len(rows) else ""
            taken = self.taken_row and text_of(raw).rstrip() == self.taken_row
            return self._painter.strip(raw, 0, len(raw), width, [Mark(0, len(raw), self._taken_style)] if taken else [])
        if self.browsing is not None and y == height - 1:
            hint = self.browsing.hint(self.can_pin, width)
            return self._painter.bar(hint.text, width, self.get_component_rich_style("terminal--bar"))
        strip = self._painter.row(self.page.top + y, width, self._marks)
        if y == height - 1 and not self.page.following and self.browsing is None:
            mark = self.mark_text[-width:]
            style = self.get_component_rich_style("terminal--below")
            return Strip.join([strip.crop(0, width - len(mark)), self._painter.bar(mark, len(mark), style)])
        return strip

    @property
    def mark_text(self) -> str:
        """What stands at the bottom right while the end is not in view."""
        below = self.page.lines_below
        return f" {breakfix(self).glyphs.open} {below:,} line{'' if below == 1 else 's'} below "

    @property
    def can_pin(self) -> bool:
        """Whether the session keeps pinned text."""
        return self.seat.live.kind == "drill" and not self.seat.live.over

    def _marks(self, number: int, text: str) -> Sequence[Mark]:
        """What is painted over a line."""
        marks: list[Mark] = []
        if self.browsing is not None:
            marks += self._browsing_marks(self.browsing, number, text)
        elif number == self.taken_line:
            marks.append(Mark(0, max(len(text), 1), self._taken_style))
        if self.selection is not None and (span := self.selection.span(number, len(text))):
            marks.append(Mark(*span, _REVERSE))
        if number >= self.page.kept.end and (cursor := self._cursor(number, text)) is not None:
            marks.append(Mark(cursor, cursor + 1, _REVERSE if self.has_focus else _UNDERLINE))
        return marks

    def _browsing_marks(self, browsing: Browsing, number: int, text: str) -> list[Mark]:
        marks = []
        if number == browsing.cursor:
            marks.append(Mark(0, max(len(text), 1), self._chosen_style(browsing)))
        if browsing.search is not None:
            found = Style(color=self.get_component_rich_style("terminal--found").color, underline=True)
            for start, end in browsing.search.spans(text):
                current = (number, start) == browsing.search.current
                marks.append(Mark(start, end, found + _REVERSE if current else found))
        return marks

    def _chosen_style(self, browsing: Browsing) -> Style:
        """The chosen line; among marked ones, which are reversed, it is underlined."""
        if browsing.mark is not None:
            return _UNDERLINE
        return self._taken_style

    @property
    def _taken_style(self) -> Style:
        return Style(bgcolor=self.get_component_rich_style("terminal--chosen").bgcolor)

    def _cursor(self, number: int, text: str) -> int | None:
        """The index in a line of the tail at which the cursor stands; none while keys go to scroll mode."""
        if self._picture is None or self.browsing is not None:
            return None
        row, column = self._picture.cursor
        if number - self.page.kept.end != row:
            return None
        index = index_at(text, column)
        return index if index < len(text) else max(column - cells(text), 0) + len(text)
