"""Cables, transceivers and connectors of network ports, and what adapters' firmware was set to."""

from __future__ import annotations

from engine.control import adapter_firmware
from engine.facts.fact import View, fact
from engine.facts.kinds import Hca, Port
from engine.physics import link_quality, links, optics


@fact("port.lanes")
def lanes(view: View, port: Port) -> int | None:
    """How many lanes its link uses; no answer from one without a link."""
    return links.lanes(view.world, port) if links.link_up(view.world, port) else None


@fact("port.signal_clean")
def signal_clean(view: View, port: Port) -> bool:
    """Whether what comes in by it has no bit errors that anybody would count."""
    return link_quality.error_exponent(view.world, port) >= link_quality.CLEAN


@fact("port.dirty")
def dirty(view: View, port: Port) -> bool:
    """Whether its optical connector is dirty."""
    return bool(view.world.connectors[port].loss)


@fact("port.flapping")
def flapping(view: View, port: Port) -> bool:
    """Whether its link goes down by itself now and then."""
    cable = links.cable(view.world.inventory, port)
    return cable is not None and view.world.cables[cable.id].flapping is not None


@fact("port.cable_part")
def cable_part(view: View, port: Port) -> str | None:
    """The part number of what is plugged into it; no answer from an empty cage."""
    found = optics.product(view.world, port)
    return found.part if found else None


@fact("port.transceiver_works")
def transceiver_works(view: View, port: Port) -> bool:
    """Whether its transceiver sends light; copper always does its work."""
    return optics.working(view.world, port)


@fact("hca.firmware")
def firmware(view: View, hca: Hca) -> str:
    """The version of the firmware that it runs."""
    return adapter_firmware.running_version(view.world, view.world.inventory.hca(hca))


@fact("hca.firmware_uniform")
def firmware_uniform(view: View, hca: Hca) -> bool:
    """Whether it runs the firmware that the site has for cards of its kind."""
    own = view.world.inventory.hca(hca)
    return adapter_firmware.running_version(view.world, own) == own.firmware


@fact("hca.own_guid")
def own_guid(view: View, hca: Hca) -> bool:
    """Whether it tells the GUID with which it was made."""
    return view.world.inventory.hca(hca).guid == view.world.plan.hca(hca).guid
