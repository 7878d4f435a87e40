"""Multi-Instance GPU: how a GPU is cut up. The GPU's mode stands in its own record."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ComputeInstance:
    """A part of a GPU instance's multiprocessors: its id there, the id of its profile, its first compute slice."""

    id: int
    profile: int
    start: int = 0


@dataclass(frozen=True, slots=True)
class GpuInstance:
    """A part of a GPU: its id, the id of its profile, its first memory slice, and the compute instances on it."""

    id: int
    profile: int
    start: int
    compute: tuple[ComputeInstance, ...] = ()


@dataclass(frozen=True, slots=True)
class MigState:
    """The GPU instances of a GPU in MIG mode, by id."""

    instances: tuple[GpuInstance, ...] = ()
