"""Hints: those that were taken, and the next one for its price."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.widgets import Button

from tui.actions import action
from tui.widgets.form import Form
from tui.widgets.hints_panel import hint_rows
from tui.widgets.rows import Rows


class HintDialog(Form[None]):
    """Shows the hints taken so far; the next one comes only when it is asked for."""

    title_text = "Hints"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Hints",
        "Hints go from vague to plain. What the next one costs stands on its button; those that you took stay here.",
    )
    BUTTONS: ClassVar[tuple[tuple[str, str], ...]] = (("take", "Take it"), ("back", "Back"))

    def fields(self) -> ComposeResult:
        yield Rows(hint_rows(self.live))

    def on_mount(self) -> None:
        """Write on the button what the next hint costs."""
        self._show()

    @property
    def more(self) -> bool:
        """Whether there is another hint."""
        return self.live.next_hint_cost is not None

    @action("hint.take", "Take the next hint", "t", footer=10, when="more")
    async def take(self) -> None:
        """Take the next hint, for its price."""
        if await self.make(":hint") is not None:
            self._show()
            self.call_after_refresh(self.query_one(".dialog").scroll_end, animate=False)

    async def pressed(self, button: str) -> None:
        if self.more:
            await self.take()

    def _show(self) -> None:
        self.query_one(Rows).show(hint_rows(self.live))
        take, cost = self.query_one("#take", Button), self.live.next_hint_cost
        take.label = "No more hints" if cost is None else f"Take the next one: {_points(cost)}"
        take.disabled = cost is None
        if take.disabled:
            self.query_one("#back", Button).focus()


def _points(cost: int) -> str:
    return "free" if not cost else f"{cost} point{'s' * (cost != 1)}"
