"""Matching: texts on the left, each of which gets one of those on the right."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal

from exams.rendered import LETTERS, Rendered, letter
from tui.actions import Acts, action
from tui.live.exam_answers import matched, next_unmatched
from tui.widgets.exam_answered import Answered, GoOn
from tui.widgets.exam_rows import ChoiceRows
from tui.widgets.rows import ACCENT, MUTED, Row


class Lefts(ChoiceRows):
    """What is to be matched."""

    def touched(self, place: int) -> None:
        self.area.look_at(place)

    @property
    def area(self) -> MatchedArea:
        """What it is part of."""
        assert isinstance(self.parent, MatchedArea)
        return self.parent

    @property
    def complete(self) -> bool:
        """Whether every text has its pair."""
        return self.area.complete

    @property
    def incomplete(self) -> bool:
        """Whether some text has no pair yet."""
        return not self.area.complete

    @action("answer.right", "Choose on the right", "enter", footer=5, when="incomplete")
    def to_right(self) -> None:
        """Go to the texts on the right to choose one."""
        self.area.query_one(Rights).focus()

    @action("answer.go_on", "Go on", "enter", footer=5, when="complete")
    def go_on(self) -> None:
        """All are matched; go on."""
        self.post_message(GoOn())

    @action("answer.unmatch", "Take back", "delete", "backspace")
    def unmatch(self) -> None:
        """Take back what the text under the cursor was matched with."""
        self.area.match(None)


class Rights(ChoiceRows):
    """What can be matched with it."""

    def touched(self, place: int) -> None:
        self.area.match(place)

    @property
    def area(self) -> MatchedArea:
        """What it is part of."""
        assert isinstance(self.parent, MatchedArea)
        return self.parent

    @action("answer.match", "Match with this", "enter", "space", footer=5)
    def take(self) -> None:
        """Match the text on the left with the one under the cursor."""
        self.area.match(self.cursor)


class MatchedArea(Horizontal, Acts):
    """Both lists. A letter matches the text under the cursor on the left, and goes on to the next without a pair."""

    DEFAULT_CSS: ClassVar[str] = """
    MatchedArea { height: auto; }
    MatchedArea Lefts { margin: 0 2 0 0; }
    """

    def __init__(self, item: Rendered, data: Any) -> None:
        super().__init__(id="area")
        self.item, self.data = item, dict(data or {})

    def compose(self) -> ComposeResult:
        """The two lists."""
        yield Lefts(id="lefts")
        yield Rights(id="rights")

    def on_mount(self) -> None:
        """Show them, the cursor on the first text without a pair."""
        self.show_answer(self.data)
        first = next_unmatched(self.item, self.data, -1)
        self.query_one(Lefts).put_cursor(first or 0)

    def focus(self, scroll_visible: bool = True) -> MatchedArea:
        """The texts on the left have the keys."""
        self.query_one(Lefts).focus(scroll_visible)
        return self

    @property
    def complete(self) -> bool:
        """Whether every text has its pair."""
        return len(self.data) == len(self.item.choices)

    def show_answer(self, data: Any) -> None:
        """Show which belong together."""
        self.data = dict(data or {})
        self.query_one(Lefts).show([self._left(place) for place in range(len(self.item.choices))])
        self.query_one(Rights).show([self._right(place) for place in range(len(self.item.rights))])

    def _left(self, place: int) -> Row:
        choice = self.item.choices[place]
        right = self.data.get(choice.id)
        told = letter(self.item.rights, right) if right else "_"
        style = f"bold {ACCENT}" if right else MUTED
        return Row(choice.text, "", ((f" {place + 1} ", MUTED), (f"[{told}] ", style)))

    def _right(self, place: int) -> Row:
        choice = self.item.rights[place]
        used = [str(number) for number, left in enumerate(self.item.choices, 1) if self.data.get(left.id) == choice.id]
        twice = f" {len(used)} times" if len(used) > 1 else ""
        said = f"  (used{twice}: {', '.join(used)})" if used else ""
        return Row(choice.text + said, MUTED if used else "", ((f" {LETTERS[place]}  ", ACCENT),))

    def look_at(self, place: int) -> None:
        """The text on the left that is to be matched next."""
        self.query_one(Lefts).put_cursor(place)

    def match(self, place: int | None) -> None:
        """Match the text under the cursor on the left with one on the right, or with none."""
        lefts = self.query_one(Lefts)
        left = self.item.choices[lefts.cursor].id
        self.data = matched(self.data, left, None if place is None else self.item.rights[place].id)
        self.show_answer(self.data)
        self.post_message(Answered(self.data))
        following = next_unmatched(self.item, self.data, lefts.cursor)
        if place is not None and following is not None:
            lefts.put_cursor(following)
        lefts.focus()

    @action("answer.letter", "By letter", *"abcdefghijkl", *"ABCDEFGHIJKL", takes_key=True)
    def by_letter(self, key: str) -> None:
        """Match the text under the cursor on the left with the one of that letter."""
        place = LETTERS.find(key.upper())
        if 0 <= place < len(self.item.rights):
            self.match(place)
