"""What the parts of an item tell the screen that they are on."""

from __future__ import annotations

from typing import Any

from textual.message import Message


class Answered(Message):
    """The item in view was answered, with plain data as in exams.answers; `why_not` says why it cannot be taken."""

    def __init__(self, data: Any, why_not: str | None = None) -> None:
        super().__init__()
        self.data, self.why_not = data, why_not


class GoOn(Message):
    """The answer stands; go on."""


class LabWanted(Message):
    """The lab of the item is to be opened."""
