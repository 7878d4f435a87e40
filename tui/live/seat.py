"""A seat at a session's terminal: what a pane on the screen needs to know of it, and what it does for the shell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from engine.commands.context import Screen
from engine.shell.completion import Completion, complete, knows_command
from scenarios.terminals import FrontEnd

if TYPE_CHECKING:
    from engine.shell.play import PastLine
    from engine.shell.terminal import Terminal
    from tui.live.live import Live


class View(Protocol):
    """What looks at a terminal: a pane on the screen."""

    @property
    def size_in_cells(self) -> tuple[int, int]:
        """Columns and rows that a program has."""

    def print(self, data: bytes, is_error: bool) -> None:
        """Something was printed."""

    async def ask(self, prompt: str, hidden: bool) -> str | None:
        """A line for a running command; None at Ctrl-D."""

    async def show(self, screen: Screen, refresh: int | None) -> int | None:
        """A full-screen program until it ends. `refresh`: simulated ns between its pictures, None if only keys change
        it.
        """


class Seats:
    """The seats of a session, made when first asked for; they may be there before the session is."""

    live: Live

    def __init__(self) -> None:
        self._seats: dict[int, Seat] = {}

    @property
    def numbers(self) -> list[int]:
        """Of the terminals that have a seat."""
        return sorted(self._seats)

    @property
    def busy(self) -> bool:
        """Whether a line runs at any of them."""
        return any(seat.busy for seat in self._seats.values())

    def seat(self, number: int) -> Seat:
        """The seat at terminal `number`."""
        if number not in self._seats:
            self._seats[number] = Seat(self, number)
        return self._seats[number]

    def front(self, number: int) -> FrontEnd:
        """The shell's way to that seat."""
        return self.seat(number).front()


class Seat:
    """Terminal `number` of a session. `view` is the pane that shows it, if one does."""

    def __init__(self, seats: Seats, number: int) -> None:
        self.seats = seats
        self.number = number
        self.view: View | None = None
        self.busy = False

    @property
    def live(self) -> Live:
        """The session."""
        return self.seats.live

    @property
    def terminal(self) -> Terminal:
        """The shell's terminal, opened on the login host when first used and after it was left."""
        return self.live.terminal(self.number)

    @property
    def prompt(self) -> str:
        """What the shell asks with; it may hold colours and newlines."""
        return self.terminal.prompt

    @property
    def host(self) -> str:
        """The host of the topmost login."""
        return self.terminal.top.place.host

    @property
    def user(self) -> str:
        return self.terminal.top.place.identity.name

    def meant(self, word: str) -> str | None:
        """The machine or part that a word in this terminal means, if any."""
        from tui.seen.meant import meant
        from tui.seen.site import Site

        return meant(Site(self.live.simulation.world.inventory), self.host, word)

    @property
    def title(self) -> str:
        """As a tab shows it."""
        return "" if self.ended else self.host

    @property
    def history(self) -> Sequence[str]:
        """Lines typed in the topmost login, oldest first."""
        return self.terminal.top.history.lines

    @property
    def can_run(self) -> bool:
        """Whether the session takes lines."""
        return not self.live.over

    @property
    def past(self) -> Sequence[PastLine]:
        """The lines that were run before the session was taken up again."""
        past = self.live.play.past.get(self.number)
        return past.lines if past else ()

    def complete(self, line: str, cursor: int) -> Completion:
        """Tab."""
        return self.live.complete(self.number, line, cursor)

    def knows_command(self, name: str) -> bool:
        """Whether a command of that name is there, or a move of the drill."""
        return name.startswith(":") or knows_command(self.terminal.top, name)

    async def run_line(self, text: str) -> None:
        """Run an entered line until a prompt shows again. What it prints goes to the view."""
        self.busy = True
        try:
            if self.view is not None:
                self.live.resize(self.number, *self.view.size_in_cells)
            await self.live.run_line(self.number, text)
        finally:
            self.busy = False

    def interrupt(self) -> None:
        """Ctrl-C: to the running line, or to the one that is being entered."""
        self.live.interrupt(self.number)

    @property
    def ended(self) -> bool:
        """Whether its shell was left (a new one begins when it is used again)."""
        return self.live.has_ended(self.number)

    def leave(self) -> None:
        """Close the terminal and stop what runs in it."""
        if not self.ended:
            self.terminal.close()

    def say(self, text: str) -> None:
        """Print a line of the program's own."""
        if self.view is not None:
            self.view.print(f"{text}\n".encode(), False)

    def front(self) -> FrontEnd:
        """The shell's way to this seat."""
        columns, rows = self.view.size_in_cells if self.view else (80, 24)
        return FrontEnd(
            columns=columns, rows=rows, interactive=True, printer=self._print, asker=self._ask, shower=self._show
        )

    def shell_completion(self, line: str, cursor: int) -> Completion:
        """Tab, as the shell alone answers it."""
        return complete(self.terminal.top, line, cursor)

    def _print(self, data: bytes, is_error: bool) -> None:
        if self.view is not None:
            self.view.print(data, is_error)

    async def _ask(self, prompt: str, hidden: bool) -> str | None:
        return await self.view.ask(prompt, hidden) if self.view is not None else None

    async def _show(self, screen: Screen, refresh: int | None) -> int | None:
        return await self.view.show(screen, refresh) if self.view is not None else None
