"""Network ports and their cables."""

from __future__ import annotations

from typing import Literal

from engine.facts.fact import View, fact
from engine.facts.kinds import Port
from engine.facts.values import Rate
from engine.physics import cabling, links, port_counters

ErrorCounter = Literal[
    "symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors", "port_rcv_remote_physical_errors",
    "port_rcv_switch_relay_errors", "port_xmit_discards", "port_xmit_constraint_errors", "port_rcv_constraint_errors",
    "local_link_integrity_errors", "excessive_buffer_overrun_errors", "QP1_dropped", "VL15_dropped",
]  # fmt: skip


@fact("port.cabled")
def cabled(view: View, port: Port) -> bool:
    """Whether a cable is plugged into it."""
    cable = view.world.inventory.cables.get(port)
    return cable is not None and view.world.cables[cable.id].plugged


@fact("port.as_planned")
def as_planned(view: View, port: Port) -> bool:
    """Whether it has the cable of the cabling plan, which leads where the plan has it; or none, as in the plan."""
    return cabling.as_planned(view.world, port)


@fact("port.enabled")
def enabled(view: View, port: Port) -> bool:
    """Whether nobody has switched it off."""
    return view.world.ports[port].enabled


@fact("port.up")
def up(view: View, port: Port) -> bool:
    """Whether its link is up: a cable, and both ends switched on and powered. Ethernet ports of a node have theirs."""
    return links.link_up(view.world, port)


@fact("port.rate")
def rate(view: View, port: Port) -> Rate | None:
    """At which rate its link runs; no answer from one without a link."""
    return Rate(links.rate(view.world, port)) if links.link_up(view.world, port) else None


@fact("port.ethernet")
def ethernet(view: View, port: Port) -> bool:
    """Whether its link layer is Ethernet; InfiniBand otherwise."""
    return links.ethernet(view.world, port)


@fact("port.errors")
def errors(view: View, port: Port, counter: ErrorCounter) -> int:
    """What one of its error counters shows: how many came since it was last reset."""
    return port_counters.errors(view.world, port, view.now)[counter]
