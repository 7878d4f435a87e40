"""The work that stands in Slurm when a site opens: what is wrong with it, and other work in its place.

A site file names partitions, jobs under way and jobs that wait. Whoever opens the site may put others there, so that
one site serves a day with many small jobs and one with a run over the whole machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from engine.kernel.documents import Document
from engine.kernel.hostlist import expand
from engine.kernel.names import unknown
from engine.kernel.validation import validate
from engine.sites import catalogue
from engine.sites.model import JobModel, QueuedJobModel, SiteModel, SlurmModel, StandingModel

Path = tuple[str | int, ...]


def with_standing(site: SiteModel, standing: StandingModel | None) -> SiteModel:
    """The site with other work. Partitions that are not named stay; all jobs are replaced, since they go together."""
    if standing is None:
        return site
    changes: dict[str, Any] = {"jobs": standing.jobs, "queue": standing.queue}
    if standing.partitions is not None:
        slurm = site.slurm or SlurmModel(partitions=[])
        changes["slurm"] = slurm.model_copy(update={"partitions": standing.partitions})
    return site.model_copy(update=changes)


def standing_mistakes(document: Document, standing: StandingModel) -> Iterator[tuple[Path, str]]:
    """What is wrong with other work on the site of a file: (where in `standing`, what)."""
    site = with_standing(validate(document, SiteModel), standing)
    for path, what in slurm_mistakes(site):
        yield (path[1:] if path[0] == "slurm" else path), what
    yield from _crowded(site)


def slurm_mistakes(site: SiteModel) -> Iterator[tuple[Path, str]]:
    """People, nodes and partitions that partitions and jobs name and that the site does not have: (where, what)."""
    names = [user.name for user in site.users]
    nodes = {name for group in site.nodes for name in expand(group.names)}
    partitions = site.slurm.partitions if site.slurm else []
    for index, partition in enumerate(partitions):
        yield from _missing_nodes(("slurm", "partitions", index, "nodes"), partition.nodes, nodes)
    for index, job in enumerate(site.jobs):
        yield from _missing_nodes(("jobs", index, "nodes"), job.nodes, nodes)
    known = [partition.name for partition in partitions]
    lists: tuple[tuple[str, Sequence[JobModel | QueuedJobModel]], ...] = (("jobs", site.jobs), ("queue", site.queue))
    for kind, index, each in ((kind, *entry) for kind, jobs in lists for entry in enumerate(jobs)):
        if each.user not in names:
            yield (kind, index, "user"), unknown("user", each.user, names)
        if each.partition not in known:
            yield (kind, index, "partition"), unknown("partition", each.partition, known)


def _missing_nodes(path: Path, wanted: str, nodes: set[str]) -> Iterator[tuple[Path, str]]:
    for node in expand(wanted):
        if node not in nodes:
            yield path, unknown("node", node, nodes)


def _crowded(site: SiteModel) -> Iterator[tuple[Path, str]]:
    """Jobs that do not fit beside those before them."""
    boards = {name: catalogue.board(group.board) for group in site.nodes for name in expand(group.names)}
    left = {name: len(board.gpus) for name, board in boards.items() if board}
    for index, job in enumerate(site.jobs):
        nodes = [node for node in expand(job.nodes) if node in left]
        full = next((node for node in nodes if left[node] < job.gpus_per_node), None)
        if full:
            yield ("jobs", index, "nodes"), f"{full} has {left[full]} GPUs left for it"
        left |= {node: max(0, left[node] - job.gpus_per_node) for node in nodes}
