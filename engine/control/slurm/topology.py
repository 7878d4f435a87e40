"""topology.conf: the tree of switches that slurmctld reads with `TopologyPlugin=topology/tree`.

Keywords and texts from SchedMD/slurm src/plugins/topology/tree/switch_record.c.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from engine.control.slurm import configuration
from engine.control.slurm.config_file import ConfigurationError, FileParser
from engine.control.slurm.gres_file import hosts
from engine.kernel.quick_dataclass import dataclass
from engine.world.world import World

PATH = "/etc/slurm/topology.conf"


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch: its level above the nodes (0 for a leaf), all nodes below it, and the switches right below it."""

    name: str
    level: int
    nodes: tuple[str, ...]
    switches: tuple[str, ...] = ()


def of(world: World) -> Mapping[str, Switch]:
    """The switches that slurmctld knows by name; none where it has no tree."""
    known = configuration.in_force(world)
    if known.text("TopologyPlugin") != "topology/tree":
        return {}
    return parse(world.slurm[""].topology, tuple(known.nodes))


@lru_cache(maxsize=4)
def parse(text: str, known: tuple[str, ...]) -> Mapping[str, Switch]:
    """The switches by name, in the file's order. Raises ConfigurationError for what slurmctld would refuse."""
    parser = FileParser("topology.conf", PATH, {"switchname": "SwitchName"})
    records = parser.parse(text)
    if parser.errors:
        raise ConfigurationError(
            *parser.errors, f"fatal: something wrong with opening/reading {PATH}: Invalid argument"
        )
    if not records:
        raise ConfigurationError("fatal: No switches configured, failed to create context for topology plugin")
    words: dict[str, Mapping[str, str]] = {}
    for record in records:
        name = record.words["switchname"]
        if name in words:
            raise ConfigurationError(f"fatal: Switch ({name}) has already been defined")
        words[name] = record.words
    return MappingProxyType({name: _switch(name, words, known, ()) for name in words})


def _switch(
    name: str, words: Mapping[str, Mapping[str, str]], known: tuple[str, ...], above: tuple[str, ...]
) -> Switch:
    if name in above:
        raise ConfigurationError("fatal: Switch configuration is not a tree")
    listed = words[name].get("nodes", "")
    if listed and "switches" in words[name]:
        error = f"error: switch {name} has both child switches and nodes"
        raise ConfigurationError(error, f"fatal: something wrong with opening/reading {PATH}: Invalid argument")
    if listed:
        nodes = hosts(listed, "Invalid node name")
        if any(node not in known for node in nodes):
            raise ConfigurationError(f"fatal: Invalid node name ({listed}) in switch config ({name})")
        return Switch(name, 0, tuple(nodes))
    below = hosts(words[name].get("switches", ""), "Invalid switches:")
    lost = next((child for child in below if child not in words), None)
    if lost is not None:
        raise ConfigurationError(f"fatal: Switch configuration {name} has invalid child ({lost})")
    children = [_switch(child, words, known, (*above, name)) for child in below]
    nodes = [node for child in children for node in child.nodes]
    return Switch(name, 1 + max((child.level for child in children), default=0), tuple(nodes), tuple(below))
