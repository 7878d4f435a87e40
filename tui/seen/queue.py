"""The queue as the learner has seen it: jobs that squeue listed, and whether they stood in its last whole listing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tui.seen.knowledge import Knowledge

QUEUE = "slurm queue"
"""What sightings of the queue itself are about."""
JOB = "job "
"""Before a job's number in the name of what its sightings are about."""

_SHORT = {
    "PENDING": "PD", "RUNNING": "R", "COMPLETI": "CG", "COMPLETING": "CG", "SUSPENDED": "S", "CONFIGUR": "CF",
    "CONFIGURING": "CF", "STOPPED": "ST", "REQUEUED": "RQ", "RESIZING": "RS",
}  # fmt: skip
_ORDER = ("R", "CG", "CF", "S", "PD")


@dataclass(frozen=True, slots=True)
class SeenJob:
    """A job: what squeue said of it last, ns since the site's start when that was, and whether it is known to be gone.

    `where` is its nodes, or the reason why it waits, in brackets.
    """

    id: str
    partition: str
    name: str
    user: str
    state: str
    time: str
    nodes: str
    where: str
    at: int
    gone: bool

    @property
    def waits(self) -> bool:
        """Whether it has no nodes yet."""
        return self.state == "PD"


def seen_jobs(knowledge: Knowledge) -> list[SeenJob]:
    """All jobs that were listed: those that run, those that wait, and last those that were there before."""
    whole = knowledge.seen_at(QUEUE)
    found = []
    for component, sightings in knowledge.sightings.items():
        if component.startswith(JOB):
            said = {aspect: one.value for aspect, one in sightings.items()}
            at = max(one.at for one in sightings.values())
            told = (said.get(name, "") for name in ("partition", "name", "user"))
            partition, name, user = told
            state = _SHORT.get(said.get("state", ""), said.get("state", ""))
            gone = whole is not None and at < whole
            id, rest = component.removeprefix(JOB), (said.get("time", ""), said.get("nodes", ""), said.get("where", ""))
            found.append(SeenJob(id, partition, name, user, state, *rest, at, gone))
    return sorted(found, key=lambda job: (job.gone, _rank(job.state), _number(job.id)))


def _rank(state: str) -> int:
    return _ORDER.index(state) if state in _ORDER else len(_ORDER)


def _number(id: str) -> tuple[int, str]:
    """Jobs in the order of their numbers, elements of an array by theirs."""
    digits = re.match(r"\d+", id)
    return int(digits[0]) if digits else 0, id
