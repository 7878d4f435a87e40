"""slurmctld reads its files: at its start, and anew at `scontrol reconfigure`, which lets every slurmd do so too.

From 23.11 on, slurmctld and slurmd execute themselves anew to be reconfigured: a file that one of them cannot read
leaves the old process, and what it had read, in charge (SchedMD/slurm src/slurmctld/controller.c and
src/slurmd/slurmd/slurmd.c, _try_to_reconfig; slurm_reconfigure then gives SLURM_ERROR). Older releases do the same
here, which is a simplification: their slurmctld ended, and their slurmd did not look for GPUs again.
"""

from __future__ import annotations

from engine.control.slurm import (
    charge,
    configuration,
    contact,
    files,
    jobs,
    lifecycle,
    logs,
    registration,
    slurmd,
    topology,
)
from engine.control.slurm.config_file import ConfigurationError
from engine.kernel.hostlist import fold
from engine.kernel.simulation import Simulation
from engine.world.slurm_events import ConfigurationRead
from engine.world.world import World

FAILED = "Unspecified error"
"""What scontrol says of a reconfiguration that failed: the text of SLURM_ERROR."""
_RESUMING = "Resuming operation, reconfigure failed."


def refusal(world: World, host: str) -> tuple[str, ...]:
    """Why slurmctld would not start: its last lines, none if it would. For the start check of the unit."""
    slurm_conf, _ = configuration.on_host(world, host)
    try:
        known = configuration.parse_slurm_conf(slurm_conf)
        if host not in known.controllers:
            return (f"error: This host ({host}/{host}) not a valid controller",)
        if known.text("TopologyPlugin") == "topology/tree":
            topology.parse(configuration.text_on(world, host, topology.PATH), tuple(known.nodes))
    except ConfigurationError as error:
        return error.lines
    return ()


def read(simulation: Simulation[World]) -> None:
    """slurmctld takes over what its files say; jobs on nodes that are no more in them are over."""
    world = simulation.world
    host = charge.in_charge(world)
    texts = configuration.on_host(world, host)
    world.slurm.update("", configuration=texts, topology=configuration.text_on(world, host, topology.PATH))
    simulation.publish(ConfigurationRead())
    known = configuration.in_force(world)
    for job in jobs.active(world):
        gone = [name for name in job.nodes if name not in known.nodes]
        if job.state == "RUNNING" and gone:
            logs.controller(simulation, f"error: Invalid nodes ({fold(job.nodes)}) for JobId={job.id}")
            lifecycle.lose_node(simulation, job, gone[0])
    lifecycle.look_soon(simulation)


def reconfigure(simulation: Simulation[World]) -> str | None:
    """`scontrol reconfigure`: slurmctld first, then every slurmd that it reaches. Returns the error, or None."""
    world = simulation.world
    logs.controller(simulation, "Processing Reconfiguration Request")
    refused = refusal(world, charge.in_charge(world))
    if refused:
        for line in (*refused, _RESUMING):
            logs.controller(simulation, line)
        return FAILED
    read(simulation)
    own = configuration.parse_slurm_conf(files.slurm_conf(world.inventory)).nodes
    touched = _touched(world)
    for name, wanted in configuration.in_force(world).nodes.items():
        concerned = name in touched or wanted != own.get(name)
        if concerned and contact.from_controller(world, name, simulation.now) is None:
            _reconfigure_node(simulation, name)
    return None


def _touched(world: World) -> set[str]:
    """Hosts on which anything happened that a slurmd could see when it starts; it is the same on all others."""
    tables = (world.gpus, world.files, world.slurm_nodes, world.nodes)
    found = {each.partition("/")[0] for table in tables for each in table.changed()}
    systems = ((name, world.systems[name]) for name in world.systems.changed())
    return found | {name for name, system in systems if system.packages or system.modules or system.kernel}


def _reconfigure_node(simulation: Simulation[World], name: str) -> None:
    refused = slurmd.refusal(simulation.world, name)
    if refused:
        for line in (*refused, _RESUMING):
            logs.write(simulation, name, logs.SLURMD, line)
        return
    registration.start_slurmd(simulation, name)
