"""How much people may write on a simulated host: enough for any exercise, too little to hurt the machine that runs
it.
"""

from __future__ import annotations

from engine.hostfs.tree import ErrorCode, FileError
from engine.hostfs.written import Layer
from engine.kernel.units import MIB
from engine.world.world import World

FILE_BYTES = 64 * MIB
HOST_BYTES = 256 * MIB
HOST_FILES = 8192


def check_room(layer: Layer, world: World, path: str, size: int, before: int = 0, files: int = 1) -> None:
    """Raises NO_SPACE if `files` more entries with `size` bytes instead of `before` have no room at `path`."""
    count, used = layer.room(world, path)
    if size > FILE_BYTES or used - before + size > HOST_BYTES or count + files > HOST_FILES:
        raise FileError(ErrorCode.NO_SPACE, path)
