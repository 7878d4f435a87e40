"""Whole numbers as people type them, within what Slurm could hold."""

from __future__ import annotations

_DIGITS = 18


def whole(text: str) -> int | None:
    """The number that `text` writes in ASCII digits, at most eighteen; None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None
