"""Network ports and their cables."""

from __future__ import annotations

from engine.control import network
from engine.facts.fact import View, fact
from engine.facts.kinds import Port


@fact("port.cabled")
def cabled(view: View, port: Port) -> bool:
    """Whether a cable is plugged into it."""
    cable = view.world.inventory.cables.get(port)
    return cable is not None and view.world.cables[cable.id].plugged


@fact("port.enabled")
def enabled(view: View, port: Port) -> bool:
    """Whether nobody has switched it off."""
    return view.world.ports[port].enabled


@fact("port.up")
def up(view: View, port: Port) -> bool:
    """Whether its link is up: a cable, and both ends switched on and powered."""
    return network.port_has_link(view.world, port)
