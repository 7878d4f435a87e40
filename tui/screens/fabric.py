"""The fabric: switches and nodes tier by tier as they were last seen, and the cables of the one under the cursor."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, Static

from tui.actions import action
from tui.app import breakfix
from tui.live.live import Live
from tui.look.glyphs import State
from tui.screens.view import Turn, View
from tui.seen.fabric import Bundle, numbers
from tui.widgets.fabric_picture import FabricPicture
from tui.widgets.filter_line import FilterLine
from tui.widgets.node_details import documented
from tui.widgets.pick_list import Line, PickList

_SECONDS_BETWEEN_LOOKS = 1.0
_NEIGHBOUR_COLUMNS = 18


class FabricMap(View):
    """The picture, the cables of what its cursor is on, and what was said of the chosen one."""

    VIEW = "fabric"
    title_text = "Fabric: what you have seen"
    ABOUT = (
        "Fabric",
        """
        Switches and nodes tier by tier. A sign stands for one of them, or for several where there are many: the worst
        of them is shown, and Enter looks into it, with what is cabled to it. Below are the cables of the one under the
        cursor, with its rail where it belongs to one. What is cabled to what is the site's documentation; how it looks
        comes from what commands showed.
        """,
    )
    CSS = """
    FabricMap .dialog { width: 100%; max-width: 100%; height: 1fr; max-height: 100%; }
    FabricMap #fabric-title { height: 1; padding: 0 1; border-top: none; text-style: bold; }
    FabricMap PickList { height: 1fr; border-top: solid $frame; }
    FabricMap #fabric-told { height: 2; padding: 0 1; color: $muted; }
    """

    def __init__(self, live: Live, at: str | None = None) -> None:
        super().__init__(live, at)
        self.picture = FabricPicture(live)
        self.cables = PickList(id="fabric-cables")
        self._frames: list[list[str]] = []
        self._bundles: dict[str, Bundle] = {}
        self._known = -1

    def content(self) -> ComposeResult:
        """Picture, cables and what is told of them."""
        yield self.picture
        yield Static(markup=False, id="fabric-title")
        yield self.cables
        yield Static(markup=False, id="fabric-told")
        yield FilterLine(self.picture, "a part of a name, a role, a rack: leaf-0, spine, ...")

    def on_mount(self) -> None:
        """Look at what is new now and then."""
        super().on_mount()
        self.picture.focus()
        if self.at is not None:
            self.picture.choose(self.at.partition("/")[0])
        self.set_interval(_SECONDS_BETWEEN_LOOKS, self.show_session)
        self.show_session()

    @property
    def component(self) -> str | None:
        """The machine that the cursor stands for."""
        cell = self.picture.cell
        return cell.machines[0] if cell else None

    @property
    def bundle(self) -> Bundle | None:
        """The cables under the list's cursor."""
        line = self.cables.line
        return self._bundles.get(line.id) if line else None

    def show_session(self) -> None:
        """Show what is new."""
        if self.live.knowledge.version != self._known:
            self._known = self.live.knowledge.version
            self.picture.refresh()
            self._show_cell()

    @on(FabricPicture.Moved)
    def _show_cell(self) -> None:
        cell = self.picture.cell
        title = self.query_one("#fabric-title", Static)
        if cell is None:
            title.update("Nothing here matches.")
            self._bundles = {}
            self.cables.show([])
        elif len(cell.machines) > 1:
            title.update(f"{cell.title}: {len(cell.machines)} of them; Enter looks into them")
            self._bundles = {}
            self.cables.show([self._machine(name) for name in cell.machines])
        else:
            title.update(self._title(cell.machines[0]))
            bundles = self.picture.fabric.bundles(cell.machines[0])
            self._bundles = {bundle.ports[0]: bundle for bundle in bundles}
            self.cables.show([self._cable(bundle) for bundle in bundles])
        self._tell()

    def _title(self, name: str) -> str:
        fabric, told = self.picture.fabric, f"{name}, {documented(self.picture.fabric.inventory, name)}"
        rails = fabric.rails(name) if name in fabric.inventory.switches else []
        if rails:
            told += f", rail{'s' * (len(rails) > 1)} {', '.join(map(str, rails))}"
        return told

    def _signed(self, state: State) -> str:
        return breakfix(self).glyphs.of(state)

    def _machine(self, name: str) -> Line:
        knowledge = self.live.knowledge
        state = knowledge.state(name)
        return Line(f"{self._signed(state)} {name}", knowledge.word(name), name, state.tone)

    def _cable(self, bundle: Bundle) -> Line:
        state = self.picture.seen.bundle(bundle)
        many = f"{len(bundle.ports)} cables" if len(bundle.ports) > 1 else "1 cable"
        rail = f"rail {bundle.rail}" if bundle.rail is not None else ""
        text = f"{self._signed(state)} {bundle.neighbour:<{_NEIGHBOUR_COLUMNS}} {many:<10} port {numbers(bundle.ports)}"
        return Line(f"{text:<54} {rail}", state.value, bundle.ports[0], state.tone)

    @on(PickList.Moved)
    def _tell(self) -> None:
        bundle, text = self.bundle, ""
        if bundle is not None:
            bad = list(self.picture.seen.told(bundle))
            far = f"{bundle.neighbour} port {numbers(bundle.far)}"
            text = "\n".join([f"to {far}", "; ".join(bad[:2]) + (f" and {len(bad) - 2} more" if len(bad) > 2 else "")])
        self.query_one("#fabric-told", Static).update(text)

    # From one to the next

    @on(FabricPicture.Chosen)
    def _into(self) -> None:
        cell = self.picture.cell
        if cell is not None and len(cell.machines) > 1:
            self._look_at(self.picture.fabric.around(cell.machines), cell.machines[0])
        else:
            self.cables.focus()

    @on(PickList.Chosen)
    def _walk(self, message: PickList.Chosen) -> None:
        """To the machine at the other end."""
        bundle = self._bundles.get(message.line.id)
        name = self.picture.fabric.machine(bundle) if bundle else message.line.id
        cell = next((c for tier in self.picture.tiers for c in tier.cells if name in c.machines), None)
        if cell is None or len(cell.machines) > 1:
            self._look_at(self.picture.fabric.around([name]), name)
        self.picture.choose(name)
        self.picture.focus()

    def _look_at(self, machines: list[str], at: str) -> None:
        if machines != list(self.picture.machines):
            self._frames.append(list(self.picture.machines))
            self.picture.show(machines, at)

    @on(FabricPicture.Wider)
    def _wider(self) -> None:
        if self._frames:
            self.picture.show(self._frames.pop())

    @action("fabric.map", "On the map", "m", footer=10, when="component")
    def show_on_map(self) -> None:
        """The machine under the cursor on the map, with all that is known of it."""
        self.dismiss(Turn("map", self.component))

    @action("fabric.other", "Picture, cables", "tab", footer=20)
    def other_part(self) -> None:
        """From the picture to the cables, and back."""
        (self.cables if self.picture.has_focus else self.picture).focus()

    @action("fabric.filter", "Filter", "/", footer=30)
    def show_filter(self) -> None:
        """Show only machines with this in their name, role or rack, and what is cabled to them."""
        self.query_one(FilterLine).call()

    @on(Input.Changed)
    def _filtered(self, message: Input.Changed) -> None:
        fabric, text = self.picture.fabric, message.value.strip()
        self._frames.clear()
        fitting = fabric.fitting(text) if text else []
        self.picture.show(fabric.around(fitting) if text else fabric.all(), next(iter(fitting), None))
