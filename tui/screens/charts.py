"""Charts: the numbers that the learner has read, over time. What nobody looked at has no chart."""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Input, Static

from tui.actions import action
from tui.app import breakfix
from tui.live.live import Live
from tui.look.glyphs import ASCII
from tui.screens.view import View
from tui.seen.series import Series
from tui.widgets.filter_line import FilterLine
from tui.widgets.pick_list import Line, PickList
from tui.widgets.plot import chart, number, spark

EMPTY = "Nothing read yet. Numbers that commands show on the screen (temperature, power, clocks, ...) appear here."
_WIDE = 118
_LIST_COLUMNS = 64
_SPARK_COLUMNS = 15
_SECONDS_BETWEEN_LOOKS = 1.0


class Charts(View):
    """The charts of a session: what was read of an aspect, component by component, and one of them large."""

    VIEW = "charts"
    title_text = "Charts: what you have read"
    ABOUT = (
        "Charts",
        """
        Each look at a number (a temperature, a power draw, a clock, a fan's speed) is a point; the line between two
        looks is drawn, not seen. The left and right arrows change what is shown, up and down the component; Enter makes
        its chart as large as the screen, and small again.
        """,
    )
    CSS = f"""
    Charts .dialog {{ width: 100%; max-width: 100%; height: 1fr; max-height: 100%; }}
    Charts #chart-aspects {{ height: auto; max-height: 3; }}
    Charts #chart-parts {{ layout: vertical; height: 1fr; }}
    Charts PickList {{ height: 1fr; }}
    Charts #chart {{ height: 9; border-top: solid $frame; padding: 0 1; }}
    Charts.wide #chart-parts {{ layout: horizontal; }}
    Charts.wide PickList {{ width: {_LIST_COLUMNS}; height: 100%; }}
    Charts.large PickList {{ display: none; }}
    Charts.large #chart {{ width: 1fr; height: 1fr; border: none; }}
    Charts.wide #chart {{ width: 1fr; height: 100%; border-top: none; border-left: solid $frame; }}
    """

    def __init__(self, live: Live, at: str | None = None) -> None:
        super().__init__(live, at)
        self.list = PickList(id="chart-components")
        self.aspect = next(iter(live.knowledge.readings.aspects), "")
        self._filter = ""
        self._known = -1

    def content(self) -> ComposeResult:
        """The aspects, the components with their sparks, and the chart of one."""
        yield Static(markup=False, id="chart-aspects")
        with Container(id="chart-parts"):
            yield self.list
            yield Static(markup=False, id="chart")
        yield FilterLine(self.list, "a part of a name: dgx-02, gpu5, ...")

    def on_mount(self) -> None:
        """Look at what is new now and then."""
        super().on_mount()
        self.list.focus()
        self.set_interval(_SECONDS_BETWEEN_LOOKS, self.show_session)
        self.show_session()

    def on_resize(self, event: events.Resize) -> None:
        """The chart beside the list where there is room, else below."""
        self.set_class(event.size.width >= _WIDE, "wide")
        self.call_after_refresh(self._show_chart)

    @property
    def component(self) -> str | None:
        """The one whose chart is shown."""
        line = self.list.line
        return line.id if line else None

    @property
    def _ascii(self) -> bool:
        return breakfix(self).glyphs is ASCII

    def show_session(self) -> None:
        """Show what is new."""
        if self.live.knowledge.version != self._known:
            self._known = self.live.knowledge.version
            self.aspect = self.aspect or next(iter(self.live.knowledge.readings.aspects), "")
            self._show_all()

    def _show_all(self) -> None:
        aspects = self.live.knowledge.readings.aspects
        told = "  ".join(f"[{aspect}]" if aspect == self.aspect else aspect for aspect in aspects)
        self.query_one("#chart-aspects", Static).update(told or EMPTY)
        shown = self._shown()
        edges = self._edges(shown)
        self.list.show([self._line(series, edges) for series in shown], self.at)
        self.at = None
        self._show_chart()

    def _shown(self) -> list[Series]:
        found = self.live.knowledge.readings.of(self.aspect).values()
        order = self.live.knowledge.inventory.node_index
        kept = [series for series in found if self._filter in series.component.lower()]
        return sorted(kept, key=lambda series: order.get(series.component.partition("/")[0], len(order)))

    @staticmethod
    def _edges(shown: list[Series]) -> tuple[float, float]:
        """All sparks have the same scale, so that they can be compared."""
        return min((one.least for one in shown), default=0), max((one.most for one in shown), default=1)

    def _line(self, series: Series, edges: tuple[float, float]) -> Line:
        drawn = spark(series.points, _SPARK_COLUMNS, *edges, ascii_only=self._ascii)
        last = f"{number(series.last.value)} {series.unit}".strip()
        between = f"{number(series.least)}..{number(series.most)}"
        return Line(f"{series.component:<18} {drawn:<{_SPARK_COLUMNS}}", f"{between:>10}  {last:>10}", series.component)

    def _show_chart(self) -> None:
        place = self.query_one("#chart", Static)
        line = self.list.line
        series = self.live.knowledge.readings.of(self.aspect).get(line.id) if line else None
        if series is None:
            place.update("")
            return
        size = place.scrollable_content_region
        title = f"{series.component}: {series.aspect}" + (f" in {series.unit}" if series.unit else "")
        rows = chart(series.points, size.width, max(size.height - 1, 3), self.live.time_of_day, self._ascii)
        place.update("\n".join([title[: size.width], *rows]))

    @on(PickList.Moved)
    def _moved(self) -> None:
        self._show_chart()

    @on(PickList.Chosen)
    def _chosen(self) -> None:
        self._enlarge(True)

    def _enlarge(self, large: bool) -> None:
        self.set_class(large, "large")
        place = self.query_one("#chart")
        place.can_focus = large
        (place if large else self.list).focus()
        self.call_after_refresh(self._show_chart)

    @property
    def is_large(self) -> bool:
        """Whether one chart has the screen to itself."""
        return self.has_class("large")

    @action("charts.small", "List", "enter", footer=5, when="is_large")
    def make_small(self) -> None:
        """Back to the list of components."""
        self._enlarge(False)

    @on(Input.Changed)
    def _filtered(self, message: Input.Changed) -> None:
        self._filter = message.value.strip().lower()
        self._show_all()

    def _turn(self, by: int) -> None:
        aspects = self.live.knowledge.readings.aspects
        if aspects:
            place = aspects.index(self.aspect) if self.aspect in aspects else 0
            self.aspect = aspects[(place + by) % len(aspects)]
            self._show_all()

    @action("charts.next", "Next", "right", "l", footer=10)
    def next_aspect(self) -> None:
        """Show what else was read: power instead of temperature, and so on."""
        self._turn(1)

    @action("charts.previous", "Previous", "left", "h", footer=20)
    def previous_aspect(self) -> None:
        """Show what came before."""
        self._turn(-1)

    @action("charts.filter", "Filter", "/", footer=30)
    def show_filter(self) -> None:
        """Show only components with this in their name."""
        self.query_one(FilterLine).call()
