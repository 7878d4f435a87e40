"""Reading lines in plain mode: prompt_toolkit at a capable terminal, bare lines where there is none (TERM=dumb, a
pipe).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from tui.plain.bare_lines import INTERRUPTED, BareLines

if TYPE_CHECKING:
    from engine.shell.completion import Completion


class LineReader(Protocol):
    """Asks for one line at a time."""

    async def read(self, prompt: str, history: Sequence[str]) -> str | None:
        """The line, or None at the end of input. Raises KeyboardInterrupt for Ctrl-C."""


def line_reader(completer: Callable[[str, int], Completion]) -> LineReader:
    """The best reader for this terminal."""
    if sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        return _ToolkitReader(completer)
    return BareReader()


class BareReader:
    """Lines from standard input, with the prompt printed as it is."""

    def __init__(self) -> None:
        self._lines: BareLines | None = None

    async def read(self, prompt: str, history: Sequence[str]) -> str | None:
        self._lines = self._lines or BareLines(sys.stdin.fileno())
        line = await self._lines.read(prompt)
        if line == INTERRUPTED:
            raise KeyboardInterrupt
        return line


class _ToolkitReader:
    """Editing keys, Ctrl-R, history and Tab."""

    def __init__(self, completer: Callable[[str, int], Completion]) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.formatted_text import ANSI
        from prompt_toolkit.history import InMemoryHistory

        self._ansi = ANSI
        self._history = InMemoryHistory()
        self._session: PromptSession[str] = PromptSession(
            history=self._history,
            completer=_toolkit_completer(completer),
            complete_while_typing=False,
            enable_open_in_editor=False,
        )

    async def read(self, prompt: str, history: Sequence[str]) -> str | None:
        known = self._history.get_strings()
        for line in history[len(known) :]:
            self._history.append_string(line)
        try:
            return await self._session.prompt_async(self._ansi(prompt), handle_sigint=True)
        except EOFError:
            return None


def _toolkit_completer(completer: Callable[[str, int], Completion]) -> Any:
    from prompt_toolkit.completion import Completer, Completion
    from prompt_toolkit.document import Document

    class OurCompleter(Completer):
        """Tab, answered by the simulated shell."""

        def get_completions(self, document: Document, complete_event: object) -> Iterable[Completion]:
            found = completer(document.text, document.cursor_position)
            single = len(found.candidates) == 1
            return [Completion(text if single else text.rstrip(" "), -found.length) for text in found.candidates]

    return OurCompleter()
