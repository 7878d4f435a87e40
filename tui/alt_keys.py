"""Alt with a sign, as a plain terminal sends it: Escape and the sign at once.

Textual 8.2 knows such sequences for letters only, and types the sign of all others; bash's fingers know `M-.` and
`M-Backspace`. Its table of sequences is private, so it is only ever looked at here.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

_SIGNS = {
    ".": "full_stop", "<": "less_than_sign", ">": "greater_than_sign", "\\": "backslash", "#": "number_sign",
    "_": "underscore", "\x7f": "backspace", "\x08": "backspace",
}  # fmt: skip


def teach_alt_keys() -> None:
    """Let the input parser know them. Harmless where Textual's table has moved."""
    try:
        from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
    except ImportError:
        return
    known: dict[str, Any] = ANSI_SEQUENCES_KEYS  # type: ignore[assignment]
    for sign, name in _SIGNS.items():
        known[f"\x1b{sign}"] = (SimpleNamespace(value=f"alt+{name}"),)
