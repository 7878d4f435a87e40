"""Machines: up or down, since when, and the air and the fans that cool them."""

from __future__ import annotations

from engine.facts.fact import View, fact
from engine.facts.kinds import Fan, Host
from engine.facts.values import Duration, Power, Speed, Temperature
from engine.physics import air
from engine.physics import power as node_power
from engine.world import records


@fact("node.up")
def up(view: View, node: Host) -> bool:
    """Whether its operating system runs and one can log in."""
    return view.world.nodes[node].phase is records.BootPhase.RUNNING


@fact("node.powered")
def powered(view: View, node: Host) -> bool:
    """Whether its chassis has power."""
    return view.world.nodes[node].power is records.Power.ON


@fact("node.uptime")
def uptime(view: View, node: Host) -> Duration | None:
    """How long ago its kernel started; no answer if it does not run."""
    return Duration(view.now - view.world.nodes[node].booted_at) if up(view, node) else None


@fact("node.booted_since_start")
def booted_since_start(view: View, node: Host) -> bool:
    """Whether it has been started since the site's start."""
    return view.world.nodes[node].booted_at >= 0


@fact("node.inlet_temperature")
def inlet_temperature(view: View, node: Host) -> Temperature:
    """The temperature of the air at its inlet."""
    return Temperature(air.inlet(view.world, node, view.now))


@fact("node.power")
def power(view: View, node: Host) -> Power:
    """What the machine draws."""
    return Power(node_power.node_draw(view.world, node, view.now))


@fact("node.filter_clogged")
def filter_clogged(view: View, node: Host) -> bool:
    """Whether its inlet filter keeps out more than a tenth of the air."""
    return view.world.cooling[node].filter_blocked_permille > _CLOGGED


@fact("fan.failed")
def fan_failed(view: View, fan: Fan) -> bool:
    """Whether a fan module stands still though it should turn."""
    return view.world.fans[fan].failed


@fact("fan.rpm")
def fan_rpm(view: View, fan: Fan) -> Speed:
    """How fast the slowest rotor of a fan module turns."""
    node = fan.partition("/")[0]
    module = next(each for each in view.world.node(node).fans if each.id == fan)
    return Speed(min(air.fan_rpm(view.world, fan, rotor, view.now) for rotor in range(module.rotors)))


@fact("fan.cools")
def fan_cools(view: View, fan: Fan) -> str:
    """What a fan module cools: system or psu."""
    node = fan.partition("/")[0]
    return next(each.zone for each in view.world.node(node).fans if each.id == fan)


_CLOGGED = 100
