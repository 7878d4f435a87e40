"""Where an item is answered: one widget for each kind. All post what was answered (`Answered`), and `GoOn` for Enter
once it is; Enter answers first and then goes on. `show_answer` shows what counts.
"""

from __future__ import annotations

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from exams.answers import AnswerError, answer_from
from exams.rendered import LETTERS, Rendered
from tui.actions import Acts, action
from tui.app import breakfix
from tui.live.exam_answers import chosen, moved, order, too_many
from tui.widgets.exam_answered import Answered, GoOn, LabWanted
from tui.widgets.exam_rows import ChoiceRows
from tui.widgets.rows import ACCENT, MUTED, Row

_LETTER_KEYS = tuple("abcdefghABCDEFGH")
_DIGIT_KEYS = tuple("12345678")

_CHOSEN = f"bold {ACCENT}"


class ChosenArea(ChoiceRows):
    """Options of which one or several are chosen."""

    def __init__(self, item: Rendered, data: Any) -> None:
        super().__init__(id="area")
        self.item, self.data = item, list(data or ())
        self._places = [choice.id for choice in item.choices]
        if self.data:
            self.cursor = self._places.index(self.data[0])

    def on_mount(self) -> None:
        """Show them."""
        self.show_answer(self.data)

    def show_answer(self, data: Any) -> None:
        """Show which are chosen."""
        self.data = list(data or ())
        self.show([self._row(place) for place in range(len(self._places))])

    def _row(self, place: int) -> Row:
        glyphs, choice = breakfix(self).glyphs, self.item.choices[place]
        on = choice.id in self.data
        signs = (glyphs.chosen, glyphs.unchosen) if self.item.kind == "single" else (glyphs.checked, glyphs.unchecked)
        style = _CHOSEN if on else ""
        return Row(choice.text, style, ((f" {signs[not on]} ", style), (f"{LETTERS[place]}  ", style or ACCENT)))

    def touched(self, place: int) -> None:
        data = chosen(self.item, self.data, self._places[place])
        self.post_message(Answered(data, too_many(self.item, data)))

    @action("answer.letter", "By letter", *_LETTER_KEYS, takes_key=True)
    def by_letter(self, key: str) -> None:
        """Choose the option of that letter; among several, once more takes it back."""
        place = LETTERS.find(key.upper())
        if 0 <= place < len(self._places):
            self.put_cursor(place)
            self.touched(place)

    @property
    def on_chosen(self) -> bool:
        """Whether the option under the cursor is chosen."""
        return self._places[self.cursor] in self.data

    @property
    def on_other(self) -> bool:
        """Whether the option under the cursor is not chosen."""
        return not self.on_chosen

    @property
    def of_several(self) -> bool:
        """Whether several can be chosen."""
        return self.item.kind == "multiple"

    @action("answer.choose", "Choose", "enter", footer=5, when="on_other")
    def choose(self) -> None:
        """Choose the option under the cursor."""
        self.touched(self.cursor)

    @action("answer.go_on", "Go on", "enter", footer=5, when="on_chosen")
    def go_on(self) -> None:
        """The answer stands; go on."""
        self.post_message(GoOn())

    @action("answer.toggle", "Choose or not", "space", footer=6, when="of_several")
    def toggle(self) -> None:
        """Choose the option under the cursor, or take it back."""
        self.touched(self.cursor)

    @action("answer.mark", "Choose", "space", when="on_other")
    def mark(self) -> None:
        """Choose the option under the cursor."""
        self.touched(self.cursor)


class OrderedArea(ChoiceRows):
    """Steps that are put in order: one is taken, moved, and put down. `held` is the place of the one that was taken."""

    def __init__(self, item: Rendered, data: Any) -> None:
        super().__init__(id="area")
        self.item, self.data = item, data
        self.held: int | None = None
        self._before: tuple[int, Any] = (0, None)

    def on_mount(self) -> None:
        """Show them."""
        self.show_answer(self.data)

    def show_answer(self, data: Any) -> None:
        """Show the order that was given, or the one in which they came."""
        self.data = data
        self._show()

    @property
    def _order(self) -> list[str]:
        return order(self.item, self.data)

    def _show(self) -> None:
        self.show([self._row(place, id) for place, id in enumerate(self._order)])

    def _row(self, place: int, id: str) -> Row:
        held = place == self.held
        sign = breakfix(self).glyphs.arrow if held else " "
        style = ACCENT if self.data else MUTED
        return Row(self.item.choice(id).text + (" (moving)" if held else ""), "", ((f" {sign} {place + 1}  ", style),))

    def go(self, step: int) -> None:
        if self.held is None:
            super().go(step)
        else:
            self._move(self.held, self.held + step, hold=True)

    def touched(self, place: int) -> None:
        if self.held is None or place == self.held:
            self.take()
        else:
            self._move(self.held, place)

    def _move(self, place: int, to: int, *, hold: bool = False) -> None:
        to = min(max(to, 0), len(self.item.choices) - 1)
        self.data = moved(self._order, place, to)
        self.held = to if hold else None
        self._show()
        self.put_cursor(to)
        self.post_message(Answered(self.data))

    @action("answer.take", "Move", "space", footer=5)
    def take(self) -> None:
        """Take the step under the cursor to move it with the arrows, or put it down."""
        self.focus()
        self._before = (self.cursor, self.data)
        self.held = self.cursor if self.held is None else None
        self._show()

    @property
    def moving(self) -> bool:
        """Whether a step is being moved."""
        return self.held is not None

    @action("answer.put_back", "Leave it", "escape", footer=7, when="moving")
    def put_back(self) -> None:
        """Put the step that is being moved back to where it was."""
        place, self.data = self._before
        self.held = None
        self._show()
        self.put_cursor(place)
        self.post_message(Answered(self.data))

    @action("answer.place", "To that place", *_DIGIT_KEYS, takes_key=True)
    def to_place(self, key: str) -> None:
        """Put the step under the cursor to that place."""
        if int(key) <= len(self.item.choices):
            self._move(self.cursor, int(key) - 1)

    @property
    def open(self) -> bool:
        """Whether there is a step to put down, or no answer yet."""
        return self.held is not None or not self.data

    @property
    def settled(self) -> bool:
        """Whether there is an answer."""
        return not self.open

    @action("answer.keep", "Keep order", "enter", footer=6, when="open")
    def keep(self) -> None:
        """Put down what is being moved; the order as it stands is the answer."""
        self.held = None
        self.data = self._order
        self._show()
        self.post_message(Answered(self.data))

    @action("answer.go_on", "Go on", "enter", footer=6, when="settled")
    def go_on(self) -> None:
        """The answer stands; go on."""
        self.post_message(GoOn())


