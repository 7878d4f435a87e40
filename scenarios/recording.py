"""What a person at a terminal answers and does in full-screen programs, kept so that the twin can be given the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.kernel.simulation import Simulation
from engine.world.world import World
from scenarios.journal import Entry, ScreenEvent
from scenarios.terminals import FrontEnd


class Recording:
    """Wraps the front end `outer`; what a terminal is given is `front`."""

    def __init__(self, simulation: Simulation[World], front: FrontEnd) -> None:
        self._simulation = simulation
        self.outer = front
        self.front = replace(front, asker=self._ask, shower=self._show)
        self.clear()

    def clear(self) -> None:
        """Begin a new line."""
        self.answers: list[str | None] = []
        self.events: list[ScreenEvent] = []
        self.frames: list[str] = []
        self.cancelled = False

    def onto(self, entry: Entry) -> Entry:
        """The entry with what was recorded."""
        frames = "".join(f"{frame}\n" for frame in self.frames)
        return replace(
            entry,
            size=(self.front.columns, self.front.rows),
            answers=tuple(self.answers),
            screen=tuple(self.events),
            frames=frames,
            cancelled=self.cancelled,
        )

    async def _ask(self, prompt: str, hidden: bool) -> str | None:
        answer = await self.outer.asker(prompt, hidden) if self.outer.asker else None
        self.answers.append(answer)
        return answer

    async def _show(self, screen: Any, refresh: int | None) -> int | None:
        return await self.outer.shower(_Watched(screen, self), refresh) if self.outer.shower else None

    def drawn(self, lines: list[str]) -> None:
        """A full-screen program was drawn; the same picture again is nothing new."""
        frame = "\n".join(lines)
        if self.frames[-1:] != [frame]:
            self.frames.append(frame)
            self.events.append(ScreenEvent(self._simulation.now))

    def pressed(self, key: str) -> None:
        """A key was pressed."""
        self.events.append(ScreenEvent(self._simulation.now, key))


@dataclass
class _Watched:
    """A full-screen program that is recorded."""

    screen: Any
    recording: Recording

    def render(self, columns: int, rows: int) -> list[str]:
        lines: list[str] = self.screen.render(columns, rows)
        self.recording.drawn(lines)
        return lines

    async def key(self, name: str) -> int | None:
        self.recording.pressed(name)
        status: int | None = await self.screen.key(name)
        return status
