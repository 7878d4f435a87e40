"""How iblinkinfo and ibqueryerrors write a link: `==( 4X  106.25 Gbps Active/  LinkUp)==>` and the other end.

Format: iblinkinfo.c and ibdiag_common.c (what a link could be) of rdma-core 54, and runs of the real tools on a
simulator. opensm gives ports of switches a lifetime at the head of the queue of 16 towards adapters and 18 towards
switches, and a stall count of 7 (captures).
"""

from __future__ import annotations

from engine.commands.infiniband._diags.discovery import Port
from engine.physics import links
from engine.world.records import LogicalState

STATES = {
    LogicalState.DOWN: "Down",
    LogicalState.INITIALIZING: "Initialize",
    LogicalState.ARMED: "Armed",
    LogicalState.ACTIVE: "Active",
}
STALL_COUNT = 7
_TO_ADAPTER, _TO_SWITCH = 16, 18


def queue_life(port: Port) -> int:
    """How long a packet may stand at the head of the port's queue, as a power of two."""
    if not port.node.is_switch or port.far is None:
        return 0
    return _TO_SWITCH if port.far.node.is_switch else _TO_ADAPTER


def link(port: Port, additional: bool = False) -> str:
    """The part in parentheses; with `additional` what -p adds."""
    states = f"{STATES[port.state]:>6}/{port.physical.value[1]:>8}"
    if port.state is LogicalState.DOWN:
        return f"({'':14}{states})"
    speed = f"{port.generation.lane} Gbps"
    more = f" (HOQ:{queue_life(port)} VL_Stall:{STALL_COUNT})" if additional else ""
    return f"({f'{port.lanes}X':>3} {speed:>18} {states}){more}"


def remote(port: Port, with_guid: bool) -> str:
    """The other end."""
    far = port.far
    if far is None:
        return '           [  ] "" ( )' if port.state is LogicalState.DOWN else '    "Port not available"'
    guid = f"0x{far.guid:016x} " if with_guid else ""
    return f'{guid}{far.lid:6d} {far.number:4d}[  ] "{far.node.called}" ({_hint(port)})'


def _hint(port: Port) -> str:
    """What the link could be, if both ends can do better: its width, its speed."""
    width = "" if port.lanes >= links.LANES else f"Could be {links.LANES}X"
    slow = port.generation.rate < links.speed(port.possible).rate
    return f"{width} Could be {links.speed(port.possible).lane} Gbps" if slow else f"{width} "
