"""What waits at a terminal for the next prompt: keys that were typed ahead, and lines that are to be run."""

from __future__ import annotations

from collections import deque

_MOST = 4096


class Ahead:
    """`rest` are the lines that follow the running one in the text that was entered, `chosen` those that were chosen
    elsewhere, to be run with what is being typed kept. `keys` are typed keys with what they type; a key without a name
    stands for a pasted text.
    """

    def __init__(self) -> None:
        self.rest: deque[str] = deque()
        self.chosen: deque[str] = deque()
        self.keys: deque[tuple[str, str | None]] = deque()

    def type(self, key: str, character: str | None) -> None:
        """A key, for the next prompt or question."""
        if len(self.keys) < _MOST:
            self.keys.append((key, character))

    def choose(self, line: str) -> None:
        """A line to be run at the next prompt."""
        if len(self.chosen) < _MOST:
            self.chosen.append(line)

    def forget(self) -> None:
        """Nothing of it is wanted any more."""
        self.rest.clear()
        self.chosen.clear()
        self.keys.clear()

    def take_keys(self) -> list[str]:
        """The names of the typed keys, for a full-screen program; they are gone then."""
        names = [key for key, _ in self.keys if key]
        self.keys.clear()
        return names
