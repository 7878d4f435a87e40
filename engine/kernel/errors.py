"""Errors meant for people: what is wrong, and what to do about it."""

from __future__ import annotations


class BreakfixError(Exception):
    """Something a person can mend. `message` says what is wrong and where, `hint` what to do."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message
