"""What is typed at a seat and what is printed there: prompts, lines, questions of running commands, Ctrl-C.

It writes to a page; whoever shows the page is told through a `Watcher`. It knows no screen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from tui.terminal.ahead import Ahead
from tui.terminal.flow import Flow
from tui.terminal.line_aids import LineAids
from tui.terminal.line_editor import LineEditor, Outcome, OutcomeKind, Picture
from tui.terminal.output import Output, stored
from tui.terminal.page import Page
from tui.terminal.watcher import Watcher

if TYPE_CHECKING:
    from engine.shell.completion import Completion
    from engine.shell.login import Login
    from engine.shell.terminal import Terminal
    from tui.live.seat import Seat

_LOOK_SECONDS = 0.02
_STOPS = {"ctrl+z": "suspending a running command (Ctrl-Z)", "ctrl+backslash": "quitting with a core dump (Ctrl-\\)"}
_DIM, _NORMAL = "\x1b[2m", "\x1b[0m"


class Conversation:
    """One seat's. `editor` takes what is typed; there is none while a line runs and asks nothing."""

    def __init__(self, seat: Seat, page: Page, watcher: Watcher) -> None:
        self.seat, self.page = seat, page
        self.editor: LineEditor | None = None
        self.running = False
        self.ended = False
        self._watcher = watcher
        self._output = Output(page)
        self._flow = Flow(self._output.feed, self._shown)
        self._line_editor = LineEditor(seat.complete, lambda: seat.history, LineAids(seat.knows_command))
        self._prompt = ""
        self._terminal: Terminal | None = None
        self._login: Login | None = None
        self._kept_text = ""
        self._question: asyncio.Future[str | None] | None = None
        self.ahead = Ahead()
        self._told: set[str] = set()
        self._task: asyncio.Task[None] | None = None

    def aid(self, *, suggests: bool, colours: bool) -> None:
        """What helps at the prompt."""
        self._line_editor.aids = LineAids(self.seat.knows_command, suggests, colours)

    # The tail of the page

    def picture(self) -> Picture | None:
        """What the editor shows."""
        return self.editor.picture(self.page.columns) if self.editor is not None else None

    def show_tail(self) -> Picture | None:
        """Put what is typed, or the unfinished line of output, below the kept lines."""
        picture = self.picture()
        if picture is not None:
            self.page.set_tail(picture.rows)
        else:
            open_line = self._output.open
            self.page.set_tail([open_line] if open_line or self.running else [])
        return picture

    def _shown(self) -> None:
        """Something was printed."""
        self._look_at_login()
        self._watcher.page_changed()

    # Prompts

    def begin(self) -> None:
        """Show what was typed before the session was taken up again, and a prompt."""
        for line in self.seat.past:
            self.page.append(stored(line.prompt + line.text))
            self._output.feed(line.output.encode("utf-8", "replace"))
            if rest := self._output.take_open():
                self.page.append([rest])
        self._new_prompt()

    def _new_prompt(self) -> None:
        """Ask for a line; output that did not end its last line stands before the prompt."""
        self._terminal = self.seat.terminal
        self._login = self._terminal.top
        if not self._login.idle:  # what it runs has to end first: until then its shell can't say the prompt
            self._start(self._until_idle(self._terminal))
            return
        self.running, self.ended = False, False
        self._begin(self._line_editor, self.seat.prompt, text=self._kept_text)
        self._kept_text = ""
        self._watcher.prompt_changed()
        if self.ahead.rest:
            self._run(self.ahead.rest.popleft())
        elif self.ahead.chosen:
            self.run_text(self.ahead.chosen.popleft())
        else:
            self._replay()

    def _look_at_login(self) -> None:
        """A connection that breaks at the prompt leaves another login; what was typed is kept for its prompt."""
        at_prompt = self.editor is self._line_editor
        if at_prompt and self._terminal is not None and self._terminal.top is not self._login:
            self._kept_text = self._line_editor.text
            self._new_prompt()

    async def _until_idle(self, terminal: Terminal) -> None:
        """Wait for what goes on below a broken connection, and then ask for a line."""
        while not (terminal.closed or terminal.top.idle):
            await asyncio.sleep(_LOOK_SECONDS)
        await self._go_on(terminal)

    async def _go_on(self, terminal: Terminal | None) -> None:
        """Ask for the next line, unless the shell was left."""
        await self._flow.drained()
        if terminal is not None and terminal.closed:
            self._end()
        else:
            self._new_prompt()

    def _begin(self, editor: LineEditor, prompt: str, *, hidden: bool = False, text: str = "") -> None:
        self._prompt = "\n".join(stored(self._output.take_open() + prompt))
        editor.begin(self._prompt, hidden=hidden, text=text)
        self.editor = editor
        self._watcher.page_changed()

    def _replay(self) -> None:
        """What was typed ahead."""
        while self.ahead.keys and self.editor is not None:
            key, character = self.ahead.keys.popleft()
            if key:
                self.press(key, character)
            else:
                self.paste(character or "")

    # Keys

    def press(self, key: str, character: str | None) -> bool:
        """A key. Returns whether it meant something here."""
        if self.ended:
            if key == "enter":
                self._new_prompt()
            return True
        if self.editor is None:
            self._press_ahead(key, character)
            return True
        if self._refused(key):
            return True
        outcome = self.editor.press(key, character)
        if outcome is None:
            return False
        self._act(outcome)
        return True

    def paste(self, text: str) -> None:
        """Text from elsewhere: at the cursor, or for the next prompt."""
        if self.editor is None:
            self.ahead.type("", text)
        elif not self.ended and not self._refused(""):
            self.editor.paste(text)
            self._watcher.tail_changed()

    def put(self, text: str) -> None:
        """Text from elsewhere in place of what is typed, here or for the next prompt."""
        self.ahead.keys.clear()
        self.clear_line()
        self.paste(text)

    def run_text(self, text: str) -> None:
        """Enter a line at the prompt, or at the next one; what is being typed comes back afterwards."""
        if self.running or self.editor is not self._line_editor:
            self.ahead.choose(text)
        elif not self.ended and not self._refused(""):
            self._kept_text = self.editor.text
            self._enter(text)

    @property
    def awaits_enter(self) -> bool:
        """Whether Enter leads on: something is typed or asked, a statement goes on, or the shell has ended."""
        if self._question is not None:
            return self.editor is not None
        goes_on = self._login is not None and self._login.pending
        return self.seat.can_run and (self.ended or (self.editor is not None and bool(goes_on or self.editor.text)))

    @property
    def can_clear_line(self) -> bool:
        """Whether something is typed."""
        return self.editor is not None and bool(self.editor.text) and (self.seat.can_run or self._question is not None)

    def clear_line(self) -> None:
        """Take away what is typed."""
        if self.editor is not None and self.can_clear_line:
            self.editor.clear()
            self._watcher.tail_changed()

    def _press_ahead(self, key: str, character: str | None) -> None:
        """A key while a line runs and asks nothing."""
        if key == "ctrl+c":
            self.interrupt()
        elif key in _STOPS:
            if key not in self._told:
                self._told.add(key)
                self.say(f"not modelled: {_STOPS[key]}")
        else:
            self.ahead.type(key, character)

    def _refused(self, key: str) -> bool:
        """Whether nothing can be typed any more; that is said once."""
        if self.seat.can_run or self._question is not None:
            return False
        if "over" not in self._told and key != "ctrl+c":
            self._told.add("over")
            keys = self._watcher.keys_when_over()
            ended = f"this session has ended ({keys})" if keys else "this session has ended"
            self.say(f"{ended}; what was typed and printed can still be read and copied")
        return True

    def _act(self, outcome: Outcome) -> None:
        asked = self._question is not None
        if outcome.kind in (OutcomeKind.CHANGED, OutcomeKind.BELL):
            self._watcher.tail_changed()
        elif outcome.kind is OutcomeKind.SUBMITTED and asked:
            self._answer(outcome.text)
        elif outcome.kind is OutcomeKind.SUBMITTED:
            self._enter(outcome.text)
            self._watcher.line_entered(outcome.text)
        elif outcome.kind is OutcomeKind.ABORTED:
            self._abort(outcome.text)
        elif outcome.kind is OutcomeKind.END_OF_INPUT and asked:
            self._answer(None)
        elif outcome.kind is OutcomeKind.END_OF_INPUT:
            self._end_of_input()
        elif outcome.kind is OutcomeKind.CLEAR_SCREEN:
            self.clear()

    def clear(self) -> None:
        """Ctrl-L: the prompt goes to the top of an empty screen."""
        self.page.clear()
        self._watcher.page_changed()

    def interrupt(self) -> None:
        """Ctrl-C to what runs: what it still wanted to print, and what was typed ahead, is gone."""
        self._flow.drop()
        self.ahead.forget()
        self._output.abandon()
        self._output.feed(b"^C\n")
        self.seat.interrupt()
        self._watcher.page_changed()

    def _abort(self, text: str) -> None:
        """Ctrl-C to the line that is typed, or to the command that asks."""
        self.ahead.forget()
        asked = self._question
        self._echo("^C" if asked else f"{text}^C")
        self.seat.interrupt()
        if asked is None:
            self._new_prompt()
        elif not asked.done():
            self.editor = None
            asked.set_result(None)

    def _end_of_input(self) -> None:
        """Ctrl-D at a prompt: bash says `logout` behind it, or that a statement is not complete."""
        terminal = self.seat.terminal
        *above, prompt = self._prompt.split("\n")
        self.page.append(above)
        self._output.put_open(prompt)
        if terminal.top.pending:
            self._start(self._give_up_statement())
        else:
            self._start(self._run_line("exit"))

    async def _give_up_statement(self) -> None:
        self._output.feed(b"\n")
        await self.seat.terminal.end_of_input()
        await self._flow.drained()
        self._new_prompt()

    # Running lines

    def _enter(self, text: str) -> None:
        """Run the lines of a text one after the other."""
        first, *others = text.split("\n")
        self.ahead.rest.extend(others)
        self._run(first)

    def _run(self, text: str) -> None:
        self._echo(text)
        self._start(self._run_line(text))

    def _echo(self, text: str) -> None:
        """What was typed stays on the page, behind its prompt."""
        self.page.append(stored(self._prompt + text))
        self.page.scroll_to_end()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self.editor = None
        self.running = True
        self._told.discard("ctrl+z")
        self._told.discard("ctrl+backslash")
        self._task = asyncio.ensure_future(work)
        self._watcher.page_changed()

    async def _run_line(self, text: str) -> None:
        """Run a line until a prompt shows again; whatever goes wrong in breakfix, the terminal goes on."""
        terminal = None
        try:
            terminal = self.seat.terminal
            await self.seat.run_line(text)
        except Exception as error:
            self._output.feed(f"breakfix: {error}\n".encode("utf-8", "replace"))
            self._watcher.tell_trouble("The line", error)
        await self._go_on(terminal)

    def _end(self) -> None:
        self.ahead.forget()
        self.running, self.ended, self.editor = False, True, None
        self.say("the shell has ended; Enter opens a new one")
        self._watcher.shell_ended()

    # What the shell wants

    def print(self, data: bytes) -> None:
        """Something was printed."""
        self._flow.put(data)

    def say(self, text: str) -> None:
        """A line of breakfix's own, above what is being typed."""
        lines = [f"{_DIM}breakfix: {text}{_NORMAL}"]
        if self.editor is None and (open_line := self._output.take_open()):
            lines.insert(0, open_line)
        self.page.append(lines)
        self._watcher.page_changed()

    async def ask(self, prompt: str, hidden: bool) -> str | None:
        """A line for a running command; None at Ctrl-D."""
        await self._flow.drained()
        self._question = asyncio.get_running_loop().create_future()
        self._begin(LineEditor(_nothing, tuple), prompt, hidden=hidden)
        self._replay()
        try:
            return await self._question
        finally:
            self._question = None
            self.editor = None
            self._watcher.page_changed()

    def _answer(self, text: str | None) -> None:
        """The question is answered; a hidden answer is not shown."""
        assert self.editor is not None and self._question is not None
        self._echo("" if text is None or self.editor.hidden else text)
        self.editor = None
        if not self._question.done():
            self._question.set_result(text)

    def set_aside(self, aside: bool) -> None:
        """Whether somebody types elsewhere."""
        self._flow.aside = aside

    async def drained(self) -> None:
        """Return when everything that was printed shows."""
        await self._flow.drained()

    def close(self) -> None:
        """The pane has gone: hang up."""
        self._flow.close()
        if self._question is not None and not self._question.done():
            self._question.set_result(None)
        if self.running:
            self.seat.interrupt()
        if self._task is not None:
            self._task.cancel()


def _nothing(line: str, cursor: int) -> Completion:
    from engine.shell.completion import Completion

    return Completion(0, ())
