"""The lines that the learner pinned as evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual.widget import Widget

from scenarios.journal import Entry
from tui.app import breakfix
from tui.live.drill import LiveDrill
from tui.widgets.drill_panel import DrillPanel
from tui.widgets.rows import ACCENT, MUTED, Row, Rows, key_of, laid_out
from tui.widgets.terminal_pane import TerminalPane

_MOST_LINES = 3
"""A pin gets no more lines than this."""


class PinsPanel(DrillPanel):
    """Pinned lines with the command that printed them and when; long ones are wrapped where there is room."""

    TITLE = "Pinned"
    KEY_OF = "terminal.pin"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Pinned",
        "Lines of the output that you keep as evidence. What is pinned counts twice as much as what was only seen; a "
        "pin that shows nothing makes the others count for less. Select a line, or stand on it, and pin it.",
    )

    def on_mount(self) -> None:
        """Look again when the column beside the terminals, or what stands in it, has another size."""
        if isinstance(self.parent, Widget):
            self.watch(self.parent, "virtual_size", self.on_resize, init=False)

    def on_resize(self) -> None:
        """Use the room there is now."""
        self.query_one(Rows).show(self.rows())

    @property
    def key(self) -> str:
        """The terminal's key for it."""
        return key_of(self, self.KEY_OF, TerminalPane.actions())

    def rows(self) -> list[Row]:
        """The pins."""
        pins = self.drill.pins
        if not pins:
            return _nothing(self.key)
        glyphs, width = breakfix(self).glyphs, self.query_one(Rows).size.width
        lines = pin_lines(self.drill, glyphs.pin, _MOST_LINES)
        wanted = [len(laid_out([line], width, glyphs.ellipsis)) for line in lines]
        given = shared_out(wanted, self._room - 2 * len(pins) if width else 0)
        told = zip(lines, given, pins, strict=True)
        return [row for line, most, pin in told for row in (replace(line, most=most), self._source(line, pin))]

    @property
    def _room(self) -> int:
        """The lines that are left to this panel in the column where it stands."""
        column = self.parent
        if not isinstance(column, Widget):
            return 0
        others = sum(one.outer_size.height for one in column.children if one is not self)
        return column.size.height - others - (self.outer_size.height - self.size.height)

    def _source(self, line: Row, entry: Entry) -> Row:
        """When a pinned line was pinned, and the command that printed it."""
        session = self.drill.session
        by = session.journal.entries[entry.source].text if entry.source is not None else ""
        inset = " " * sum(len(text) for text, _ in line.lead)
        return Row(f"{session.clock(entry.started)}  {by}", MUTED, ((inset, ""),), cut=True)


def shared_out(wanted: Sequence[int], spare: int) -> list[int]:
    """The lines that each pin gets: one, and of `spare` further ones as many as it wants, the newest first."""
    given = [1] * len(wanted)
    for number in reversed(range(len(wanted))):
        more = min(wanted[number] - 1, max(spare, 0))
        given[number] += more
        spare -= more
    return given


def pin_lines(drill: LiveDrill, mark: str, most: int = 1) -> list[Row]:
    """The pinned lines alone, numbered, each in at most so many lines."""
    return [
        Row(entry.text.strip(), lead=((f"{mark} ", ACCENT), (f"{number} ", MUTED)), most=most)
        for number, entry in enumerate(drill.pins, 1)
    ]


def _nothing(key: str) -> list[Row]:
    """How to pin."""
    return [
        Row("Nothing pinned yet.", MUTED),
        Row(f"{key + ': ' if key else ''}pin a line of the output", MUTED),
    ]
