"""An item on the screen: stem, exhibit, and either where it is answered or what there is to say about the answer."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.containers import VerticalScroll
from textual.widget import Widget

from exams.answers import answer_data
from exams.attempt import Response
from exams.rendered import Rendered
from tui.live.exam_answers import how
from tui.widgets.exam_areas import area_of
from tui.widgets.exam_exhibit import ExhibitBox
from tui.widgets.rows import ACCENT, MUTED, Row, Rows

_LEAST_ROWS = 8


class ItemView(VerticalScroll, can_focus=False):
    """One item at a time. All of it scrolls where it is higher than the screen, and the exhibit in its frame."""

    DEFAULT_CSS = """
    ItemView { height: 1fr; overflow-x: hidden; }
    ItemView > * { padding: 0 1; }
    ItemView ExhibitBox { padding: 0; }
    ItemView #stem { margin: 0 0 1 0; }
    ItemView #how { margin: 0 0 1 0; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.item: Rendered | None = None

    async def ask(self, item: Rendered, response: Response, about: str = "") -> None:
        """Show an item that can be answered; `about` is what it is about."""
        data = answer_data(response.answer)
        pointing = item.kind == "point"
        parts = [Rows(_stem(item, about), id="stem")]
        more: list[Widget] = [Rows([Row(how(item), ACCENT)], id="how"), area_of(item, data)]
        if response.note:
            more.append(Rows([Row(), Row(f"Your note: {response.note}", MUTED)], id="note"))
        exhibit = [ExhibitBox(item, pointing=pointing, line=data if pointing and data else 0)] if item.exhibit else []
        await self._show(item, [*parts, *(more if pointing else []), *exhibit, *([] if pointing else more)])
        self._take_focus()

    async def tell(self, item: Rendered, response: Response, told: Sequence[Row], about: str = "") -> None:
        """Show an item with everything there is to say about it."""
        pointed = item.kind == "point"
        line, right = (answer_data(response.answer) or 0, item.lines) if pointed else (0, ())
        exhibit = [ExhibitBox(item, line=line, right=right)] if item.exhibit else []
        await self._show(item, [Rows(_stem(item, about), id="stem"), *exhibit, Rows(told, id="told")])
        self.can_focus = True
        self._take_focus()

    async def _show(self, item: Rendered, parts: Sequence[Widget]) -> None:
        self.item = item
        self.can_focus = False
        async with self.batch():
            await self.remove_children()
            await self.mount_all(parts)
        self._fit()
        self.scroll_home(animate=False)

    @property
    def area(self) -> Widget | None:
        """Where the item is answered, if it can be."""
        return next(iter(self.query("#area").results(Widget)), None)

    @property
    def exhibit(self) -> ExhibitBox | None:
        """The exhibit, if there is one."""
        return next(iter(self.query(ExhibitBox)), None)

    def _take_focus(self) -> None:
        """Take the keys; once more when this is painted, since what was there before may give them back late."""
        self.focus_answer()
        self.call_after_refresh(lambda: None if self.has_focus_within else self.focus_answer())

    def focus_answer(self) -> None:
        """Give the keys to where the item is answered; where it cannot be, they scroll."""
        if self.exhibit is not None and self.exhibit.pointing:
            self.exhibit.focus(scroll_visible=False)
        elif self.area is not None:
            target = next((one for one in self.area.query("Input").results(Widget)), self.area)
            target.focus(scroll_visible=False)
        else:
            self.focus(scroll_visible=False)

    def show_answer(self, data: object) -> None:
        """Show what counts as the answer."""
        for part in (self.area, self.exhibit):
            show = getattr(part, "show_answer", None)
            if show is not None:
                show(data)

    def on_resize(self, event: events.Resize) -> None:
        """The exhibit takes what it may of another height."""
        self._fit()

    def _fit(self) -> None:
        """The exhibit takes what the rest leaves, but not less than half; and again once the rest is laid out."""
        self._fit_now()
        self.call_after_refresh(self._fit_now)

    def _fit_now(self) -> None:
        if self.exhibit is not None and self.size.height:
            rest = sum(_height(one) for one in self.children if one is not self.exhibit)
            free = self.size.height - rest - self.exhibit.styles.margin.height
            self.exhibit.fit(max(free, self.size.height // 2, _LEAST_ROWS))


def _height(widget: Widget) -> int:
    """The rows that a part takes with its margins."""
    return widget.outer_size.height + widget.styles.margin.height


def _stem(item: Rendered, about: str) -> list[Row]:
    return [*([Row(about, MUTED, cut=True)] if about else []), Row(item.stem, "bold")]
