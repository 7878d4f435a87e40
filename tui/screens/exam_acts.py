"""What can be done with the item in view besides answering it: flag, note, calculator; and in study mode more."""

from __future__ import annotations

from textual import events
from textual.dom import DOMNode
from textual.screen import Screen

from tui.actions import Acts, action
from tui.app import breakfix
from tui.live.exam import Sitting
from tui.widgets.exam_areas import NumberArea
from tui.widgets.exam_exhibit import ExhibitBox
from tui.widgets.exam_item import ItemView
from tui.widgets.exam_matching import Lefts
from tui.widgets.exam_top import ExamTop
from tui.widgets.footer import Footer


class ItemActs(Screen[None], Acts):
    """A screen that shows the items of a sitting."""

    def __init__(self, sitting: Sitting) -> None:
        super().__init__()
        self.sitting = sitting

    @property
    def view(self) -> ItemView:
        """Where the item stands."""
        return self.query_one(ItemView)

    def look_again(self) -> None:
        """Show how it stands now, but not the item anew."""
        self.query_one(ExamTop).look_again()
        self.query_one(Footer).look_again()

    async def show_item(self) -> None:
        """Show the item in view."""
        raise NotImplementedError

    async def mark_item(self) -> None:
        """Study: mark the item in view, and explain it."""
        raise NotImplementedError

    @property
    def revealed(self) -> bool:
        """Whether the item in view is marked and explained."""
        return bool(self.sitting.attempt.items) and self.sitting.response.revealed

    @action("exam.flag", "Flag", "f2", "prefix f", footer=20)
    def flag(self) -> None:
        """Flag the item to come back to it, or take the flag away."""
        self.sitting.flag(not self.sitting.response.flagged)
        self.look_again()

    @action("exam.note", "Note", "f4", "prefix e", footer=40)
    def note(self) -> None:
        """Write a note at the item, for yourself."""
        from tui.screens.exam_note import ExamNote

        def written(text: str | None) -> None:
            if text is not None:
                self.sitting.note(text)
                breakfix(self).carry_out("Note", self.show_item())

        self.app.push_screen(ExamNote("Note", "A note for yourself.", self.sitting.response.note), written)

    @action("exam.calculator", "Calculator", "f6", "prefix c", footer=50)
    def calculator(self) -> None:
        """Reckon with + - * / and brackets."""
        from tui.screens.calculator import Calculator

        self.app.push_screen(Calculator())

    @property
    def can_clear(self) -> bool:
        """Whether there is an answer to take back."""
        if not self.sitting.attempt.items or self.revealed or self.sitting.item.kind == "hands-on":
            return False
        area = self.query("#area").results(NumberArea)
        return self.sitting.response.answer is not None or any(one.text for one in area)

    @action("exam.clear", "Clear the answer", "prefix x", footer=60, when="can_clear")
    def clear(self) -> None:
        """Take the answer back; the item is not answered then."""
        area = self.view.area
        if isinstance(area, NumberArea):
            area.clear()
            return
        self.sitting.answer(None)
        self.view.show_answer(None)
        self.look_again()

    # From the exhibit

    @property
    def in_exhibit(self) -> bool:
        """Whether the keys scroll the exhibit, and the answer is given elsewhere."""
        return isinstance(self.focused, ExhibitBox) and not self.focused.pointing

    @property
    def companions(self) -> list[DOMNode]:
        """What answers the item does so from the exhibit as well, with the keys that do not scroll."""
        area = self.view.area if self.in_exhibit else None
        if area is None:
            return []
        return [*area.query(Lefts), area]

    def on_key(self, event: events.Key) -> None:
        """What is typed while the exhibit has the keys goes into the field for a number."""
        area = self.view.area
        if self.in_exhibit and isinstance(area, NumberArea) and event.is_printable and event.character:
            event.stop()
            area.type_on(event.character)

    @property
    def exhibit_overflows(self) -> bool:
        """Whether there is more of the exhibit than is seen, to go to."""
        return not self.in_exhibit and any(one.overflows and not one.has_focus for one in self.query(ExhibitBox))

    @action("exam.answers", "Answers", "tab", footer=30, when="in_exhibit")
    def to_answers(self) -> None:
        """From the exhibit back to the answers."""
        self.view.focus_answer()

    @action("exam.tab", "Exhibit", "tab", footer=30, when="exhibit_overflows")
    def other_part(self) -> None:
        """From the answers to the exhibit, whose lines the arrow keys then scroll."""
        self.focus_next()

    @action("exam.page_down", "Page down", "pagedown")
    def page_down(self) -> None:
        """Scroll down."""
        self.view.scroll_page_down(animate=False)

    @action("exam.page_up", "Page up", "pageup")
    def page_up(self) -> None:
        """Scroll up."""
        self.view.scroll_page_up(animate=False)

    # Study

    @property
    def can_reveal(self) -> bool:
        """Whether the answer can be shown now."""
        return not self.sitting.is_exam and bool(self.sitting.attempt.items) and not self.revealed

    @action("exam.reveal", "Show the answer", "prefix v", footer=35, when="can_reveal")
    async def reveal(self) -> None:
        """Mark the item as it is answered now, or as not answered, and explain it."""
        await self.mark_item()

    @property
    def has_cluster(self) -> bool:
        """Whether the exhibit's cluster can be opened."""
        return not self.sitting.is_exam and bool(self.sitting.attempt.items) and bool(self.sitting.item.typed)

    @action("exam.shell", "Open in the shell", "prefix o", footer=36, when="has_cluster")
    def open_shell(self) -> None:
        """Look around on the cluster that the exhibit shows."""
        from tui.screens.exam_lab import open_cluster

        item = self.sitting.item
        breakfix(self).carry_out("Exhibit", open_cluster(self, self.sitting, item))

    @property
    def can_practise(self) -> bool:
        """Whether there is a drill that trains what the item asks."""
        return self.revealed and bool(self.sitting.item.practise)

    @action("exam.practise", "Practise", "prefix d", footer=37, when="can_practise")
    def practise(self) -> None:
        """Leave this, which is kept, for a drill that trains what the item asks."""
        app, name = breakfix(self), self.sitting.item.practise[0]
        app.go_home()
        app.carry_out("Practise", app.open_drill(name))
