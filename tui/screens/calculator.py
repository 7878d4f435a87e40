"""A calculator for exam items."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.widgets import Input

from engine.kernel.errors import BreakfixError
from tui.actions import action
from tui.app import breakfix
from tui.live.calculator import calculated, result_text
from tui.widgets.dialog import Dialog
from tui.widgets.rows import ACCENT, MUTED, Row, Rows

_KEPT = 8


class Calculator(Dialog[None]):
    """A field to type a calculation, and what came of those before."""

    title_text = "Calculator"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Calculator",
        "Type something like `8 * (400 - 12.5) / 8` and press Enter. The result stays in the field, to go on with.",
    )
    DEFAULT_CSS = """
    Calculator .dialog { max-width: 60; }
    Calculator Input { margin: 0 0 1 0; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._past: list[Row] = []

    def content(self) -> ComposeResult:
        field = Input(placeholder="8 * (400 - 12.5) / 8", id="calculation", compact=True, select_on_focus=False)
        field.cursor_blink = False
        yield field
        yield Rows([Row("Numbers, + - * / and brackets.", MUTED)])

    @action("calculator.work_out", "Work it out", "enter", footer=10)
    def work_out(self) -> None:
        """Work out what is typed."""
        field = self.query_one(Input)
        text = field.value.strip()
        try:
            result = result_text(calculated(text))
        except BreakfixError as error:
            wrong = Row(error.message, "$state-degraded", ((f"{breakfix(self).glyphs.degraded} ", "$state-degraded"),))
            self.query_one(Rows).show([wrong, *self._past])
            return
        self._past = [Row(f"{text} = {result}", ACCENT), *self._past][:_KEPT]
        self.query_one(Rows).show(self._past)
        field.value = result
        field.cursor_position = len(result)

    @action("calculator.clear", "Clear", "prefix x", "ctrl+u", footer=20)
    def clear(self) -> None:
        """Empty the field."""
        self.query_one(Input).value = ""
