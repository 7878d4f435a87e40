"""What the learner orders from the people in the machine room; no real host has such a command, so it is at hand
everywhere.
"""

from __future__ import annotations

from engine.world.inventory import Inventory


def available(inventory: Inventory, host: str) -> bool:
    """From any prompt."""
    return True
