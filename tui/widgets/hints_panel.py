"""The hints that were taken, and what the next one costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from tui.live.drill import LiveDrill
from tui.widgets.drill_panel import DrillPanel
from tui.widgets.rows import MUTED, Row


class HintsPanel(DrillPanel):
    """How many hints there are, and the text of those taken."""

    TITLE = "Hints"
    KEY_OF = "drill.hint"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Hints",
        "Help, from vague to plain. Each hint costs the points that stand beside it. Nothing is taken without asking.",
    )

    def rows(self) -> list[Row]:
        """The hints."""
        return hint_rows(self.drill)


def hint_rows(drill: LiveDrill) -> list[Row]:
    """How many were taken, and their texts."""
    return [Row(hints_standing(drill), MUTED), *_taken(drill)]


def hints_standing(drill: LiveDrill) -> str:
    """How many hints were taken of how many, and what the next one costs."""
    of, cost = len(drill.session.scenario.hints), drill.next_hint_cost
    if not of:
        return "This drill has no hints."
    more = f"next costs {cost}" if cost is not None else "no more"
    return f"{len(drill.hints_taken)} of {of} taken ({more})"


def _taken(drill: LiveDrill) -> Iterator[Row]:
    for number, (text, cost) in enumerate(drill.hints_taken, 1):
        yield Row()
        yield Row(" ".join(text.split()), lead=((f"{number}  ", MUTED),))
        yield Row(f"cost {cost} points", MUTED, (("   ", ""),))
