"""What stands around a node: power supplies, PDUs, the power brake, the BMC and its log, firmware."""

from __future__ import annotations

from engine.control import bmc, firmware, fstab, sel
from engine.facts.fact import View, fact
from engine.facts.kinds import Host, Psu, Rack, Strip
from engine.physics import cooling_door, supplies
from engine.world import inventory


@fact("psu.works")
def psu_works(view: View, psu: Psu) -> bool:
    """Whether a power supply gives power."""
    return supplies.psu_working(view.world, _psu(view, psu))


@fact("psu.failed")
def psu_failed(view: View, psu: Psu) -> bool:
    """Whether a power supply has failed, or switched itself off."""
    return view.world.psus[psu].failed


@fact("psu.has_input")
def psu_has_input(view: View, psu: Psu) -> bool:
    """Whether there is power on a supply's cord."""
    return supplies.has_input(view.world, _psu(view, psu))


@fact("psu.in_strip")
def psu_in_strip(view: View, psu: Psu, strip: Strip) -> bool:
    """Whether a supply's cord is in this strip."""
    return supplies.strip_of(view.world, _psu(view, psu)).id == strip


@fact("strip.live")
def strip_live(view: View, strip: Strip) -> bool:
    """Whether a strip of a PDU gives power."""
    return supplies.strip_is_live(view.world, supplies.strips(view.world.inventory)[strip])


@fact("strip.feeds")
def strip_feeds(view: View, strip: Strip, node: Host) -> bool:
    """Whether a cord of the node is in this strip."""
    return any(supplies.strip_of(view.world, psu).id == strip for psu in view.world.node(node).psus)


@fact("node.braked")
def node_braked(view: View, node: Host) -> bool:
    """Whether the power brake of its GPUs is pulled."""
    return supplies.braked(view.world, node)


@fact("node.supplies")
def node_supplies(view: View, node: Host) -> int:
    """How many of its power supplies give power."""
    return supplies.working(view.world, view.world.node(node))


@fact("node.fans_by_hand")
def fans_by_hand(view: View, node: Host) -> bool:
    """Whether somebody has set its fans to a fixed speed."""
    return view.world.bmcs[node].fan_duty is not None


@fact("node.mounts_found")
def mounts_found(view: View, node: Host) -> bool:
    """Whether every device is there that its /etc/fstab wants at a start."""
    return not fstab.blocking(view.world, node)


@fact("rack.holds")
def rack_holds(view: View, rack: Rack, node: Host) -> bool:
    """Whether a host stands in this rack."""
    return view.world.node(node).rack == rack


@fact("rack.leak_alarm")
def leak_alarm(view: View, rack: Rack) -> bool:
    """Whether the leak rope of its cooling door raises an alarm, rightly or not."""
    return cooling_door.has_alarm(view.world, rack)


@fact("rack.wet")
def wet(view: View, rack: Rack) -> bool:
    """Whether there is water under its cooling door."""
    return view.world.leaks[rack].wet


@fact("bmc.answers")
def bmc_answers(view: View, node: Host) -> bool:
    """Whether its BMC answers over the network."""
    return bmc.answers(view.world, node, view.now, network=True)


@fact("bmc.clock_right")
def clock_right(view: View, node: Host) -> bool:
    """Whether the clock of its BMC shows the time."""
    return view.world.bmcs[node].clock_skew == 0


@fact("bmc.log_full")
def log_full(view: View, node: Host) -> bool:
    """Whether the event log of its BMC takes nothing more."""
    return sel.is_full(view.world, node)


@fact("firmware.version")
def firmware_version(view: View, node: Host, component: str) -> str:
    """The version that a component of the firmware inventory runs; empty if there is no such component."""
    return firmware.version(view.world, node, component)


def _psu(view: View, identifier: str) -> inventory.Psu:
    return next(psu for psu in view.world.node(identifier.partition("/")[0]).psus if psu.id == identifier)
