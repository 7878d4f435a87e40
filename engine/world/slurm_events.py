"""Events of Slurm's daemons among themselves: what they have scheduled, and what one of them has read."""

from __future__ import annotations

from engine.kernel.events import Event
from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class NodeScriptDue(Event):
    """Scheduled: a script that slurmd runs is looked at: `step` is guessed (it is done if no shell runs it), words (it
    is done), timed_out, or slow.
    """

    number: int
    step: str


@dataclass(frozen=True, slots=True)
class NodeScriptFailed(Event):
    """Scheduled: a script that a node should run for a job is not there, or may not be executed."""

    kind: str
    node: str
    job: int
    path: str


@dataclass(frozen=True, slots=True)
class PowerDue(Event):
    """Scheduled: slurmctld's power saving looks at a node whose power changes since `since`: `step` is look or late."""

    node: str
    since: int
    step: str


@dataclass(frozen=True, slots=True)
class ContactDue(Event):
    """Scheduled: something changed on slurmctld's host on which it depends whether it and its nodes understand each
    other.
    """


@dataclass(frozen=True, slots=True)
class BackupDue(Event):
    """Scheduled: slurmctld of `host`, which was in charge, has been silent for SlurmctldTimeout."""

    host: str


@dataclass(frozen=True, slots=True)
class ConfigurationRead(Event):
    """slurmctld has read its files anew."""


@dataclass(frozen=True, slots=True)
class HealthCheckDue(Event):
    """Scheduled: slurmctld lets the nodes run their health check."""
