"""The kill ring: what was cut from command lines and can be put back."""

from __future__ import annotations

_MOST_KILLS = 10


class KillRing:
    """The latest kills. Kills in a row are one; putting back begins with the latest and goes round."""

    def __init__(self) -> None:
        self._kills: list[str] = []
        self._chosen = 0

    @property
    def chosen(self) -> str:
        """What is put back; nothing if nothing was cut yet."""
        return self._kills[self._chosen] if self._kills else ""

    def add(self, text: str, *, join: bool, before: bool) -> None:
        """A kill. `join`: it belongs to the kill just before; `before`: it stood to the left of it."""
        if join and self._kills:
            self._kills[-1] = text + self._kills[-1] if before else self._kills[-1] + text
        else:
            self._kills = [*self._kills, text][-_MOST_KILLS:]
        self._chosen = len(self._kills) - 1

    def turn(self) -> None:
        """Choose the kill before the chosen one."""
        if self._kills:
            self._chosen = (self._chosen - 1) % len(self._kills)
