"""What jobs hold on a node."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.world.records import Job


@dataclass(slots=True)
class Usage:
    """What jobs hold on a node; CPUs are bit masks.

    Of a job that is being cleaned up only `completing` tells; `blocked_*` are held until it is gone.
    """

    cpus: int = 0
    gpus: set[int] = field(default_factory=set)
    memory: int = 0
    running: list[int] = field(default_factory=list)
    completing: list[int] = field(default_factory=list)
    blocked_cpus: int = 0
    blocked_gpus: set[int] = field(default_factory=set)
    blocked_memory: int = 0

    @property
    def empty(self) -> bool:
        """Whether no job is on the node."""
        return not (self.running or self.completing)

    def take(self, job: Job, index: int) -> None:
        """Count the share of `job` on its node number `index`."""
        cpus, gpus = job.cpu_masks[index], job.gpu_indices[index]
        if job.completing:
            self.completing.append(job.id)
            self.blocked_cpus |= cpus
            self.blocked_gpus.update(gpus)
            self.blocked_memory += job.memory_mib
        else:
            self.running.append(job.id)
            self.cpus |= cpus
            self.gpus.update(gpus)
            self.memory += job.memory_mib

    def drop(self, job: Job, index: int) -> None:
        """Take the share of `job` off again."""
        cpus, gpus = job.cpu_masks[index], job.gpu_indices[index]
        if job.completing:
            self.completing.remove(job.id)
            self.blocked_cpus &= ~cpus
            self.blocked_gpus.difference_update(gpus)
            self.blocked_memory -= job.memory_mib
        else:
            self.running.remove(job.id)
            self.cpus &= ~cpus
            self.gpus.difference_update(gpus)
            self.memory -= job.memory_mib

    def free_gpus(self, count: int) -> tuple[int, ...]:
        """Which of the first `count` GPUs are free."""
        return tuple(index for index in range(count) if index not in self.gpus and index not in self.blocked_gpus)

    def free_cpus(self, count: int, of: int) -> int:
        """The lowest `count` free CPUs of a node with `of`, as a mask."""
        free = ~(self.cpus | self.blocked_cpus) & (1 << of) - 1
        chosen = 0
        for _ in range(count):
            lowest = free & -free
            chosen |= lowest
            free ^= lowest
        return chosen

    def copy(self) -> Usage:
        """An independent one."""
        return Usage(
            self.cpus, set(self.gpus), self.memory, list(self.running), list(self.completing),
            self.blocked_cpus, set(self.blocked_gpus), self.blocked_memory,
        )  # fmt: skip
