"""Who takes part in a collective: one process for each GPU, as its launcher started it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Rank:
    """A process that takes part, with its GPU (`dgx-02/gpu5`).

    `environment` are all of its variables, `cpus` the list of CPUs that it may run on ("": all), `memory_lock` the KiB
    that it may lock in memory (None: no limit), `stopped` whether it does not run (SIGSTOP). `verbs` says whether it
    sees /dev/infiniband (a container may hide it), `device` is CUDA's number of the GPU in the process (None: as
    nvidia-smi numbers it).
    """

    host: str
    gpu: str
    pid: int = 0
    user: str = "root"
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    cpus: str = ""
    memory_lock: int | None = None
    stopped: bool = False
    verbs: bool = True
    device: int | None = None
