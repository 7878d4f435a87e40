"""The briefing beside the terminals, and the messages that came after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from scenarios.journal import Entry
from tui.app import breakfix
from tui.widgets.drill_panel import DrillPanel
from tui.widgets.rows import ACCENT, MUTED, Row, title


class BriefingPanel(DrillPanel):
    """What the learner was told at first, and what came since; the latest message is marked."""

    TITLE = "Briefing"
    KEY_OF = "workspace.side"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Briefing",
        "Why you are here, in the words of whoever asked. Messages of other people and of the machine room come below "
        "it. What people guess may be wrong. Up and Down scroll.",
    )

    def rows(self) -> list[Row]:
        """The briefing, then the messages."""
        told, arrival = self.drill.session.briefing, self.drill.session.stage.arrival
        rows = [
            title(told.subject),
            Row(f"{told.form} from {told.sender}", MUTED),
            Row(self.drill.time_of_day(arrival), MUTED),
            Row(),
            *(Row(text) for text in reflowed(told.text)),
        ]
        messages = self.drill.messages
        return rows + [row for entry in messages for row in self._message(entry, entry is messages[-1])]

    def _message(self, entry: Entry, latest: bool) -> Iterator[Row]:
        mark = breakfix(self).glyphs.arrow
        yield Row()
        who = f"{self.drill.time_of_day(entry.started)}  {' '.join(entry.words)}"
        yield Row(who + ("  (latest)" if latest else ""), ACCENT if latest else MUTED, ((f"{mark} ", ACCENT),))
        yield Row(entry.text, lead=(("  ", ""),))


def reflowed(text: str) -> list[str]:
    """The paragraphs of a text as one line each, with empty lines between; lists and set-in lines stay as they are."""
    lines: list[str] = []
    for paragraph in text.strip("\n").split("\n\n"):
        parts = paragraph.splitlines()
        kept = any(part.startswith((" ", "\t", "- ", "* ")) for part in parts)
        lines += [*(parts if kept else [" ".join(paragraph.split())]), ""]
    return lines[:-1]
