"""The racks: what stands where, and how it looked when it was last seen."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, Static

from tui.actions import action
from tui.live.live import Live
from tui.screens.view import Turn, View
from tui.seen.racks import racks
from tui.widgets.filter_line import FilterLine
from tui.widgets.node_details import documented
from tui.widgets.rack_view import RackView

_SECONDS_BETWEEN_LOOKS = 1.0


class Racks(View):
    """The racks of a session."""

    VIEW = "racks"
    title_text = "Racks: what you have seen"
    ABOUT = (
        "Racks",
        """
        What stands in each rack, the highest first, with the unit at which it begins; a node with its GPUs in the order
        of their numbers. Whoever goes into the machine room finds it there. Signs are what commands showed.
        """,
    )
    CSS = """
    Racks .dialog { width: 100%; max-width: 100%; height: 1fr; max-height: 100%; }
    Racks RackView { height: 1fr; }
    Racks #rack-told { height: 1; padding: 0 1; color: $muted; }
    """

    def __init__(self, live: Live, at: str | None = None) -> None:
        super().__init__(live, at)
        self.racks = RackView(live)
        self._known = -1

    def content(self) -> ComposeResult:
        """The racks, what the chosen machine is, and the filter."""
        yield self.racks
        yield Static(markup=False, id="rack-told")
        yield FilterLine(self.racks, "a part of a name: R02, dgx-02, leaf, ...")

    def on_mount(self) -> None:
        """Look at what is new now and then."""
        super().on_mount()
        self.racks.focus()
        self.racks.show(racks(self.live.knowledge.inventory), (self.at or "").partition("/")[0] or None)
        self.set_interval(_SECONDS_BETWEEN_LOOKS, self.show_session)

    def show_session(self) -> None:
        """Show what is new."""
        if self.live.knowledge.version != self._known:
            self._known = self.live.knowledge.version
            self.racks.refresh()
            self._tell()

    @property
    def component(self) -> str | None:
        """The machine under the cursor."""
        return self.racks.machine

    @on(RackView.Moved)
    def _tell(self) -> None:
        name, knowledge = self.racks.machine, self.live.knowledge
        told = "Nothing here matches."
        if name is not None:
            told = f"{name}: {knowledge.word(name)}. {documented(knowledge.inventory, name)}"
        self.query_one("#rack-told", Static).update(told)

    @on(RackView.Chosen)
    def _chosen(self) -> None:
        self.dismiss(Turn("map", self.component))

    @action("racks.filter", "Filter", "/", footer=30)
    def show_filter(self) -> None:
        """Show only racks with this in their name or in that of something in them."""
        self.query_one(FilterLine).call()

    @on(Input.Changed)
    def _filtered(self, message: Input.Changed) -> None:
        self.racks.show(racks(self.live.knowledge.inventory, message.value))
