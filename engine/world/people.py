"""Who uses a site, what Slurm offers them, and the work that is under way when it opens."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class User:
    """A person with an account on every host."""

    name: str
    uid: int
    full_name: str
    groups: tuple[str, ...]
    shell: str = "/bin/bash"

    @property
    def home(self) -> str:
        return "/root" if self.uid == 0 else f"/home/{self.name}"


@dataclass(frozen=True, slots=True)
class Partition:
    """A Slurm partition."""

    name: str
    nodes: tuple[str, ...]
    default: bool
    max_time: str


@dataclass(frozen=True, slots=True)
class StandingJob:
    """Work that is under way when the site opens: its Slurm job and what it asks of each GPU.

    One that waits in the queue has no nodes but a number of them in `waits_for`, and was submitted, not started, so
    many ns before. `options` are those of its program, `variables` what its script exports.
    """

    name: str
    user: str
    partition: str
    nodes: tuple[str, ...]
    gpus_per_node: int
    workload: str
    started_before: int
    time_limit: int
    waits_for: int = 0
    options: tuple[tuple[str, str], ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
