"""A conversation at a seat that does what a test says, without a screen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from engine.shell.completion import Completion
from tui.live.seat import Seat
from tui.terminal.conversation import Conversation
from tui.terminal.page import Page

Runner = Callable[["FakeSeat", str], Awaitable[None]]


@dataclass
class FakeSeat:
    """A seat whose lines do what `runner` does."""

    runner: Runner
    prompt: str = "\x1b[32m$ \x1b[0m"
    can_run: bool = True
    past: tuple[Any, ...] = ()
    history: list[str] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    interrupts: int = 0
    pending: str = ""
    closed: bool = False
    login: Any = field(default_factory=lambda: SimpleNamespace(idle=True))
    conversation: Conversation = None  # type: ignore[assignment]

    @property
    def terminal(self) -> Any:
        return self

    @property
    def top(self) -> Any:
        self.login.pending = self.pending
        return self.login

    async def end_of_input(self) -> None:
        self.pending = ""
        self.conversation.print(b"-bash: syntax error\n")

    def knows_command(self, name: str) -> bool:
        return True

    def complete(self, line: str, cursor: int) -> Completion:
        return Completion(0, ())

    async def run_line(self, text: str) -> None:
        self.ran.append(text)
        await self.runner(self, text)

    def interrupt(self) -> None:
        self.interrupts += 1
        self.pending = ""


@dataclass
class Watcher:
    troubles: list[Exception] = field(default_factory=list)
    keys: str = ""
    ended: int = 0
    prompts: int = 0

    def tail_changed(self) -> None: ...

    def page_changed(self) -> None: ...

    def line_entered(self, text: str) -> None: ...

    def prompt_changed(self) -> None:
        self.prompts += 1

    def shell_ended(self) -> None:
        self.ended += 1

    def tell_trouble(self, what: str, error: Exception) -> None:
        self.troubles.append(error)

    def keys_when_over(self) -> str:
        return self.keys


class Desk:
    """A conversation with a fake seat."""

    def __init__(self, runner: Runner, **options: Any) -> None:
        self.seat = FakeSeat(runner, **options)
        self.page = Page(1000, 80)
        self.watcher = Watcher()
        self.talk = Conversation(cast(Seat, self.seat), self.page, self.watcher)
        self.seat.conversation = self.talk
        self.talk.begin()

    def type(self, text: str) -> None:
        for character in text:
            self.talk.press("enter" if character == "\n" else character, character)

    async def settle(self) -> None:
        for _ in range(60):
            await asyncio.sleep(0.001)

    @property
    def shown(self) -> list[str]:
        self.talk.show_tail()
        return [self.page.text(number).rstrip() for number in range(self.page.end)]


def run(scene: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(scene())


async def echo(seat: FakeSeat, text: str) -> None:
    """A runner: says what it was given."""
    seat.conversation.print(f"ran {text}\n".encode())
