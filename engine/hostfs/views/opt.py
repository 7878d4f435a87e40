"""/opt: software that comes without a package: CUDA's link, the benchmarks' place."""

from __future__ import annotations

from engine.hostfs.nodes import directory

DIRECTORY = directory({"nvidia": directory(), "mellanox": directory()})
