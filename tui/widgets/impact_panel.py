"""What the learner's own acts have harmed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from engine.world.records import Harm
from tui.app import breakfix
from tui.live.drill import LiveDrill
from tui.look.glyphs import Glyphs, State
from tui.widgets.drill_panel import DrillPanel
from tui.widgets.rows import MUTED, Row

HARM_WORDS = {
    "job_killed": "job killed",
    "node_down": "node taken down in service",
    "gpu_lost_work": "work on a GPU lost",
    "service_stopped": "service stopped",
    "data_lost": "data lost",
}


class ImpactPanel(DrillPanel):
    """Harm done by the learner: its kind, to what, by which act, and when."""

    TITLE = "Impact"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Impact",
        "What your own acts have harmed so far: jobs killed, nodes taken down while they were in service, services "
        "stopped. What the fault itself did does not stand here.",
    )

    def rows(self) -> list[Row]:
        """The harm."""
        return impact_rows(self.drill, breakfix(self).glyphs)


def impact_rows(drill: LiveDrill, glyphs: Glyphs) -> list[Row]:
    """Each harm, or that there is none."""
    if not drill.harms:
        return [Row("nothing harmed by you", lead=((f"{glyphs.of(State.OK)} ", "$state-ok"),))]
    return [row for harm in drill.harms for row in _harm(drill, harm, glyphs.of(State.DOWN))]


def harm_words(kind: str) -> str:
    """A kind of harm as people say it."""
    return HARM_WORDS.get(kind, kind.replace("_", " "))


def _harm(drill: LiveDrill, harm: Harm, mark: str) -> Iterator[Row]:
    yield Row(f"{harm_words(harm.kind)}: {harm.what}", "$state-down", ((f"{mark} ", "$state-down"),))
    yield Row(f"{drill.session.clock(harm.time)}  by {harm.cause}", MUTED, (("  ", ""),))
