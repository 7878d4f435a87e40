"""Slurm: what the controller thinks of nodes and jobs."""

from __future__ import annotations

from engine.control.slurm import jobs
from engine.control.slurm.nodes import survey
from engine.facts.fact import View, fact
from engine.facts.kinds import Job, Node, User
from engine.facts.values import Duration


@fact("slurm.node.state")
def node_state(view: View, node: Node) -> str:
    """The state as sinfo shows it in its short form: idle, mix, alloc, drain, drng, down, inval, with its suffix; none
    for a node that Slurm does not have.
    """
    return survey(view.world).condition(node).short.lower() if has(view, node) else "none"


@fact("slurm.node.available")
def node_available(view: View, node: Node) -> bool:
    """Whether new jobs may be placed on it."""
    return has(view, node) and survey(view.world).condition(node).available


@fact("slurm.has")
def has(view: View, node: Node) -> bool:
    """Whether it is a node of Slurm."""
    return node in survey(view.world).configuration.nodes


@fact("slurm.node.drained")
def node_drained(view: View, node: Node) -> bool:
    """Whether it is set to drain, jobs or not."""
    return view.world.slurm_nodes[node].drain


@fact("slurm.node.reason")
def node_reason(view: View, node: Node) -> str:
    """The reason for which it is drained or down; empty if there is none."""
    return view.world.slurm_nodes[node].reason


@fact("slurm.node.has_reason_with")
def node_has_reason_with(view: View, node: Node, text: str) -> bool:
    """Whether the reason holds a text, in capitals or not."""
    return text.casefold() in view.world.slurm_nodes[node].reason.casefold()


@fact("slurm.nodes.available")
def nodes_available(view: View) -> int:
    """On how many nodes new jobs may be placed."""
    cluster = survey(view.world)
    return len(cluster.available(cluster.configuration.nodes))


@fact("slurm.job.state")
def job_state(view: View, job: Job) -> str | None:
    """The state of a job of this session: PENDING, RUNNING, COMPLETED, FAILED, ...; no answer for others."""
    found = jobs.job(view.world, int(job)) if job.isdecimal() else None
    return found.state if found else None


@fact("slurm.job.user")
def job_user(view: View, job: Job) -> str | None:
    """Whose job it is."""
    found = jobs.job(view.world, int(job)) if job.isdecimal() else None
    return found.user if found else None


@fact("jobs.running")
def jobs_running(view: View, node: Node) -> int:
    """How many jobs run on a node."""
    return len(jobs.running_on(view.world, node))


@fact("jobs.time_left")
def jobs_time_left(view: View, node: Node) -> Duration | None:
    """The longest time that a job on the node may still run; no answer if none runs or one has no limit."""
    running = jobs.running_on(view.world, node)
    ends = [(job.started or 0) + job.time_limit for job in running]
    return Duration(max(ends) - view.now) if ends and all(job.time_limit for job in running) else None


@fact("jobs.of")
def jobs_of(view: View, user: User) -> int:
    """How many jobs of a user run."""
    return sum(job.state == "RUNNING" and job.user == user for job in jobs.active(view.world))
