"""The mouse in a terminal: selecting, scrolling, clicks on the prompt, the completion menu and what stands below."""

from __future__ import annotations

from textual import events

from tui.terminal.browsing import Browsing
from tui.terminal.page import Spot
from tui.terminal.selection import between, line_at, word_at
from tui.widgets.terminal_view import TerminalView

_WHEEL_ROWS = 3
_LEFT, _MIDDLE, _RIGHT = 1, 2, 3


class TerminalMouse(TerminalView):
    """The handlers of a terminal pane."""

    _pressed_at: Spot | None = None
    _dragged = False

    def want_menu(self, x: int, y: int) -> None:
        """A right click, at a place of the screen."""
        raise NotImplementedError

    def want_map(self, component: str) -> None:
        """Something that a word means is to be shown on the map."""
        raise NotImplementedError

    def press(self, key: str, character: str | None) -> bool:
        """A key; whether it was taken."""
        raise NotImplementedError

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel, upwards."""
        event.stop()
        event.prevent_default()
        self._wheel("up")

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel, downwards."""
        event.stop()
        event.prevent_default()
        self._wheel("down")

    def _wheel(self, direction: str) -> None:
        """Full-screen programs get arrow keys, as terminals do it."""
        if self.program is not None:
            for _ in range(_WHEEL_ROWS):
                self.program.press(direction)
        else:
            self.scroll_rows(-_WHEEL_ROWS if direction == "up" else _WHEEL_ROWS)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A selection may begin."""
        self.release_row()
        x, y = event.offset - self.content_offset
        if event.button == _RIGHT:
            event.stop()
            self.take_row(x, y)
            self.want_menu(event.screen_x, event.screen_y)
        elif event.button == _MIDDLE:
            event.stop()
            self._paste_selection()
        elif event.button == _LEFT and self.program is None:
            event.stop()
            if self._on_mark(x, y):
                self.go_to_end()
            elif 0 <= y < self.page.height:
                self._pressed_at, self._dragged = self._spot_at(x, y), False
                self.capture_mouse()

    def _paste_selection(self) -> None:
        text = self.selected_text() or self.app.clipboard
        if text:
            self.insert_text(text)

    def _on_mark(self, x: int, y: int) -> bool:
        shown = not self.page.following and self.browsing is None
        return shown and y == self.size.height - 1 and x >= self.size.width - len(self.mark_text)

    def _spot_at(self, x: int, y: int) -> Spot:
        return self.page.spot(self.page.top + y, max(x, 0))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Dragging selects; above or below the pane it scrolls as well."""
        if self._pressed_at is None:
            return
        if not event.button:  # it was let go where nobody tells, outside the window
            self._end_drag()
            return
        x, y = event.offset - self.content_offset
        if y < 0 or y >= self.size.height:
            self.scroll_rows(-1 if y < 0 else 1)
        spot = self._spot_at(x, max(0, min(y, self.page.height - 1)))
        if spot != self._pressed_at or self._dragged:
            self._dragged = True
            forward = spot >= self._pressed_at
            self.select(
                between(self._pressed_at, self._after(spot))
                if forward
                else between(spot, self._after(self._pressed_at))
            )

    def _after(self, spot: Spot) -> Spot:
        """Behind the character at a place: it is selected too."""
        return Spot(spot.number, min(spot.at + 1, len(self.page.text(spot.number))))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """The selection stands."""
        if self._pressed_at is not None:
            event.stop()
            self._end_drag()

    def _end_drag(self) -> None:
        self._pressed_at = None
        self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """Once: the cursor, a candidate, a line of scroll mode. Twice: a word. Three times: a line. With Ctrl: what the
        word means, on the map.
        """
        if event.button != _LEFT or self.program is not None or self._dragged:
            self._dragged = False
            return
        event.stop()
        x, y = event.offset - self.content_offset
        if self.browsing is not None and y == self.size.height - 1:
            self._click_word(self.browsing, x)
            return
        if not 0 <= y < self.page.height or self._on_mark(x, y):
            return
        spot = self._spot_at(x, y)
        if event.ctrl:
            component = self.seat.meant(self.word_under(x, y))
            if component is not None:
                self.want_map(component)
            return
        if event.chain == 2 and self.browsing is not None and self.browsing.choosing:
            self._pin_line(self.browsing, spot.number)
        elif event.chain == 1:
            self.select(None)
            self._click(x, y, spot)
        else:
            self.select(word_at(self.page, spot) if event.chain % 2 == 0 else line_at(self.page, spot))

    def _click_word(self, browsing: Browsing, x: int) -> None:
        """A word in the bottom row of scroll mode does what its key does."""
        key = browsing.hint(self.can_pin, self.size.width).key_at(x)
        if key is not None:
            self.press(key, None)

    def _pin_line(self, browsing: Browsing, number: int) -> None:
        """Twice on a line where one is chosen to be pinned."""
        if browsing.typed is not None:
            self.press("enter", None)  # the search is done
        browsing.choose(number)
        self.press("enter", None)

    def _click(self, x: int, y: int, spot: Spot) -> None:
        if self.browsing is not None:
            self.browsing.choose(spot.number)
            self.refresh()
            return
        editor, picture = self.conversation.editor, self.conversation.picture()
        row = self.page.top + y - self.page.tail_row
        if editor is None or picture is None or not 0 <= row < len(picture.rows):
            return
        candidate = picture.candidate_at(row, x)
        if candidate is not None:
            editor.pick(candidate)
        else:
            editor.put_cursor(self.page.columns, row, x)
        self.tail_changed()
