"""What opensm writes to its log: its states, traps of switches and managers, ports that came and went, questions to a
master that has gone.

Wording: opensm 3.3.23, measured on a simulator with one and two managers; foreign keys and lost ports of the manager
itself from its source (osm_sminfo_rcv.c, osm_state_mgr.c). Numbers of transactions go on from 0x1233, as its counter of
packets does (osm_base.h, OSM_SM_INITIAL_TID_VALUE).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.control import journald
from engine.control.service_state import service
from engine.control.subnet_manager.lids import end_port, fresh_lids, lid, port_guid
from engine.control.subnet_manager.managers import UNIT, Manager, activity, capability_mask
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.inventory import Hca, Inventory
from engine.world.world import World

SOURCE = "OpenSM"
_LINK_STATE_CHANGE = 'Reporting Urgent Notice "Link state change" from switch'
_CAPABILITIES_CHANGE = "CapabilityMask, NodeDescription, Link [Width|Speed] Enabled, SM priority changed"
_CLASSES = (0x81, 0x03, 0x04, 0x21)
_FIRST_TRANSACTION = 0x1233
_SWITCH_CAPABILITIES = 0x4250C84A


def started(simulation: Simulation[World], place: str, port: str | None) -> None:
    """A manager starts at a port and discovers."""
    _say(simulation, place, "osm_vendor_init: 1000 pending umads specified")
    entered(simulation, place, "discovering")
    if port is None:
        return
    guid = _guid(simulation, port)
    for number in _CLASSES:
        _say(simulation, place, f"osm_vendor_bind: Mgmt class 0x{number:02x} binding to port GUID {guid}")
    _say(simulation, place, f"osm_opensm_bind: Setting IS_SM on port {guid}")


def entered(simulation: Simulation[World], place: str, role: str) -> None:
    """A manager takes another state."""
    _say(simulation, place, f"Entering {role.upper()} state")


def port_down(simulation: Simulation[World], place: str) -> None:
    """The manager's own port has no link."""
    _say(simulation, place, "SM port is down")
    entered(simulation, place, "discovering")


def announced(simulation: Simulation[World], master: Manager, newcomer: Manager) -> None:
    """A manager that stands by tells the master of itself (trap 144)."""
    number, guid = lid(simulation.world, newcomer.port), _guid(simulation, newcomer.port)
    device = links.place(simulation.world.inventory, newcomer.port).device
    kind, mask = "2 (Switch)", _SWITCH_CAPABILITIES
    if isinstance(device, Hca):
        kind, mask = "1 (Channel Adapter)", capability_mask(simulation.world, device)
    trap = f"log_trap_info: Received Generic Notice type:4 num:144 ({_CAPABILITIES_CHANGE}) Producer:{kind}"
    _say(simulation, master.place, f"{trap} from LID:{number} TID:0x0000000000000000")
    said_so = f'log_notice: Reporting Informational Notice "{_CAPABILITIES_CHANGE}" from LID {number}, GUID {guid}'
    _say(simulation, master.place, f"{said_so}, new CapabilityMask 0x{mask:08x}")


def foreign_key(simulation: Simulation[World], manager: Manager, path: Sequence[int], key: int) -> None:
    """A manager finds another one that has another sm_key."""
    where = _path(path)
    problem = f"Got SM ({where}) with sm_key 0x{key:016x} that doesn't match our local sm_key. Ignoring SMInfo"
    _say(simulation, manager.place, f"smi_rcv_process_get_response: ERR 2F18: {problem}")
    _say(simulation, manager.place, f"Found remote SM ({where}) with non-matching sm_key")


def no_answer(simulation: Simulation[World], follower: Manager, path: Sequence[int]) -> None:
    """The master did not answer when it was asked for its SMInfo."""
    _timed_out(simulation, follower, path, 0x20, "SMInfo")


def no_node(simulation: Simulation[World], manager: Manager, path: Sequence[int]) -> None:
    """Nobody answered at the end of a direct route over links that are up."""
    _timed_out(simulation, manager, path, 0x11, "NodeInfo")


def _timed_out(simulation: Simulation[World], asking: Manager, path: Sequence[int], attribute: int, name: str) -> None:
    transaction = f"TID 0x{_FIRST_TRANSACTION + activity(simulation.world, asking, simulation.now):x}"
    back = _path([0] * len(path))
    hops = f"Received SMP on a {len(path)} hop path: Initial path = {_path(path)}, Return path  = {back}"
    failed = "sm_mad_ctrl_send_err_cb: ERR"
    for text in (
        "log_send_error: ERR 5411: DR SMP Send completed with error (IB_TIMEOUT) -- dropping\n"
        f"\t\t\tMethod 0x1, Attr 0x{attribute:x}, {transaction}",
        hops,
        f"{failed} 3113: MAD completed in error (IB_TIMEOUT): SubnGet({name}), attr_mod 0x0, {transaction}",
        f"{failed} 3120: Timeout while getting attribute 0x{attribute:x} ({name}); Possible mis-set mkey?",
    ):
        _say(simulation, asking.place, text)


