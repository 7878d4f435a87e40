"""What slurmctld tells of a node, ready to print: for sinfo and `scontrol show node`.

GRES lines follow gres_gpu of 24.11: GPUs found through NVML know their sockets (`(S:0-1)`), those of `File=` lines do
not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.control import processes
from engine.control.slurm import configuration, jobs
from engine.control.slurm.gres_file import parse_gres_conf
from engine.control.slurm.nodes import Cluster
from engine.control.slurm.states import NodeCondition
from engine.control.slurm.usage import Usage
from engine.control.slurm.version import release
from engine.world.records import SlurmNode


@dataclass(frozen=True)
class NodeFacts:
    """One node of the cluster at `now`."""

    cluster: Cluster
    name: str
    now: int

    @cached_property
    def configured(self) -> configuration.NodeConfiguration:
        return self.cluster.node(self.name)

    @cached_property
    def record(self) -> SlurmNode:
        return self.cluster.record(self.name)

    @cached_property
    def condition(self) -> NodeCondition:
        return self.cluster.condition(self.name)

    @cached_property
    def held(self) -> Usage:
        return self.cluster.held(self.name)

    @property
    def cpus_allocated(self) -> int:
        return self.held.cpus.bit_count()

    @property
    def known(self) -> bool:
        """Whether the node has registered since slurmctld knows it."""
        return not self.record.unknown

    @cached_property
    def load(self) -> int:
        """Load average in hundredths, as slurmd last told: over five minutes."""
        told = self.now if self.record.silent_since is None else self.record.silent_since
        return processes.load_average(self.cluster.world, self.name, told)[1]

    @cached_property
    def free_memory(self) -> int:
        """MiB that were free when slurmd last told."""
        return processes.memory(self.cluster.world, self.name).free // 1024

    @property
    def version(self) -> str:
        return release(self.cluster.world.inventory)

    @cached_property
    def gres(self) -> str:
        """`gpu:h100:8(S:0-1)`, or `(null)`."""
        return f"{self.configured.gres}{self._sockets}" if self.configured.gpus else "(null)"

    @cached_property
    def gres_used(self) -> str:
        """`gpu:h100:4(IDX:0-3)`."""
        kind = f":{self.configured.gpu_type}" if self.configured.gpu_type else ""
        if not self.configured.gpus:
            return "gpu:0"
        indices = jobs.ranges(self.held.gpus) or "N/A"
        return f"gpu{kind}:{len(self.held.gpus)}(IDX:{indices})"

    @property
    def state_group(self) -> str:
        """Whether `sinfo -s` counts the node as allocated, idle or other."""
        words = self.condition.complete.split("+")
        if words[0] in ("ALLOCATED", "MIXED") or "COMPLETING" in words:
            return "allocated"
        return "other" if "DRAIN" in words or words[0] == "DOWN" else "idle"

    @property
    def _sockets(self) -> str:
        """The sockets that the GPUs belong to, known only where slurmd found the GPUs itself."""
        detection, _ = parse_gres_conf(configuration.read_by_slurmd(self.cluster.world, self.name)[1]).of(self.name)
        numbers = {gpu.numa for gpu in self.cluster.world.node(self.name).gpus}
        return f"(S:{jobs.ranges(numbers)})" if detection == "nvml" else ""
