"""Handing a case to the vendor."""

from __future__ import annotations

from typing import ClassVar

from tui.app import breakfix
from tui.screens.note import NoteDialog
from tui.widgets.notes_panel import escalation_rows
from tui.widgets.rows import Row


class EscalateDialog(NoteDialog):
    """Writes what goes to the vendor. Its result is what to tell the learner about it."""

    title_text = "Escalate"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Escalate",
        """
        Some cases cannot be closed on site: a part under warranty, a fault in firmware, a board that must go back. Say
        which part with its serial number, what it does and since when, what you tried, and where the bundle lies
        (nvidia-bug-report.log.gz, a sos report). What could have been mended here costs points when it is escalated.
        """,
    )
    BUTTONS: ClassVar[tuple[tuple[str, str], ...]] = (("keep", "Escalate"), ("back", "Back"))
    MOVE: ClassVar[str] = "escalate"
    QUESTION: ClassVar[str] = "For the vendor: which part, what it does, what you tried, where the bundle lies."
    NONE_YET: ClassVar[str] = "Nothing was escalated."

    def before(self) -> list[Row]:
        """What was escalated earlier."""
        return escalation_rows(self.live, breakfix(self).glyphs)
