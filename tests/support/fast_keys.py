"""Keys that are pressed faster than the program handles them."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.pilot import Pilot


async def type_at_once(pilot: Pilot[Any], *texts: str) -> None:
    """Type letters, and press keys that have names (longer than a letter, in brackets: `<enter>`), without a pause."""
    for text in texts:
        named = text.startswith("<")
        for key in [text.strip("<>")] if named else text:
            pilot.app.post_message(events.Key(key, None if named else key))
    for _ in range(3):
        await pilot.pause()
