"""Keys of a terminal as actions, so that the mouse gets by without them: Enter, Ctrl-C, Ctrl-U, the q of a pager."""

from __future__ import annotations

from tui.actions import Acts, action
from tui.widgets.terminal_mouse import TerminalMouse


class TerminalTyping(TerminalMouse, Acts):
    """The actions. Each is offered, and stands first in the footer, only while it leads on."""

    @property
    def in_program(self) -> bool:
        """Whether a full-screen program is shown."""
        return self.program is not None

    @property
    def can_enter(self) -> bool:
        """Whether Enter leads on; in scroll mode it means something else."""
        return self.in_program or (self.browsing is None and self.conversation.awaits_enter)

    @property
    def can_stop(self) -> bool:
        """Whether a line runs."""
        return self.conversation.running and not self.in_program

    @property
    def can_clear_line(self) -> bool:
        """Whether something is typed."""
        return not self.in_program and self.conversation.can_clear_line

    @action("terminal.leave_program", "Leave the program", "prefix l", footer=1, when="in_program")
    def leave_program(self) -> None:
        """End what fills the terminal (less, top, watch, man: q). An editor whose text was changed does not lose it."""
        if self.program is not None:
            self.release_row()
            self.program.leave()

    @action("terminal.enter", "Enter", "prefix j", "prefix enter", footer=2, when="can_enter")
    def enter(self) -> None:
        """Run what is typed, answer the question with it, or press Enter in a full-screen program."""
        self.press("enter", "\r")

    @action("terminal.stop", "Stop", "prefix k", footer=3, when="can_stop")
    def stop_line(self) -> None:
        """Stop what runs, as Ctrl-C does."""
        self.leave_browsing()
        self.select(None)
        self.press("ctrl+c", "\x03")
        self.offer_anew()

    @action("terminal.clear_line", "Clear what is typed", "prefix u", when="can_clear_line")
    def clear_line(self) -> None:
        """Take away what is typed at the prompt or at a question."""
        self.leave_browsing()
        self.conversation.clear_line()
        self.go_to_end()
        self.offer_anew()
