"""Running the full-screen program, where the terminal can show it; and going on after it has crashed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tui.app import Breakfix, Crash, Start
    from tui.live.exam import Sitting
    from tui.opening import Opening
    from tui.store import Saved


def possible() -> bool:
    """Whether standard input and output are a terminal that can move its cursor."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") not in ("", "dumb")


# Textual paints at most so often a second. After a paint that follows a pause it skips a slot, so that at its usual 60
# a key pressed beside a terminal that prints may wait for 33 ms.
_FRAMES_A_SECOND = "240"


def run(start: Start | None = None, *, own_terminal: bool = True) -> Breakfix:
    """Run the program until somebody leaves it. After a crash it opens again and says what happened.

    `own_terminal`: whether there is a terminal; in a browser there is a server in its place.
    """
    for lie in ("COLUMNS", "LINES") if own_terminal else ():  # the terminal itself knows its size, and how it changes
        os.environ.pop(lie, None)
    os.environ.setdefault("TEXTUAL_FPS", _FRAMES_A_SECOND)  # read when Textual is imported
    from tui.app import Breakfix

    while True:
        app = Breakfix(start)
        app.run(mouse=app.settings.mouse)
        if app.crash is None:
            return app
        app.let_go()
        start = _after(app.crash)


def drill(name: str, seed: int | None) -> Start:
    """Begin with a drill."""

    async def start(app: Breakfix) -> None:
        await app.open_drill(name, seed)

    return start


def saved(find: Callable[[], Saved]) -> Start:
    """Begin with a saved session."""

    async def start(app: Breakfix) -> None:
        await app.open_saved(find())

    return start


def sandbox(opening: Opening) -> Start:
    """Begin with a sandbox."""

    async def start(app: Breakfix) -> None:
        await app.open_sandbox(opening)

    return start


def exam_menu(source: str) -> Start:
    """Begin with what can be done with an exam."""

    async def start(app: Breakfix) -> None:
        await app.open_exam_menu(source)

    return start


def sitting(begin: Callable[[], Coroutine[Any, Any, Sitting]]) -> Start:
    """Begin with an exam or a study session."""

    async def start(app: Breakfix) -> None:
        await app.open_sitting(await begin())

    return start


def _after(crash: Crash) -> Start:
    """Say what happened, and offer to take up the session that was open."""

    async def start(app: Breakfix) -> None:
        from tui.screens.crash import CrashScreen
        from tui.store import saved_sessions

        sessions = saved_sessions()

        def chosen(answer: str | None) -> None:
            if answer == "resume":
                app.carry_out("Resume", app.open_saved(sessions[0]))

        app.push_screen(CrashScreen(crash, can_resume=bool(sessions)), chosen)

    return start
