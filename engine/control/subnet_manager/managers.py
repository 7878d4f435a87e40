"""Subnet managers of a fabric: where they run, in which state they are and what SMInfo says of them.

opensm manages as long as its service runs, its host is up and its port has a link; the manager on a switch as long as
its administrator has switched it on and the switch has power. Which state each of them has taken is latched (`election`
changes it). Activity counts the management packets that it sent: a first sweep, then one look at every switch in each
sweep interval, or one question to the master in each polling interval (opensm's SMInfo gives its counter of QP0
packets; the number of packets per sweep is an estimate from runs on small fabrics).
"""

from __future__ import annotations

from enum import Enum

from engine.control.service_state import service
from engine.control.subnet_manager import configuration
from engine.control.subnet_manager.lids import fresh_lids, host_of_manager, lid, management_port, port_guid, usual_port
from engine.kernel.quick_dataclass import dataclass
from engine.physics import links
from engine.world.inventory import Hca
from engine.world.world import World

UNIT = "opensm.service"
_PACKETS_PER_END_PORT = 18
_INFINIBAND_CAPABILITIES, _ROCE_CAPABILITIES, IS_MANAGER = 0xA751E848, 0x00010000, 0x2


class ManagerState(Enum):
    """Of a subnet manager, with its number in SMInfo."""

    NOT_ACTIVE = (0, "SMINFO_NOTACT")
    DISCOVERING = (1, "SMINFO_DISCOVER")
    STANDBY = (2, "SMINFO_STANDBY")
    MASTER = (3, "SMINFO_MASTER")


DISCOVERING, STANDBY, MASTER, GONE = "discovering", "standby", "master", ""
"""Roles as the state names them."""

_STATES = {DISCOVERING: ManagerState.DISCOVERING, STANDBY: ManagerState.STANDBY, MASTER: ManagerState.MASTER}


@dataclass(frozen=True, slots=True)
class Manager:
    """A subnet manager that is at work: its place is the name of a node or of a switch, `port` and `guid` are the end
    port through which it works, `since` is when it took its state.
    """

    place: str
    port: str
    guid: int
    priority: int
    state: ManagerState
    since: int

    @property
    def rank(self) -> tuple[int, int]:
        """The lower, the higher it stands in elections: by priority, then the lower GUID (opensm:
        osm_sm_is_greater_than).
        """
        return -self.priority, self.guid

    @property
    def on_switch(self) -> bool:
        """Whether it runs on a switch."""
        return self.port.count("/") == 1


def managers(world: World) -> list[Manager]:
    """Every subnet manager at work, the master first; of two the one that became it last."""
    own = host_of_manager(world.inventory)
    places = dict.fromkeys(([own.node] if own else []) + world.managers.changed())
    found = [manager for place in places if (manager := manager_of(world, place))]
    return sorted(found, key=lambda each: (each.state is not ManagerState.MASTER, -each.since, each.rank))


def manager_of(world: World, place: str) -> Manager | None:
    """The manager at work on a node or switch."""
    port = port_of(world, place)
    if port is None or not running(world, place) or not _linked(world, port):
        return None
    memory = world.managers[place]
    role, since = memory.role, memory.since
    if role is None:
        own = host_of_manager(world.inventory)
        role, since = (MASTER if own and own.node == place else GONE), service(world, place, UNIT).since
    state = _STATES.get(role, ManagerState.DISCOVERING)
    guid = port_guid(world.inventory, port)
    return Manager(place, port, guid, configuration.priority(world, place), state, since)


def running(world: World, place: str) -> bool:
    """Whether the program runs, on a node, or is switched on, on a switch."""
    if place in world.inventory.switches:
        return world.managers[place].enabled and world.switches[place].powered
    return world.managers[place].enabled or service(world, place, UNIT).active


def port_of(world: World, place: str) -> str | None:
    """The end port through which a manager at a place works: a switch's port 0, on a node the port whose GUID its file
    names or else the first one with a cable; None if there is none such.
    """
    if place in world.inventory.switches:
        return management_port(place)
    wanted = configuration.number(world, "guid", place)
    if wanted:
        return next((hca.port for hca in world.node(place).hcas if hca.port_guid == wanted), None)
    hca = usual_port(world.inventory, place)
    return hca.port if hca else None


def master(world: World) -> Manager | None:
    """The manager that configures the fabric, if there is one."""
    return next((found for found in managers(world) if found.state is ManagerState.MASTER), None)


def manager_at(world: World, number: int) -> Manager | None:
    """The manager at work on the port with this LID."""
    return next((found for found in managers(world) if lid(world, found.port) == number), None)


def master_at(world: World, number: int) -> Manager | None:
    """The same if it is a master, with whom the subnet's administration is: a manager that stands by answers nobody who
    asks for records (opensm: osm_sa_mad_ctrl.c).
    """
    found = manager_at(world, number)
    return found if found and found.state is ManagerState.MASTER else None


def activity(world: World, manager: Manager, now: int) -> int:
    """Management packets that the manager has sent since it took its state."""
    ends = fresh_lids(world.inventory)
    first = len(ends) * _PACKETS_PER_END_PORT
    if manager.state is ManagerState.STANDBY:
        return first + (now - manager.since) // configuration.polling(world, manager.place)[0]
    switches = sum(end.count("/") == 1 for end in ends)
    interval = configuration.sweep_interval(world, manager.place)
    return first + ((now - manager.since) // interval if interval else 0) * switches


def capability_mask(world: World, hca: Hca) -> int:
    """What a port says it can do; the bit IsSM is set while a subnet manager is bound to it. Values: captures of
    ConnectX-7 ports.
    """
    if hca.link_layer != "InfiniBand":
        return _ROCE_CAPABILITIES
    return _INFINIBAND_CAPABILITIES | manager_bit(world, hca.port)


def manager_bit(world: World, port: str) -> int:
    """The bit IsSM of an end port."""
    return IS_MANAGER if any(found.port == port for found in managers(world)) else 0


def _linked(world: World, port: str) -> bool:
    return port.count("/") == 1 or links.link_up(world, port)
