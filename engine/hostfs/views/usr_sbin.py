"""/usr/sbin: the administrator's programs (see `_programs`)."""

from __future__ import annotations

from engine.hostfs.nodes import directory
from engine.hostfs.views._programs import programs

DIRECTORY = directory(lambda machine: programs(machine, "sbin"))
