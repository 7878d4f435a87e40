"""Subnet managers of a fabric: where they run, in which state they are and what SMInfo says of them.

opensm manages as long as its service runs, its host is up and its port has a link. Activity counts the management
packets that it sent: a first sweep, then one look at every switch in each sweep interval (opensm's SMInfo gives its
counter of QP0 packets; the number of packets per sweep is an estimate from runs on small fabrics).
"""

from __future__ import annotations

from enum import Enum

from engine.control.service_state import service
from engine.control.subnet_manager import configuration
from engine.control.subnet_manager.lids import fresh_lids, host_of_manager, lid
from engine.kernel.quick_dataclass import dataclass
from engine.physics import links
from engine.world.inventory import Hca
from engine.world.world import World

UNIT = "opensm.service"
_PACKETS_PER_END_PORT = 18
_INFINIBAND_CAPABILITIES, _ROCE_CAPABILITIES, _IS_MANAGER = 0xA751E848, 0x00010000, 0x2


class ManagerState(Enum):
    """Of a subnet manager, with its number in SMInfo."""

    NOT_ACTIVE = (0, "SMINFO_NOTACT")
    DISCOVERING = (1, "SMINFO_DISCOVER")
    STANDBY = (2, "SMINFO_STANDBY")
    MASTER = (3, "SMINFO_MASTER")


@dataclass(frozen=True, slots=True)
class Manager:
    """A subnet manager that is at work."""

    host: str
    hca: Hca
    priority: int
    state: ManagerState
    since: int


def managers(world: World) -> list[Manager]:
    """Every subnet manager at work, the master first."""
    hca = host_of_manager(world.inventory)
    if hca is None or not links.link_up(world, hca.port):
        return []
    run = service(world, hca.node, UNIT)
    if not run.active:
        return []
    return [Manager(hca.node, hca, configuration.priority(world), ManagerState.MASTER, run.since)]


def master(world: World) -> Manager | None:
    """The manager that configures the fabric, if there is one."""
    return next((found for found in managers(world) if found.state is ManagerState.MASTER), None)


def manager_at(world: World, number: int) -> Manager | None:
    """The manager at work on the port with this LID."""
    return next((found for found in managers(world) if lid(world, found.hca.port) == number), None)


def activity(world: World, manager: Manager, now: int) -> int:
    """Management packets that the manager has sent since it started."""
    ends = fresh_lids(world.inventory)
    switches = sum(end.count("/") == 1 for end in ends)
    interval = configuration.sweep_interval(world)
    looks = (now - manager.since) // interval if interval else 0
    return len(ends) * _PACKETS_PER_END_PORT + looks * switches


def capability_mask(world: World, hca: Hca) -> int:
    """What a port says it can do; the bit IsSM is set while a subnet manager is bound to it. Values: captures of
    ConnectX-7 ports.
    """
    if hca.link_layer != "InfiniBand":
        return _ROCE_CAPABILITIES
    managing = any(found.hca.id == hca.id for found in managers(world))
    return _INFINIBAND_CAPABILITIES | (_IS_MANAGER if managing else 0)
