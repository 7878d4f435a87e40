"""What a conversation tells whoever shows its page."""

from __future__ import annotations

from typing import Protocol


class Watcher(Protocol):
    """Who shows the page."""

    def tail_changed(self) -> None:
        """Only what is being typed looks different."""

    def page_changed(self) -> None:
        """Lines have come."""

    def prompt_changed(self) -> None:
        """A prompt shows; the host may be another one."""

    def line_entered(self, text: str) -> None:
        """A line was entered at the prompt."""

    def shell_ended(self) -> None:
        """The last login was left."""

    def tell_trouble(self, what: str, error: Exception) -> None:
        """Something went wrong in breakfix itself."""

    def keys_when_over(self) -> str:
        """What leads on when the session has ended, with its key; empty if nothing does."""
