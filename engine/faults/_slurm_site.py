"""What faults of Slurm share: files changed on one host or on all, daemons that have read them, and nobody to blame."""

from __future__ import annotations

from engine.control import files, systemd
from engine.control.slurm import configuration
from engine.control.slurm.files import CGROUP_CONF, SLURM_CONF, controller_host
from engine.kernel.simulation import Simulation
from engine.world.slurm_events import ConfigurationRead
from engine.world.world import World


def replace_text(simulation: Simulation[World], host: str, path: str, old: str, new: str) -> None:
    """Change what a file of Slurm's configuration says on a host."""
    text = configuration.text_on(simulation.world, host, path)
    files.write(simulation, host, path, text.replace(old, new).encode(), uid=0, gid=0)


def restart(simulation: Simulation[World], host: str, unit: str) -> None:
    """Somebody restarted a daemon. What comes of it is not the learner's doing."""
    simulation.apply(systemd.RestartUnit(host, unit, ""))
    blameless(simulation, host)


def blameless(simulation: Simulation[World], node: str) -> None:
    """That the slurmd of a node fell silent is nobody's act."""
    if node in configuration.in_force(simulation.world).nodes:
        simulation.world.slurm_nodes.update(node, silent_cause="")


def install(simulation: Simulation[World], path: str, text: str, setting: str) -> None:
    """A script that all nodes have, and a line of slurm.conf that names it, as every daemon has read it for long."""
    world = simulation.world
    head = controller_host(world.inventory)
    nodes = list(configuration.in_force(world).nodes)
    for host in (head, *nodes):
        before = configuration.text_on(world, host, SLURM_CONF)
        if setting not in before:
            files.write(simulation, host, SLURM_CONF, f"{before}{setting}\n".encode(), uid=0, gid=0)
        files.write(simulation, host, path, text.encode(), uid=0, gid=0, mode=0o755)
    world.slurm.update("", configuration=configuration.on_host(world, head))
    for node in nodes:
        read = (*configuration.on_host(world, node), configuration.text_on(world, node, CGROUP_CONF))
        world.slurm_nodes.update(node, files=read)
    simulation.publish(ConfigurationRead())
