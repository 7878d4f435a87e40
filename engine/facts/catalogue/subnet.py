"""InfiniBand subnets: managers, ports that a manager has brought up, ways and partitions."""

from __future__ import annotations

from engine.control.subnet_manager import configuration, managers, partitions
from engine.control.subnet_manager.lids import FABRIC, fresh_lids, lid
from engine.facts.fact import View, fact
from engine.facts.kinds import Host, Port, Switch
from engine.facts.values import Duration
from engine.physics import links, partition_keys
from engine.physics.traffic import routes
from engine.world.records import LogicalState


@fact("host.subnet_manager")
def host_manager(view: View, host: Host) -> str:
    """What the subnet manager on a host is: master, standby, discovering, or none where none is at work."""
    return _role(view, host)


@fact("host.takes_over_after")
def takes_over_after(view: View, host: Host) -> Duration:
    """How long the subnet manager on a host, as it was configured when it started, waits for a master that is gone."""
    wait, forgiven = configuration.polling(view.world, host)
    return Duration(wait * (forgiven + 2))


@fact("host.honours_old_lids")
def honours_old_lids(view: View, host: Host) -> bool:
    """Whether the subnet manager on a host, as configured when it started, goes by its file after it stood by."""
    return configuration.is_on(view.world, "honor_guid2lid_file", host)


@fact("switch.subnet_manager")
def switch_manager(view: View, switch: Switch) -> str:
    """What the subnet manager on a switch is: master, standby, discovering, or none where none is at work."""
    return _role(view, switch)


@fact("subnet.masters")
def masters(view: View) -> int:
    """How many subnet managers are master; one where all is well."""
    return sum(found.state is managers.ManagerState.MASTER for found in managers.managers(view.world))


@fact("subnet.engine")
def engine(view: View) -> str:
    """The routing engine that made the switches' tables, or none before a manager has swept since the site began."""
    return view.world.subnet_manager[FABRIC].engine or "none"


@fact("subnet.partition")
def partition(view: View, key: str) -> bool:
    """Whether the managers have made the partition with a key, such as 0x8010, with members of it."""
    wanted = partition_keys.base(int(key, 16))
    return any(each.key == wanted for each in partitions.partitions(view.world))


@fact("port.active")
def active(view: View, port: Port) -> bool:
    """Whether data may pass through it: its link is up, and a subnet manager has brought it up if it is InfiniBand."""
    return links.logical_state(view.world, port) is LogicalState.ACTIVE


@fact("port.kept_lid")
def kept_lid(view: View, port: Port) -> bool:
    """Whether an adapter's port has the LID that it had when the site began."""
    return lid(view.world, port) == fresh_lids(view.world.inventory).get(port, 0)


@fact("port.reaches")
def reaches(view: View, port: Port, other: Port) -> bool:
    """Whether programs at an adapter's port reach those at another's, with the partition keys at index 0."""
    return port == other or routes.path(view.world, port, other) is not None


@fact("port.full_member")
def full_member(view: View, port: Port) -> bool:
    """Whether the partition key at index 0 of an adapter's port is that of a full member."""
    return bool(partition_keys.key_at(view.world, port) & partition_keys.FULL)


def _role(view: View, place: str) -> str:
    found = managers.manager_of(view.world, place)
    if found is None:
        return "none"
    words: dict[managers.ManagerState, str] = {
        managers.ManagerState.MASTER: "master",
        managers.ManagerState.STANDBY: "standby",
    }
    return words.get(found.state, "discovering")
