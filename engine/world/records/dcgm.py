"""What a node's DCGM host engine keeps while it runs: groups, field groups, health watches, policies, recorded jobs.

All of it is gone when the host engine ends. GPUs are named by DCGM's GPU id, which is the index under which the driver
held them when the host engine started.
"""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class EntityGroup:
    """A group that somebody made: its members as (kind, id), such as ("GPU", 3), in the order in which they came."""

    id: int
    name: str
    members: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """A named list of field numbers."""

    id: int
    name: str
    fields: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class HealthWatch:
    """Which systems of a group are watched (a mask of engine.control.dcgm.health.System), and since when (ns)."""

    group: int
    systems: int
    since: int


@dataclass(frozen=True, slots=True)
class ViolationPolicy:
    """What is a violation for a GPU and what follows. `conditions` is a mask; limits in °C, W and pages (0: none)."""

    gpu: int
    conditions: int = 0
    pages: int = 0
    temperature: int = 0
    power: int = 0
    action: int = 0
    validation: int = 0


@dataclass(frozen=True, slots=True)
class RecordedJob:
    """A job whose statistics are recorded: its GPUs, when recording began and ended (ns; None: it goes on)."""

    name: str
    gpus: tuple[int, ...]
    started: int
    stopped: int | None = None


@dataclass(frozen=True, slots=True)
class EndedProcess:
    """A process on GPUs that ended while processes were watched: its GPUs, when it began and ended (ns)."""

    pid: int
    gpus: tuple[int, ...]
    started: int
    ended: int


@dataclass(frozen=True, slots=True)
class LinkSample:
    """What the NVLinks of a GPU had counted at a time (ns): wrong checksums, packets sent again, retrainings."""

    gpu: str
    time: int
    crc: int
    replay: int
    recovery: int


@dataclass(frozen=True, slots=True)
class HostEngine:
    """The host engine of a node.

    `process_watches` is when watching processes began (ns; None: never), `ended_processes` are those that ended since,
    oldest first; `denied` numbers modules that must not be loaded, `loaded` those that a request has loaded. An engine
    that is not `responsive` takes connections and never answers; GPUs in `profiling_broken` read 0 in every profiling
    field. `diagnostic` is the process id of a running diagnostic (0: none). `link_samples` are those that a watch of
    NVLinks compares with, oldest first.
    """

    groups: tuple[EntityGroup, ...] = ()
    field_groups: tuple[FieldGroup, ...] = ()
    watches: tuple[HealthWatch, ...] = ()
    policies: tuple[ViolationPolicy, ...] = ()
    jobs: tuple[RecordedJob, ...] = ()
    groups_made: int = 0
    field_groups_made: int = 0
    process_watches: int | None = None
    ended_processes: tuple[EndedProcess, ...] = ()
    denied: tuple[int, ...] = ()
    loaded: tuple[int, ...] = ()
    profiling_paused: bool = False
    profiling_broken: tuple[int, ...] = ()
    responsive: bool = True
    diagnostic: int = 0
    link_samples: tuple[LinkSample, ...] = ()


@dataclass(frozen=True, slots=True)
class ExporterState:
    """What dcgm-exporter read when it started: the text of its list of metrics, None for the package's own."""

    counters: str | None = None
