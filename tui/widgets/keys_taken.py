"""Keys in their order: the program acts on Enter at once, while letters wait in the queue of the field they go to."""

from __future__ import annotations

import asyncio

from textual.widget import Widget


async def keys_taken(field: Widget) -> None:
    """Wait until a field has taken the keys that were pressed before."""
    taken = asyncio.Event()
    if field.call_later(taken.set):
        await taken.wait()
