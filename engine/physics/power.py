"""Electric power of a node: what its parts draw, and what its power supplies take from their feeds.

Guesses, fitted to a DGX H100's data sheet (10.2 kW at most, six 3.3 kW supplies of which four suffice) and to about 2
kW at rest: the fixed part of the board, the processors between rest and work, fans by the cube of their speed, 94 %
efficiency of the supplies.
"""

from __future__ import annotations

from engine.kernel.shapes import Jitter
from engine.kernel.units import SECOND
from engine.physics.air import fan_duty, system_fans
from engine.physics.supplies import psu_working
from engine.physics.thermal import average_power
from engine.world.inventory import Psu
from engine.world.records import Power
from engine.world.world import World

__all__ = [
    "EFFICIENCY",
    "STANDBY",
    "cpu_power",
    "input_for",
    "node_draw",
    "psu_input",
    "psu_output",
    "psu_working",
    "share",
]

EFFICIENCY = 940
"""Permille of the input that a power supply gives as output."""

STANDBY = 45_000
"""mW of a node whose chassis is off: its BMC and its standby rails."""

_FIXED_WITH_GPUS, _FIXED = 620_000, 90_000  # board, memory, network cards, NVSwitches, drives
_CPU_IDLE, _CPU_BUSY = 110_000, 350_000  # per socket
_FAN_FULL = 60_000  # per module at full speed


def node_draw(world: World, node: str, time: int) -> int:
    """What the parts of a node draw behind its power supplies (mW)."""
    if world.nodes[node].power is Power.OFF:
        return STANDBY
    parts = world.node(node)
    gpus = sum(average_power(world, gpu.id, time) for gpu in parts.gpus)
    fixed = _FIXED_WITH_GPUS if parts.gpus else _FIXED
    return fixed + gpus + cpu_power(world, node) * parts.cpu.sockets + _fan_power(world, node, time)


def cpu_power(world: World, node: str) -> int:
    """What one processor of a node draws (mW), by how busy all of them are."""
    cpu = world.node(node).cpu
    busy = sum(process.cpu_permille for process in world.systems[node].processes)
    share = min(1000, busy // max(cpu.sockets * cpu.cores, 1))
    return _CPU_IDLE + (_CPU_BUSY - _CPU_IDLE) * share // 1000


def psu_output(world: World, psu: Psu, time: int) -> int:
    """What a power supply gives (mW): the working ones share the node's draw."""
    return share(world, psu.node, node_draw(world, psu.node, time)) if psu_working(world, psu) else 0


def psu_input(world: World, psu: Psu, time: int) -> int:
    """What a power supply takes from its feed (mW), as its sensor shows it."""
    return input_for(world, psu, psu_output(world, psu, time), time)


def share(world: World, node: str, draw: int) -> int:
    """What each working supply of a node gives (mW) while its parts draw `draw`; 0 where none works."""
    working = sum(psu_working(world, psu) for psu in world.node(node).psus)
    return draw // working if working else 0


def input_for(world: World, psu: Psu, output: int, time: int) -> int:
    """What a power supply takes from its feed (mW), as its sensor shows it, while it gives `output`."""
    taken = output * 1000 // EFFICIENCY
    return taken + Jitter(world.seed, f"{psu.id}/input", taken // 100, 2 * SECOND).value(time)


def _fan_power(world: World, node: str, time: int) -> int:
    duty = fan_duty(world, node, time)
    turning = sum(not world.fans[fan.id].failed for fan in system_fans(world, node))
    return turning * _FAN_FULL * duty // 1000 * duty // 1000 * duty // 1000
