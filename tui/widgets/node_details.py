"""What is known of one component: every aspect with its value, its state, its age and the line that showed it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from engine.world.inventory import Inventory
from tui.actions import Acts, action
from tui.app import breakfix
from tui.live.live import Live
from tui.look.glyphs import Glyphs, State
from tui.seen.knowledge import Knowledge, Sighting
from tui.widgets.node_paint import age
from tui.widgets.rows import wrapped

NOTHING = "Nothing seen of it yet. What commands show on the screen appears here."

_SIGN, _GAP = "  {} ", "  "
_SET_IN = len(_SIGN.format(" "))
_LEAST_FOR_VALUES = 16
"""With fewer columns beside the aspects, values stand below them."""


class NodeDetails(VerticalScroll, Acts, can_focus=True):
    """The details of a component of the session `live`."""

    DEFAULT_CSS = """
    NodeDetails { padding: 0 1; scrollbar-gutter: stable; border-top: solid $frame; }
    NodeDetails:focus { border-top: solid $accent; }
    NodeDetails Static { height: auto; }
    """

    def __init__(self, live: Live, id: str | None = None) -> None:
        super().__init__(id=id)
        self.live = live
        self.component: str | None = None

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def show(self, component: str | None) -> None:
        """Show another component."""
        if component != self.component:
            self.component = component
            self.scroll_home(animate=False)
        self.show_session()

    def on_resize(self, event: events.Resize) -> None:
        """Wrap it to the width that there is."""
        self.show_session()

    def show_session(self) -> None:
        """Show it as it is known now."""
        self.query_one(Static).update(self._text())

    def _text(self) -> Text:
        if self.component is None:
            return Text("Nothing here matches.")
        variables = self.app.theme_variables
        colours = {state: variables.get(state.tone, "") for state in State}
        paint = Paint(breakfix(self).glyphs, colours, self.scrollable_content_region.width)
        return details(self.live.knowledge, self.component, self.live.simulation.now, paint)

    @action("details.back", "Back to the map", "enter", "tab", footer=10)
    def back(self) -> None:
        """Go back to the map."""
        self.screen.focus_previous()


@dataclass(frozen=True)
class Paint:
    """With what the details are written: signs, the colours of states, and how many columns there are."""

    glyphs: Glyphs
    colours: Mapping[State, str]
    columns: int

    def state(self, knowledge: Knowledge, component: str) -> tuple[str, Style]:
        """How a component looks, as sign and word."""
        state = knowledge.state(component)
        return f"{self.glyphs.of(state)} {knowledge.word(component)}", Style.parse(self.colours[state])


def details(knowledge: Knowledge, component: str, now: int, paint: Paint) -> Text:
    """The text for a component."""
    text = Text().append(component, Style(bold=True)).append("  ").append(*paint.state(knowledge, component))
    if facts := documented(knowledge.inventory, component):
        text.append(f"\n{facts}", Style(dim=True))
    sightings = sorted(knowledge.of(component).values(), key=lambda one: (-one.at, one.source))
    for line in _lines(sightings, now, paint):
        text.append("\n").append_text(line)
    if not sightings:
        text.append(f"\n{NOTHING}")
    for part in knowledge.parts(component) if "/" not in component else ():
        if knowledge.state(part) not in (State.OK, State.UNKNOWN):
            text.append(f"\n{part}: ").append(*paint.state(knowledge, part))
    return text


def _lines(sightings: list[Sighting], now: int, paint: Paint) -> Iterator[Text]:
    """The sightings, those of one line under its age and its text; what is continued is set in."""
    width = max((len(one.aspect) for one in sightings), default=0)
    for (at, source), group in groupby(sightings, key=lambda one: (one.at, one.source)):
        yield Text(_hanging(f"{age(now, at)}, by: {source}", paint.columns, _SET_IN), Style(dim=True))
        for one in group:
            sign = paint.glyphs.logged if one.logged else paint.glyphs.of(one.state)
            colour = paint.colours[State.DEGRADED if one.logged else one.state]
            value = f"{one.value} (in a log)" if one.logged else one.value
            line = Text().append(_SIGN.format(sign), Style.parse(colour))
            yield line.append(_beside(f"{one.aspect:<{width}}{_GAP}", value, paint.columns - _SET_IN))


def _beside(aspect: str, value: str, columns: int) -> str:
    """A value beside its aspect and set in as far on every line; or below it where there is little room beside it."""
    room = columns - len(aspect)
    short = f"{aspect.rstrip()}{_GAP}{value}"
    if room < min(len(value), _LEAST_FOR_VALUES) and len(short) <= columns:
        return short
    if room >= min(_LEAST_FOR_VALUES, len(value)):
        return aspect + _joined(wrapped(value, room), _SET_IN + len(aspect))
    return _joined([aspect.rstrip(), *wrapped(value, columns)], _SET_IN)


def _hanging(text: str, columns: int, indent: int) -> str:
    """A text wrapped, its continued lines set in."""
    first = wrapped(text, columns)[0]
    rest = text[len(first) :].strip()
    return _joined([first, *(wrapped(rest, columns - indent) if rest else [])], indent)


def _joined(lines: Sequence[str], indent: int) -> str:
    return f"\n{' ' * indent}".join(lines)


def documented(inventory: Inventory, component: str) -> str:
    """What the site's documentation says of a component: where it stands, its address, what it is cabled to."""
    host, _, part = component.partition("/")
    if host in inventory.switches:
        switch = inventory.switches[host]
        return f"{switch.model}, {switch.role} switch in rack {switch.rack}, unit {switch.unit}"
    node = inventory.node(host)
    if not part:
        return f"{node.product_name}, {node.role} node in rack {node.rack}, unit {node.unit}"
    gpu = next((each for each in node.gpus if each.id == component), None)
    if gpu is not None:
        return f"{gpu.product.name}, PCI {gpu.address}, SXM socket {gpu.module}"
    hca = next((each for each in node.hcas if component in (each.id, each.port)), None)
    if hca is not None:
        cable = inventory.cables.get(hca.port)
        return f"{hca.model}, PCI {hca.address}, " + (f"cable to {cable.other(hca.port)}" if cable else "no cable")
    return ""
