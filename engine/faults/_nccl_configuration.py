"""NCCL's settings for a whole node: a line in /etc/nccl.conf, which every job on the node reads (NCCL's documentation
of NCCL_CONF_FILE and /etc/nccl.conf). People leave such lines behind after tests, and images carry them everywhere.
"""

from __future__ import annotations

from engine.control import files
from engine.kernel.simulation import Simulation
from engine.world.world import World

PATH = "/etc/nccl.conf"


def set_for_node(simulation: Simulation[World], node: str, variable: str, value: str) -> None:
    """Put `variable=value` into the node's file, in place of an older line for the same variable."""
    lines = files.text(simulation.world, node, PATH, "").splitlines()
    kept = [line for line in lines if line.partition("=")[0].strip() != variable]
    content = "".join(f"{line}\n" for line in [*kept, f"{variable}={value}"])
    files.write(simulation, node, PATH, content.encode(), uid=0, gid=0)
