"""The questions of a lab, with the answers so far."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from scenarios.answering import is_right
from tui.app import breakfix
from tui.live.drill import LiveDrill
from tui.look.glyphs import Glyphs
from tui.widgets.drill_panel import DrillPanel
from tui.widgets.rows import MUTED, Row


class QuestionsPanel(DrillPanel):
    """Each question, whether it was answered, and whether that is right."""

    TITLE = "Questions"
    KEY_OF = "drill.answer"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Questions",
        "What the lab asks. An answer is told right or wrong at once, and can be given again.",
    )

    def rows(self) -> list[Row]:
        """The questions."""
        return list(question_rows(self.drill, breakfix(self).glyphs))


def question_rows(drill: LiveDrill, glyphs: Glyphs) -> Iterator[Row]:
    """The questions with the last answer to each."""
    stage, answers = drill.session.stage, drill.session.answers
    for question in stage.scenario.questions:
        text, given = " ".join(stage.fill(question.text).split()), answers.get(question.id)
        if given is None:
            yield Row(text, lead=((f"{glyphs.unchosen} ", MUTED),))
        elif is_right(stage, question, given):
            yield Row(f"{text} ({given})", MUTED, ((f"{glyphs.tick} ", "$state-ok"),))
        else:
            yield Row(f"{text} (not {given})", lead=((f"{glyphs.cross} ", "$state-down"),))
