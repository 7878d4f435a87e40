"""The ground that Slurm stands on: what its daemons have read, whether they understand each other, and clocks."""

from __future__ import annotations

from engine.control import host_clock, munge
from engine.control.dcgm import daemon
from engine.control.slurm import charge, configuration, contact, devices, jobs
from engine.control.slurm.nodes import survey
from engine.facts.fact import View, fact
from engine.facts.kinds import Node
from engine.facts.values import Duration


@fact("slurm.node.gpus")
def node_gpus(view: View, node: Node) -> int:
    """How many of its GPUs jobs can get: what slurm.conf says, or fewer if its slurmd reported fewer."""
    cluster = survey(view.world)
    known = cluster.configuration.nodes.get(node)
    if known is None:
        return 0
    reported = cluster.record(node).registered_gpus
    return known.gpus if reported is None else min(known.gpus, reported)


@fact("slurm.node.answers")
def node_answers(view: View, node: Node) -> bool:
    """Whether its slurmd runs and slurmctld and it understand each other."""
    return contact.answers(view.world, node, view.now)


@fact("slurm.node.devices_constrained")
def devices_constrained(view: View, node: Node) -> bool:
    """Whether jobs on it see only the GPUs that they were given."""
    return devices.constrained(view.world, node)


@fact("slurm.node.same_configuration")
def same_configuration(view: View, node: Node) -> bool:
    """Whether its slurmd works with the slurm.conf that slurmctld works with."""
    read = view.world.slurm[""].configuration
    theirs = read[0] if read else configuration.read_by_slurmd(view.world, node)[0]
    return configuration.read_by_slurmd(view.world, node)[0] == theirs


@fact("slurm.partition.usable")
def partition_usable(view: View, node: Node) -> bool:
    """Whether a partition that is up has the node, with no time limit under an hour."""
    return any(
        each.state == "UP" and node in each.nodes and (each.max_time is None or Duration(each.max_time) >= _HOUR)
        for each in configuration.in_force(view.world).partitions
    )


@fact("slurm.jobs.held")
def jobs_held(view: View) -> int:
    """How many jobs wait because they are held."""
    return sum(job.state == "PENDING" and (job.held or job.held_by_admin) for job in jobs.active(view.world))


@fact("munge.status")
def munge_status(view: View, node: Node) -> str:
    """What munged of a node says of a credential from slurmctld's host: Success, Invalid credential, ..."""
    if not munge.runs(view.world, node):
        return "Socket communication error"
    return munge.between(view.world, charge.in_charge(view.world), node, view.now)[1]


@fact("dcgm.answers")
def dcgm_answers(view: View, node: Node) -> bool:
    """Whether its host engine runs and answers."""
    return daemon.is_running(view.world, node) and view.world.host_engines[node].responsive


@fact("clock.ahead")
def clock_ahead(view: View, node: Node) -> Duration:
    """By how much its clock is ahead of the right time (behind: negative)."""
    return Duration(host_clock.offset(view.world, node, view.now))


_HOUR = 3600 * 10**9
