"""/raid: the local scratch space of a DGX on its data drives."""

from __future__ import annotations

from engine.hostfs import mounts
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import directory


def present(machine: Machine) -> bool:
    """Whether the host has data drives."""
    return bool(mounts.data_drives(machine))


DIRECTORY = directory({"lost+found": directory(mode=0o700)}, mode=0o1777)
