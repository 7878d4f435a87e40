"""Notes for the ticket, and work ordered in the machine room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from engine.world.records import HandsOrder
from tui.app import breakfix
from tui.live.drill import LiveDrill
from tui.look.glyphs import Glyphs
from tui.widgets.drill_panel import DrillPanel
from tui.widgets.rows import MUTED, Row, key_of


class NotesPanel(DrillPanel):
    """What the learner wrote down, and the orders with how they stand."""

    TITLE = "Notes and work"
    KEY_OF = "drill.note"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Notes and work",
        "Your notes for the ticket, and the work that you ordered in the machine room. A good note says which part, "
        "what is wrong with it, and since when.",
    )

    def rows(self) -> list[Row]:
        """Notes, then orders."""
        glyphs = breakfix(self).glyphs
        return [
            *note_rows(self.drill, glyphs),
            *escalation_rows(self.drill, glyphs),
            *order_rows(self.drill, glyphs),
        ] or self._nothing()

    def _nothing(self) -> list[Row]:
        keys = [(key_of(self, "drill.note"), "write a note"), (key_of(self, "drill.hands"), "order work on hardware")]
        told = [f"{key}: {what}" for key, what in keys if key]
        return [Row(text, MUTED) for text in ["Nothing written down, no work ordered.", *told]]


def note_rows(drill: LiveDrill, glyphs: Glyphs) -> list[Row]:
    """The notes, each with its time."""
    return [Row(f"{drill.session.clock(one.started)}  {one.text}", lead=_mark(glyphs.bullet)) for one in drill.notes]


def escalation_rows(drill: LiveDrill, glyphs: Glyphs) -> list[Row]:
    """What was handed to the vendor, each with its time."""
    return [
        Row(f"{drill.session.clock(one.started)}  to the vendor: {one.text}", lead=_mark(glyphs.bullet))
        for one in drill.escalations
    ]


def order_rows(drill: LiveDrill, glyphs: Glyphs) -> list[Row]:
    """The orders to the machine room, with when they are due or what was reported."""
    return [row for order in orders(drill) for row in _order(drill, order, glyphs)]


def orders(drill: LiveDrill) -> tuple[HandsOrder, ...]:
    """All orders, also those placed with `hands` in a terminal."""
    return drill.simulation.world.hands[""].orders


def _order(drill: LiveDrill, order: HandsOrder, glyphs: Glyphs) -> Iterator[Row]:
    due = drill.session.clock(order.due_at)
    what = f"order {order.number}: {order.action} {order.target}"
    if order.done:
        yield Row(f"{what}, done {due}", lead=((f"{glyphs.tick} ", "$state-ok"),))
        yield Row(order.report, MUTED, (("  ", ""),))
    else:
        yield Row(f"{what}, under way, due {due}", lead=((f"{glyphs.unchosen} ", "$state-degraded"),))


def _mark(glyph: str) -> tuple[tuple[str, str], ...]:
    return ((f"{glyph} ", MUTED),)