def no_lids(simulation: Simulation[World], manager: Manager, ends: Sequence[str], switches: int) -> None:
    """There are no LIDs left for these end ports, and so no routes: told for each of the switches."""
    inventory = simulation.world.inventory
    for _ in ends:
        _say(simulation, manager.place, "lid_mgr_find_free_lid_range: ERR 0307: OPENSM RAN OUT OF LIDS!!!")
    problem = "has LID 0. An initialization error occurred. Ignoring port"
    for end in list(ends) * switches:
        port = f"Port {_guid(simulation, end)} ({_name(inventory, end)} port {end.rpartition('/')[2]})"
        _say(simulation, manager.place, f"ucast_mgr_process_port: ERR 3A04: {port} {problem}")


def duplicated(simulation: Simulation[World], manager: Manager, twins: tuple[str, str], path: Sequence[int]) -> None:
    """A sweep finds two end ports with one GUID; `path` leads to the second."""
    inventory, (first, second) = simulation.world.inventory, twins
    guid = port_guid(inventory, first)
    behind = " and remote node ".join(_socket(inventory, port) for port in (first, second))
    problem = f"Found duplicated node GUID.\nNode 0x{guid:x} port 1 is reachable from remote node {behind}."
    _say(simulation, manager.place, f"report_duplicated_guid: ERR 0D01: {problem}\nPaths are:")
    for _ in range(2):
        _say(simulation, manager.place, f"Directed Path Dump of {len(path)} hop path: Path = {_path(path)}")


def _socket(inventory: Inventory, port: str) -> str:
    """The port of a switch to which an adapter's leads."""
    far = links.peer(inventory, port) or port
    return f"0x{port_guid(inventory, end_port(far)):x} port {far.rpartition('/')[2]}"


def noticed(simulation: Simulation[World], manager: Manager, ports: Iterable[str]) -> None:
    """Switches at the other ends of `ports` report that the state of a link changed."""
    inventory = simulation.world.inventory
    for port in ports:
        far = links.peer(inventory, port)
        if far is None or far.count("/") > 1:
            continue
        number, guid = lid(simulation.world, far), port_guid(inventory, end_port(far))
        trap = "log_trap_info: Received Generic Notice type:1 num:128 (Link state change) Producer:2 (Switch)"
        _say(simulation, manager.place, f"{trap} from LID:{number} TID:0x0000000000000000")
        _say(simulation, manager.place, f"log_notice: {_LINK_STATE_CHANGE} LID {number}, GUID 0x{guid:016x}")


def lost(simulation: Simulation[World], manager: Manager, ends: Iterable[str]) -> None:
    """End ports that a sweep no longer finds."""
    for end in ends:
        _notice(simulation, manager, end, "GID out of service")
        number = lid(simulation.world, end) or fresh_lids(simulation.world.inventory).get(end, 0)
        text = f"LID range [{number}, {number}] of node:{_name(simulation.world.inventory, end)}"
        removed = f"drop_mgr_remove_port: Removed port with GUID:{_guid(simulation, end)} {text}"
        _say(simulation, manager.place, removed)


def said(simulation: Simulation[World], place: str, lines: Iterable[str]) -> None:
    """Lines as they are: of the routing engines, the configuration and the partitions."""
    for line in lines:
        _say(simulation, place, line)


def finished(simulation: Simulation[World], manager: Manager, new: Iterable[str]) -> None:
    """The end of a sweep that found these end ports new."""
    for end in new:
        _notice(simulation, manager, end, "GID in service")
        number = lid(simulation.world, end)
        text = f"LID range [{number},{number}] of node: {_name(simulation.world.inventory, end)}"
        found = f"state_mgr_report_new_ports: Discovered new port with GUID:{_guid(simulation, end)} {text}"
        _say(simulation, manager.place, found)
    _say(simulation, manager.place, "SUBNET UP")


def _notice(simulation: Simulation[World], manager: Manager, end: str, what: str) -> None:
    guid = port_guid(simulation.world.inventory, end)
    text = f'log_notice: Reporting Informational Notice "{what}", GID:fe80::{_groups(guid)}'
    _say(simulation, manager.place, text)


def _say(simulation: Simulation[World], place: str, text: str) -> None:
    on_node = place in simulation.world.inventory.node_index
    pid = (service(simulation.world, place, UNIT).pid or None) if on_node else None
    journald.log(simulation, place, text, source=SOURCE, unit=UNIT, pid=pid)


def _path(ports: Iterable[int]) -> str:
    """A directed route; its first number is the local port's and means nothing."""
    return ",".join(map(str, (0, *ports)))


def _name(inventory: Inventory, port: str) -> str:
    return links.description(inventory, links.place(inventory, port).device)


def _guid(simulation: Simulation[World], end: str) -> str:
    return f"0x{port_guid(simulation.world.inventory, end):016x}"


def _groups(guid: int) -> str:
    """The lower half of a GID: groups of four digits without leading zeros."""
    return ":".join(f"{guid >> shift & 0xFFFF:x}" for shift in (48, 32, 16, 0))
