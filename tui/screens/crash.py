"""What is shown when breakfix opens again after a fault of its own: what happened, and how to go on."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from tui.actions import Acts, action
from tui.app import Crash, breakfix
from tui.widgets.footer import Footer

LINES_SHOWN = 40

_CHARACTERS_SHOWN = 20_000


class CrashScreen(Screen[str], Acts):
    """`can_resume`: whether there is a session to take up again. Its result is "resume", "home" or None."""

    ABOUT: ClassVar[tuple[str, str] | None] = (
        "After a fault",
        """
        breakfix had a fault of its own and has opened again. Every line of a session is written down when it is
        entered, so a session can be taken up where it was.
        """,
    )
    AUTO_FOCUS = "#last"
    CSS_PATH = "crash.tcss"

    def __init__(self, crash: Crash, can_resume: bool) -> None:
        super().__init__()
        self.crash, self.can_resume = crash, can_resume
        self.last = last_lines(crash)

    def compose(self) -> ComposeResult:
        yield Static(f"{breakfix(self).glyphs.cross} breakfix had a fault and was opened again", classes="title")
        yield Static(self._words(), id="words", markup=False)
        with VerticalScroll(id="last", classes="panel") as box:
            box.border_title = "What happened, the last lines"
            box.border_subtitle = self._key("crash.copy")
            yield Static(self.last, markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """The end of the report says most."""
        self.query_one("#last").call_after_refresh(self.query_one("#last").scroll_end, animate=False)

    def _words(self) -> str:
        words = ["It was nothing that you did."]
        if self.can_resume:
            words.append("Your session was written down line by line.")
            words.append(f"{self._key('crash.resume')}: take it up again, where you were")
            words.append(f"{self._key('crash.home')}: leave it for later and go to the first screen")
        else:
            words.append(f"No session was open. {self._key('crash.home')}: go to the first screen")
        words.append(
            f"\nA report for whoever mends breakfix is in\n{self.crash.report}"
            if self.crash.report
            else "\nThe report could not be written; the lines below are all there is of it."
        )
        return "\n".join(words)

    def _key(self, id: str) -> str:
        keymap = breakfix(self).keymap
        return next(keymap.shown(one) for one in self.actions() if one.id == id)

    @action("crash.resume", "Take it up again", "enter", footer=1, when="can_resume")
    def resume(self) -> None:
        """Open the session that was open, where it was."""
        self.dismiss("resume")

    @action("crash.home", "Home", "h", "escape", "enter", footer=2)
    def home(self) -> None:
        """Go on from the first screen; a session is kept."""
        self.dismiss("home")

    @action("crash.copy", "Copy", "c", footer=3)
    def copy(self) -> None:
        """Copy the lines of the report that are shown."""
        self.app.copy_to_clipboard("\n".join([self.crash.error, self.crash.report, self.last]))
        self.notify("Copied, if this terminal lets programs copy; the report's file has it all.", timeout=5)

    @action("crash.quit", "Quit", "q", footer=4)
    def leave(self) -> None:
        """Leave breakfix; a session is kept."""
        self.app.exit()


def last_lines(crash: Crash) -> str:
    """The end of the report as far as it is shown; what is known without it where it can't be read."""
    try:
        text = Path(crash.report).read_text("utf-8", "replace") if crash.report else ""
    except OSError:
        text = ""
    lines = text[-_CHARACTERS_SHOWN:].rstrip().splitlines()[-LINES_SHOWN:]
    return "\n".join(lines) or crash.error
