"""Network ports and their cables."""

from __future__ import annotations

from engine.facts.fact import View, fact
from engine.facts.kinds import Port
from engine.physics import links


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
    """Whether its link is up: a cable, and both ends switched on and powered. Ethernet ports of a node have theirs."""
    return links.link_up(view.world, port)


@fact("port.ethernet")
def ethernet(view: View, port: Port) -> bool:
    """Whether its link layer is Ethernet; InfiniBand otherwise."""
    return links.place(view.world.inventory, port).ethernet
