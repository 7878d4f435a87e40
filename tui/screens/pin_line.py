"""Choosing a row of a full-screen program's picture, to pin it as evidence: the program takes all keys for itself."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult

from tui.widgets.dialog import Dialog
from tui.widgets.pick_list import Line, PickList


class PinLine(Dialog[str]):
    """`lines` are the rows of the picture. Its result is the chosen one."""

    title_text = "Pin a line"
    ABOUT = ("Pin a line", "The arrows and Enter choose, or a double click. Escape goes back without pinning.")
    CSS = """
    PinLine .dialog { width: 100%; max-width: 100%; height: 90%; padding: 0; }
    PinLine PickList { height: 1fr; }
    """

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__()
        self.lines = [line.rstrip() for line in lines]

    def content(self) -> ComposeResult:
        """The rows; empty ones stand between the others and can't be chosen."""
        last = max((number for number, line in enumerate(self.lines) if line), default=-1)
        shown = self.lines[: last + 1]
        yield PickList([Line(line, id=str(number) if line else "") for number, line in enumerate(shown)])

    def on_mount(self) -> None:
        """The arrows move in the list."""
        self.query_one(PickList).focus()

    def on_pick_list_chosen(self, message: PickList.Chosen) -> None:
        """This one."""
        self.dismiss(message.line.text)
