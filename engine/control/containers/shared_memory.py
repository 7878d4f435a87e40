"""/dev/shm of a container, and what training needs of it.

Law: a container has a /dev/shm of its own (64 MiB, unless dockerd's default-shm-size or `--shm-size` says otherwise),
or the host's with `--ipc=host`. PyTorch's DataLoader passes batches from its workers to the training process through
it; when it is full, the kernel ends the worker that writes with SIGBUS, and the training process with an error. Texts:
PyTorch's DataLoader.cpp and signal_handling.py.

Guesses: that a training process has 8 workers for each GPU, each with 2 batches of 38.5 MB (256 pictures of 224x224,
single bytes), and that the first epoch's workers have filled it 48 s after the start.
"""

from __future__ import annotations

from engine.kernel.units import MILLISECOND, SECOND
from engine.world.records import Container

_BATCH = 256 * 3 * 224 * 224
_WORKERS, _PREFETCH = 8, 2
FILLED_AFTER = 48 * SECOND + 310 * MILLISECOND
"""ns from the start of a training to the moment at which its workers have filled what is too small."""


def needed_kib(gpus: int) -> int:
    """KiB of /dev/shm that a training on so many GPUs needs."""
    return gpus * _WORKERS * _PREFETCH * _BATCH // 1024


def is_too_small(each: Container) -> bool:
    """Whether a container's own /dev/shm is less than a training on its GPUs needs."""
    return each.ipc != "host" and 0 < each.shm_kib < needed_kib(len(each.gpus))


def last_words(pid: int) -> str:
    """What the training program writes as it ends; `pid` is the worker's inside."""
    error = f"RuntimeError: DataLoader worker (pid {pid}) is killed by signal: Bus error. It is possible that "
    error += "dataloader's workers are out of shared memory. Please try to raise your shared memory limit."
    return (
        "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).\n"
        f"{error}\n"
    )
