"""Process ids of what ran for a moment in the past: they grow with the time since the boot, below those given out since
the site's start.
"""

from __future__ import annotations

from engine.control import kernel_image
from engine.kernel.units import SECOND
from engine.world.world import World

_FIRST_OF_THE_SITE = 20_000
_SECONDS_PER_ID = 260


def pid_at(world: World, host: str, boot: int, time: int) -> int:
    """The id of a process that started at `time` during the boot that began at `boot`."""
    first = kernel_image.first_user_pid(world.node(host)) + 1_500
    return first + (time - boot) // (_SECONDS_PER_ID * SECOND) % (_FIRST_OF_THE_SITE - first)
