"""A field with a list below it: typing narrows the list down, and what is picked in the list stands in the field."""

from __future__ import annotations

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tui.actions import Acts, action
from tui.app import breakfix
from tui.live.choices import Choice, Matches
from tui.widgets.keys_taken import keys_taken
from tui.widgets.rows import ACCENT, MUTED, Piece, shortened

_GAP, _SCROLLBAR = 2, 2
_BACK = "<"


class Finder(Vertical, Acts):
    """Chooses one of what `find(typed)` gives. `value` is the field's text: it need not be in the list.

    `picked` is called when a choice was made, with Enter or with a click, before the next key is looked at. `titles`
    shows what a choice is before its value, for values that say little.
    """

    DEFAULT_CSS = """
    Finder { height: 1fr; min-height: 4; }
    Finder > Horizontal { height: 1; }
    Finder .finder--label { width: 18; color: $foreground; text-style: bold; }
    Finder .finder--count { width: auto; padding: 0 0 0 1; color: $muted; }
    Finder Input { width: 1fr; }
    Finder > OptionList { height: 1fr; background: $surface; text-wrap: nowrap; }
    Finder > OptionList > .option-list--option-highlighted {
        background: $surface; color: $foreground; text-style: none; }
    Finder:focus-within > OptionList > .option-list--option-highlighted { background: $selection; text-style: bold; }
    """

    class Told(Message):
        """Something about `finder`."""

        def __init__(self, finder: Finder) -> None:
            super().__init__()
            self.finder = finder

        @property
        def control(self) -> Finder:
            """Where it happened."""
            return self.finder

    class Changed(Told):
        """The field's text has changed."""

    class Missed(Told):
        """Enter was pressed on a text that fits nothing."""

    def __init__(
        self, label: str, find: Callable[[str], Matches], picked: Callable[[], None], id: str, *, titles: bool = False
    ) -> None:
        super().__init__(id=id)
        self._label, self._find, self._picked, self._titles = label, find, picked, titles
        self._matches = Matches((), 0, 0)
        self._found_for = ""
        self._listed: list[Choice | None] = []

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static(self._label, classes="finder--label", markup=False)
            field = Input(compact=True, placeholder="type, or pick below")
            field.cursor_blink = False
            yield field
            yield Static(classes="finder--count")
        choices = OptionList(compact=True, markup=False)
        choices.can_focus = False
        yield choices

    @property
    def value(self) -> str:
        """What stands in the field."""
        return self.query_one(Input).value.strip()

    @value.setter
    def value(self, text: str) -> None:
        field = self.query_one(Input)
        field.value = text
        field.cursor_position = len(text)
        self.find_again()

    def enter(self) -> None:
        """Put the cursor into the field, at once: the next key belongs there."""
        self.screen.set_focus(self.query_one(Input))

    def on_resize(self) -> None:
        """Cut the list's lines to the new width."""
        self.find_again()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self._found_for != self.value:
            self.find_again()
        self.post_message(self.Changed(self))

    def find_again(self) -> None:
        """Look for what fits the field's text."""
        self._found_for = self.value
        self._matches = self._find(self.value)
        self._listed = []
        for one in self._matches.choices:
            if one.group and (not self._listed or _group(self._listed[-1]) != one.group):
                self._listed.append(None)
            self._listed.append(one)
        self._fill()
        self.query_one(".finder--count", Static).update(_counted(self._matches))

    def _fill(self) -> None:
        choices = self.query_one(OptionList)
        choices.clear_options()
        rows = self._listed
        choices.add_options([self._option(one, rows[number + 1 :]) for number, one in enumerate(rows)])
        exact = [number for number, one in enumerate(rows) if one and one.value == self.value]
        fitting = [number for number, one in enumerate(rows) if one and one.value and self.value]
        choices.highlighted = next(iter(exact or fitting), None)

    def _option(self, one: Choice | None, after: list[Choice | None]) -> Option:
        if one is None:
            return Option(Content.styled(after[0].group if after and after[0] else "", MUTED), disabled=True)
        glyphs = breakfix(self).glyphs
        chosen = one.value == self.value and not one.opens
        mark = _BACK if one.opens and not one.value else glyphs.closed if one.opens else glyphs.unchosen
        mark = glyphs.chosen if chosen else mark
        room = max(self.content_size.width - len(mark) - 1 - _SCROLLBAR, 1)
        head, tail = (one.text, one.value) if self._titles else (one.value or one.text, one.text if one.value else "")
        head = shortened(head, room, glyphs.ellipsis)
        pieces: list[Piece] = [(f"{mark} ", ACCENT if chosen or one.opens else MUTED), (head, "")]
        left = room - len(head) - _GAP
        if tail and left > _GAP:
            pieces.append((" " * _GAP + shortened(tail, left, glyphs.ellipsis), MUTED))
        return Option(Content.assemble(*pieces))

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._take(self._listed[event.option_index])

    def _take(self, choice: Choice | None) -> None:
        if choice is None:
            return
        self.value = choice.value
        if choice.opens:
            self.enter()
            self.call_after_refresh(self._to_the_end)
        else:
            self._picked()

    def _to_the_end(self) -> None:
        field = self.query_one(Input)
        field.cursor_position = len(field.value)

    @action("finder.pick", "Choose", "enter", footer=10)
    async def pick(self) -> None:
        """Take what is marked in the list and go on."""
        await self._catch_up()
        marked = self.query_one(OptionList).highlighted
        one = self._listed[marked] if marked is not None else None
        if one is not None and one.value != self.value:
            self._take(one)
        elif one is not None:
            self._picked()
        elif self.value:
            self.post_message(self.Missed(self))

    @action("finder.up", "Up in the list", "up")
    async def up(self) -> None:
        """Mark the choice above."""
        await self._move(OptionList.action_cursor_up)

    @action("finder.down", "Down in the list", "down")
    async def down(self) -> None:
        """Mark the choice below."""
        await self._move(OptionList.action_cursor_down)

    @action("finder.page_up", "A page up in the list", "pageup")
    async def page_up(self) -> None:
        """Mark a choice a page further up."""
        await self._move(OptionList.action_page_up)

    @action("finder.page_down", "A page down in the list", "pagedown")
    async def page_down(self) -> None:
        """Mark a choice a page further down."""
        await self._move(OptionList.action_page_down)

    async def _move(self, how: Callable[[OptionList], None]) -> None:
        await self._catch_up()
        how(self.query_one(OptionList))

    async def _catch_up(self) -> None:
        """Let the field take the letters that were typed before this key, and the list fit them."""
        await keys_taken(self.query_one(Input))
        if self._found_for != self.value:
            self.find_again()


def _counted(matches: Matches) -> str:
    if not matches.of or (matches.choices and not matches.found):
        return ""
    everything = matches.exact or matches.found == matches.of
    return f"{matches.of} in all" if everything else f"{matches.found} of {matches.of} match"


def _group(choice: Choice | None) -> str:
    return choice.group if choice else ""
