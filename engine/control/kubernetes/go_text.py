"""Values as Go's %v writes them: map[a:1 b:[x y]]. Parts of the server's errors are written so."""

from __future__ import annotations

from typing import Any


def value(found: Any) -> str:
    """A value of JSON."""
    if isinstance(found, dict):
        return "map[" + " ".join(f"{key}:{value(found[key])}" for key in sorted(found)) + "]"
    if isinstance(found, list):
        return "[" + " ".join(value(each) for each in found) + "]"
    if found is None:
        return "<nil>"
    return str(found).lower() if isinstance(found, bool) else str(found)