class NumberArea(Horizontal, Acts):
    """A field for a number; what stands in it is the answer as soon as it is one."""

    DEFAULT_CSS: ClassVar[str] = """
    NumberArea { height: 1; }
    NumberArea Input { width: 26; margin: 0 1; }
    NumberArea Static { width: auto; color: $muted; }
    """

    def __init__(self, item: Rendered, data: Any) -> None:
        super().__init__(id="area")
        self.item, self.data = item, data

    def compose(self) -> ComposeResult:
        """The field, and the unit."""
        field = Input(str(self.data or ""), id="number", compact=True, select_on_focus=False, max_length=40)
        field.cursor_blink = False
        yield field
        yield Static(self.item.unit, markup=False)

    def show_answer(self, data: Any) -> None:
        """What is typed stays as it is."""
        self.data = data

    @property
    def text(self) -> str:
        """What stands in the field."""
        return next((one.value for one in self.query(Input)), "")

    @property
    def why_not(self) -> str:
        """Why what stands in the field is no answer; empty where it is one, or where nothing is typed."""
        try:
            answer_from(self.item, self.text.strip())
        except AnswerError as error:
            return error.message
        return ""

    def type_on(self, character: str) -> None:
        """Somebody begins to type: the field takes it, and has the keys from now on."""
        field = self.query_one(Input)
        field.focus()
        field.insert_text_at_cursor(character)

    def clear(self) -> None:
        """Empty the field; so nothing is answered."""
        self.query_one(Input).value = ""

    def on_input_changed(self, event: Input.Changed) -> None:
        """Every change is an answer, or none yet."""
        event.stop()
        text = event.value.strip()
        if text != str(self.data or ""):
            self.post_message(Answered(text or None))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter."""
        event.stop()
        self.post_message(GoOn())

    @action("answer.go_on", "Go on", "enter", footer=5)
    def go_on(self) -> None:
        """The number stands; go on."""
        self.post_message(GoOn())


class LabArea(Horizontal, Acts, can_focus=True):
    """Opens the lab of a hands-on item, and says what came of it."""

    DEFAULT_CSS: ClassVar[str] = """
    LabArea { height: 1; }
    LabArea Static { width: auto; margin: 0 1; }
    LabArea:focus Button { background: $accent; color: $on-accent; }
    LabArea:focus Button:disabled { background: $panel; color: $muted; }
    """

    def __init__(self, item: Rendered, data: Any) -> None:
        super().__init__(id="area")
        self.item, self.data = item, data

    def compose(self) -> ComposeResult:
        """A button and a word."""
        button = Button("Open the lab", id="lab", compact=True)
        button.can_focus = False
        yield button
        yield Static(id="came", markup=False)

    def on_mount(self) -> None:
        """Say how it stands."""
        self.show_answer(self.data)

    def show_answer(self, data: Any) -> None:
        """Say whether it was handed in."""
        self.data = data
        self.query_one("#came", Static).update("handed in" if data is not None else f"about {self.item.minutes} min")
        self.query_one(Button).disabled = data is not None

    @property
    def open(self) -> bool:
        """Whether it can be played."""
        return self.data is None

    @property
    def done(self) -> bool:
        """Whether it was handed in."""
        return self.data is not None

    @action("answer.lab", "Open the lab", "enter", footer=5, when="open")
    def open_lab(self) -> None:
        """Solve it in the shell."""
        self.post_message(LabWanted())

    @action("answer.go_on", "Go on", "enter", footer=5, when="done")
    def go_on(self) -> None:
        """Go on."""
        self.post_message(GoOn())

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """The same by mouse."""
        event.stop()
        self.open_lab()


class PointedArea(Static):
    """The line that was pointed at, in words; the exhibit is where it is done."""

    def __init__(self, item: Rendered, data: Any) -> None:
        super().__init__(id="area", markup=False)
        self.item = item
        self._data = data

    def on_mount(self) -> None:
        """Say which."""
        self.show_answer(self._data)

    def show_answer(self, data: Any) -> None:
        """Say which line it is."""
        known = isinstance(data, int)
        self.update(f"Line {data}: {self.item.exhibit[data - 1].strip()}" if known else "No line yet.")


def area_of(item: Rendered, data: Any) -> Widget:
    """The widget in which an item is answered."""
    from tui.widgets.exam_matching import MatchedArea

    kinds: dict[str, Any] = {
        "single": ChosenArea,
        "multiple": ChosenArea,
        "ordering": OrderedArea,
        "matching": MatchedArea,
        "numeric": NumberArea,
        "point": PointedArea,
        "hands-on": LabArea,
    }
    made: Widget = kinds[item.kind](item, data)
    return made
