"""Scroll mode: a line of the kept ones is chosen with the keys; lines are marked, copied, pinned and searched."""

from __future__ import annotations

from enum import Enum, auto

from tui.terminal.browsing_hint import Hint, Words, laid_out
from tui.terminal.finding import Search
from tui.terminal.page import Page, Spot
from tui.terminal.selection import Selection, lines_between


class Wish(Enum):
    """What a key in scroll mode asks for beyond moving."""

    COPY = auto()
    PIN = auto()
    LEAVE = auto()


class Browsing:
    """Where the reader is. `choosing`: Enter pins the line; `finding`: it began with a search from the end."""

    def __init__(self, page: Page, *, choosing: bool = False, finding: bool = False) -> None:
        self.page = page
        self.choosing, self.finding = choosing, finding
        self.cursor = max(page.kept.end - 1, page.kept.first)
        self.mark: int | None = None
        self.search: Search | None = None
        self.typed: str | None = "" if finding else None
        self._move_to(min(self.cursor, page.place(page.top + page.height - 1).number))
        self._origin = self._place()

    # Keys

    def press(self, key: str) -> Wish | None:
        """What a key does."""
        if self.typed is not None:
            return self._type(key)
        page = max(self.page.height - 1, 1)
        steps = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -page, "ctrl+u": -page // 2, "ctrl+b": -page,
                 "pagedown": page, "ctrl+d": page // 2, "ctrl+f": page}  # fmt: skip
        if key in steps:
            self._move_rows(steps[key])
        elif key in ("g", "home", "<"):
            self._move_to(self.page.kept.first)
        elif key in ("G", "end", ">"):
            self._move_to(self.page.kept.end - 1)
        elif key in ("v", "space", " "):
            self.mark = self.cursor if self.mark is None else None
        elif key in ("/", "?"):
            self.typed = ""
            self._origin = self._place()
        elif key in ("n", "N"):
            self.find_next(backward=key == "n")
        elif key in ("y", "enter") and not (self.choosing and key == "enter"):
            return Wish.COPY
        elif key in ("p", "enter"):
            return Wish.PIN
        elif key in ("q", "escape", "ctrl+c"):
            return Wish.LEAVE
        return None

    def _type(self, key: str) -> Wish | None:
        """A key in the search line; each character searches at once."""
        typed = self.typed or ""
        if key in ("escape", "ctrl+c", "ctrl+g"):
            self.type_text("")
            self.typed = None
            return Wish.LEAVE if self.finding else None
        if key == "enter":
            self.typed = None
            return None
        if key in ("up", "down"):
            self.find_next(backward=key == "up")
            return None
        if key in ("backspace", "ctrl+h"):
            typed = typed[:-1]
        elif key == "ctrl+u":
            typed = ""
        elif key in ("space", " "):
            typed += " "
        elif len(key) == 1:
            typed += key
        else:
            return None
        self.type_text(typed)
        return None

    def type_text(self, text: str) -> None:
        """Search for a text upwards from where the search began; a text that is not there leads back to it."""
        self.typed = text
        self.search = Search(self.page, text) if text else None
        self._go_back(self._origin)
        if self.search is not None:
            self._go_to(self.search.go(Spot(self.cursor + 1, 0), backward=True))

    def find_next(self, backward: bool) -> None:
        """The next place (upwards, or down) of what was searched: from the one shown, or from the chosen line."""
        if self.search is None:
            return
        self.search.catch_up()
        start = self.search.current
        if start is None or start.number != self.cursor:
            start = Spot(self.cursor, 0 if backward else len(self.page.text(self.cursor)))
        self._go_to(self.search.go(start, backward))

    def _place(self) -> tuple[int, Spot | None]:
        """The chosen line, and what stands at the top of the view; None if the view follows the end."""
        return self.cursor, None if self.page.following else self.page.spot(self.page.top, 0)

    def _go_back(self, place: tuple[int, Spot | None]) -> None:
        """To a place where the reader was."""
        number, top = place
        if top is None:
            self.page.scroll_to_end()
        else:
            self.page.scroll_to(self.page.row_of_spot(top))
        self._move_to(number)

    def _go_to(self, spot: Spot | None) -> None:
        if spot is not None:
            self._move_to(spot.number)
            self.page.show_row(self.page.row_of_spot(spot))

    # Moving

    def choose(self, number: int) -> None:
        """Go to a line that was clicked."""
        self._move_to(number)

    def _move_rows(self, steps: int) -> None:
        """By lines for one step, by rows for more, so that long lines do not make pages longer."""
        if abs(steps) == 1:
            self._move_to(self.cursor + steps)
        else:
            row = max(self.page.row_of(self.cursor) + steps, 0)
            self._move_to(self.page.place(min(row, self.page.kept.rows - 1)).number)

    def _move_to(self, number: int) -> None:
        kept = self.page.kept
        self.cursor = max(min(number, kept.end - 1), kept.first)
        self.page.show_row(self.page.row_of(self.cursor))

    def hold(self) -> None:
        """Stay on a kept line when the oldest have gone."""
        self.cursor = max(self.cursor, self.page.kept.first)

    # What is chosen

    @property
    def selection(self) -> Selection | None:
        """The marked lines; the line alone when nothing is marked."""
        return lines_between(self.page, self.cursor if self.mark is None else self.mark, self.cursor)

    def hint(self, can_pin: bool, width: int) -> Hint:
        """What the bottom row says: what one is doing, the way out, and between them as many keys as have room."""
        head, words = self._hints(can_pin)
        below = self.page.lines_below
        return laid_out(head, [*words, {f"{below:,} below": "end"}] if below else words, _WAY_OUT, width)

    def _hints(self, can_pin: bool) -> tuple[str, list[Words]]:
        count = self.search.count if self.search else ""
        if self.typed is not None:
            return f"find: {self.typed}_  {count}".rstrip(), [{"Enter done": "enter"}, *_OLDER_AND_NEWER]
        if self.choosing:
            several = "v several" if self.mark is None else "v one"
            return "choose the line:", [_UP_AND_DOWN, {"Enter pins": "enter"}, {several: "v"}, _FIND]
        pin: list[Words] = [{"p pin": "p"}] if can_pin else []
        if self.search is not None:
            return f"find: {self.search.needle}  {count}", [{"n older": "n"}, {"N newer": "N"}, _COPY, *pin]
        if self.mark is not None:
            return "marking:", [_UP_AND_DOWN, _COPY, *pin, {"v none": "v"}]
        return "scroll:", [_UP_AND_DOWN, _PAGES, _FIND, {"v mark": "v"}, _COPY, *pin, {"g top": "g"}, {"G end": "G"}]


_UP_AND_DOWN: Words = {"Up": "up", "Down": "down"}
_PAGES: Words = {"PgUp": "pageup", "PgDn": "pagedown"}
_OLDER_AND_NEWER: tuple[Words, ...] = ({"Up older": "up"}, {"Down newer": "down"})
_FIND: Words = {"/ find": "/"}
_COPY: Words = {"y copy": "y"}
_WAY_OUT: Words = {"Esc leave": "escape"}
