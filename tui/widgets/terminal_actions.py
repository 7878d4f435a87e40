"""What can be done with a terminal's text: copying, saving, pinning, finding, scrolling."""

from __future__ import annotations

from tui.actions import action
from tui.terminal.program import Program
from tui.terminal.sgr import text_of
from tui.widgets.terminal_typing import TerminalTyping


class TerminalActions(TerminalTyping):
    """The actions of a terminal pane."""

    ABOUT = (
        "Terminal",
        """
        Type as in bash: Tab completes, Ctrl-R searches what you typed, Ctrl-C stops what runs.

        Select text with the mouse (twice: a word, three times: a line); Ctrl-C copies what is selected. Hold Shift
        while you drag to let your own terminal select instead. Copying goes through your terminal; where that does not
        work, save the text to a file.

        A name of a host or a part (dgx-02, gpu5, an address) can be shown on the map: click it with Ctrl held, or with
        the right button.

        By mouse alone: the right button has Enter, Stop and more for what is at hand, and copies or pins the line under
        it. In scroll mode the words in the last row can be clicked.

        To read what has gone by, turn the wheel or enter scroll mode. Typing leads back to the prompt.
        """,
    )

    def want_pin(self, text: str) -> None:
        """Text is to be pinned."""
        raise NotImplementedError

    @property
    def has_selection(self) -> bool:
        """Whether there is something to copy."""
        return self.selected_or_line() is not None

    @property
    def no_program(self) -> bool:
        """Whether keys go to the terminal and not to a full-screen program."""
        return self.program is None

    @property
    def can_scroll(self) -> bool:
        """Whether there is something to scroll in."""
        return self.program is None and self.page.kept.rows > 0

    @action("terminal.pin", "Pin", "prefix p", footer=42, when="can_pin")
    def pin(self) -> None:
        """Keep the selected text as evidence; without a selection, choose a line."""
        if self.program is not None:
            if self.taken_row:
                self.want_pin(self.taken_row)
                self.release_row()
            else:
                self._choose_row(self.program)
            return
        text = self.selected_or_line()
        if text is None:
            self.browse(choosing=True)
            return
        self.want_pin(text)
        self.select(None)
        self.release_row()
        self.leave_browsing()

    def _choose_row(self, program: Program) -> None:
        """A full-screen program takes all keys, so that a row of its picture is chosen in a dialog."""
        from tui.screens.pin_line import PinLine

        lines = [text_of(row) for row in self.picture_of(program)]
        self.app.push_screen(PinLine(lines), lambda text: self.want_pin(text) if text else None)

    @action("terminal.scroll", "Scroll", "prefix [", footer=60, when="no_program")
    def scroll_mode(self) -> None:
        """Move through what was printed with the keys; mark, copy and search there."""
        self.browse()

    @action("terminal.find", "Find", "prefix /", when="can_scroll")
    def find(self) -> None:
        """Search what was printed."""
        self.browse(finding=True)

    @property
    def names_something(self) -> bool:
        """Whether the selected word, or the one that was clicked, is a name of something."""
        return self.component_meant is not None and getattr(self.screen, "has_views", True)

    @action("terminal.on_map", "Show on the map", "prefix M", when="names_something")
    def show_on_map(self) -> None:
        """Show what the selected word means (a host, a GPU, an address) on the map."""
        component = self.component_meant
        if component is not None:
            self.release_row()
            self.want_map(component)

    @action("terminal.copy", "Copy", "prefix y", when="has_selection")
    def copy(self) -> None:
        """Copy the selected text."""
        text = self.selected_or_line()
        if text is not None:
            self.release_row()
            self.app.copy_to_clipboard(text)
            lines = text.count("\n") + 1
            self.notify("Copied." if lines == 1 else f"Copied {lines:,} lines.", timeout=2)

    @action("terminal.paste", "Paste", "prefix ]")
    def paste_copied(self) -> None:
        """Put what was copied here at the prompt."""
        if self.app.clipboard:
            self.release_row()
            self.insert_text(self.app.clipboard)

    @action("terminal.save", "Save the text to a file", "prefix w")
    def save(self) -> None:
        """Write the selected text, or everything that the terminal holds, to a file."""
        from tui.widgets.terminal_saving import save_text, text_of_page

        text = self.selected_text() or text_of_page(self.page)
        saved = save_text(text, self.seat.host)
        self.notify(saved.message, severity="information" if saved.done else "warning", timeout=8, markup=False)

    @action("terminal.clear", "Clear the screen", "prefix L", when="no_program")
    def clear(self) -> None:
        """Begin on an empty screen; what was printed can still be scrolled back to."""
        self.leave_browsing()
        self.conversation.clear()

    @action("terminal.page_up", "Page up", "shift+pageup", "prefix pageup", when="can_scroll")
    def page_up(self) -> None:
        """See what was printed before."""
        self.scroll_rows(-max(self.page.height - 1, 1))

    @action("terminal.page_down", "Page down", "shift+pagedown", "prefix pagedown", when="can_scroll")
    def page_down(self) -> None:
        """Go on towards the prompt."""
        self.scroll_rows(max(self.page.height - 1, 1))

    @action("terminal.end", "Go to the prompt", "shift+end", "prefix end", when="can_scroll")
    def to_end(self) -> None:
        """Leave what was printed before, and follow the end."""
        self.leave_browsing()
        self.go_to_end()
