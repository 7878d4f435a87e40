"""The diagnosis: which part of the cluster is broken, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.widgets import Button

from scenarios.components import HEALTHY, NOTHING
from scenarios.weights import MOST_DIAGNOSES, REVISION_COST
from tui.actions import action
from tui.app import breakfix
from tui.live.choices import causes, components, diagnosis_words
from tui.live.drill import LiveDrill
from tui.widgets.finder import Finder
from tui.widgets.form import Form
from tui.widgets.pins_panel import pin_lines
from tui.widgets.rows import MUTED, Row, Rows

_HEIGHT = 32
"""The dialog is no higher than this."""

_PINS_SHARE = 4
"""This part of its height is for pins."""


class DiagnosisDialog(Form[str]):
    """Gives a diagnosis. Its result is what to tell the learner about it."""

    title_text = "Diagnosis"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Diagnosis",
        f"""
        Say which component is broken and which cause it has. Type a part of a name, or go through the lists.

        The first diagnosis earns the points; each further one costs {REVISION_COST}. In an incident several things may
        be broken: give a diagnosis for each. If you find that all is as it
        should be, the component is `{NOTHING}` and the cause `{HEALTHY}`.
        """,
    )
    CSS: ClassVar[str] = """
    DiagnosisDialog .dialog { height: 100%; max-height: 32; }
    DiagnosisDialog #cause { height: 2fr; min-height: 5; margin: 1 0 0 0; }
    """
    BUTTONS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("give", "Give diagnosis"),
        ("map", "Pick on the map"),
        ("back", "Back"),
    )

    def fields(self) -> ComposeResult:
        yield Finder("What is broken?", lambda typed: components(self.live, typed), self._component_picked, "component")
        yield Finder("What is wrong?", lambda typed: causes(self.live, typed), self._cause_picked, "cause", titles=True)
        yield Rows(id="pins")
        yield Rows(list(said_before(self.live)))

    def on_resize(self, event: events.Resize) -> None:
        """Show as many pins as there is room for beside the lists."""
        most = max(min(event.size.height, _HEIGHT) // _PINS_SHARE, 1)
        self.query_one("#pins", Rows).show(first_of(pin_lines(self.live, breakfix(self).glyphs.pin), most))

    @property
    def _component(self) -> Finder:
        return self.query_one("#component", Finder)

    @property
    def _cause(self) -> Finder:
        return self.query_one("#cause", Finder)

    def _component_picked(self) -> None:
        if self._component.value == NOTHING:
            self._cause.value = HEALTHY
        self._cause.enter()

    def _cause_picked(self) -> None:
        if self._cause.value == HEALTHY:
            self._component.value = NOTHING
        if self._component.value:
            self.set_focus(self.query_one("#give", Button))
        else:
            self._component.enter()

    async def pressed(self, button: str) -> None:
        if button == "map":
            self.pick_on_map()
        else:
            await self._give()

    async def _give(self) -> None:
        for finder, wanting in ((self._component, "Say what is broken."), (self._cause, "Say what is wrong with it.")):
            if not finder.value:
                self.complain(wanting)
                finder.enter()
                return
        component, cause = self._component.value, self._cause.value
        reply = await self.make(f":diagnose component={component} cause={cause}")
        if reply is not None:
            title = self.live.session.vocabulary[cause]
            self.dismiss(reply.replace(f"{component}, {title}", diagnosis_words(component, title)))

    @action("diagnosis.map", "Pick on the map", "f2", footer=30)
    @work
    async def pick_on_map(self) -> None:
        """Choose the component on the map."""
        from tui.screens.map import MapScreen

        picked = await self.app.push_screen_wait(MapScreen(self.live, pick=True))
        if isinstance(picked, str):
            self._component.value = picked
            self._cause.enter()


def first_of(rows: list[Row], most: int) -> list[Row]:
    """At most so many rows; the last one says how many more there are."""
    if len(rows) <= most:
        return rows
    return [*rows[: most - 1], Row(f"and {len(rows) - most + 1} more", MUTED)]


def said_before(drill: LiveDrill) -> Iterator[Row]:
    """The diagnoses so far, and what another one means."""
    several = drill.session.scenario.kind == "incident"
    if several:
        yield Row(f"Give one for each thing that is broken; each one more costs {REVISION_COST} points.", MUTED)
    elif not drill.diagnoses:
        yield Row(f"The first diagnosis counts; each further one costs {REVISION_COST} points.", MUTED)
    for number, one in enumerate(drill.diagnoses, 1):
        component, cause = one.words
        counts = "  (this one earns the points)" if number == 1 and not several else ""
        said = diagnosis_words(component, drill.session.vocabulary.get(cause, cause))
        yield Row(f"{said}{counts}", lead=((f"{drill.session.clock(one.started)}  ", MUTED),))
    if several or not drill.diagnoses:
        return
    yield Row(f"Another one stands from then on, and costs {REVISION_COST} points.", "$state-degraded")
    if len(drill.diagnoses) >= MOST_DIAGNOSES:
        yield Row(f"With more than {MOST_DIAGNOSES} diagnoses a drill is not passed.", "$state-down")
