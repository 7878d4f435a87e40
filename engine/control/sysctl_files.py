"""systemd-sysctl at boot: settings of the kernel from files that people wrote to /etc/sysctl.d and /etc/sysctl.conf.

What the site itself ships there is in the defaults already. Files are read in the order of their names (sysctl.d(5));
lines are `name = value`, a dash in front lets a failure pass; what the kernel does not take changes nothing.
"""

from __future__ import annotations

from engine.control import files, sysctl
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.events import NodeUp
from engine.world.world import World

_FOLDER, _SUFFIX, _LAST = "/etc/sysctl.d/", ".conf", "/etc/sysctl.conf"


def assignments(world: World, host: str) -> list[tuple[str, str]]:
    """Names and values in the order in which they are set."""
    written = world.files[host].files
    paths = sorted(path for path in written if path.startswith(_FOLDER) and path.endswith(_SUFFIX))
    lines = [line for path in [*paths, _LAST] for line in files.text(world, host, path, "").splitlines()]
    pairs = (line.strip().removeprefix("-").partition("=") for line in lines if line.strip()[:1] not in ("#", ";"))
    return [(name.strip().replace("/", "."), value.strip()) for name, sign, value in pairs if sign]


def _node_up(simulation: Simulation[World], event: NodeUp) -> None:
    world = simulation.world
    if event.node not in world.files.changed():
        return
    known = sysctl.settings(world, event.node)
    for name, value in assignments(world, event.node):
        if name in known:
            sysctl.SetSysctl(event.node, name, value).perform(simulation)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((NodeUp, _node_up),)
