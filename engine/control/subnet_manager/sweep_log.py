"""What opensm writes to its log about sweeps: traps of switches, ports that came and went. Wording: opensm 3.3.23,
measured on a simulator.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.control import journald
from engine.control.subnet_manager.lids import end_port, fresh_lids, lid, port_guid
from engine.control.subnet_manager.managers import UNIT, Manager
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.inventory import Inventory
from engine.world.world import World

_LINK_STATE_CHANGE = 'Reporting Urgent Notice "Link state change" from switch'


def noticed(simulation: Simulation[World], manager: Manager, ports: Iterable[str]) -> None:
    """Switches at the other ends of `ports` report that the state of a link changed."""
    inventory = simulation.world.inventory
    for port in ports:
        far = links.peer(inventory, port)
        if far is None or far.count("/") > 1:
            continue
        number, guid = lid(simulation.world, far), port_guid(inventory, end_port(far))
        trap = "log_trap_info: Received Generic Notice type:1 num:128 (Link state change) Producer:2 (Switch)"
        _say(simulation, manager, f"{trap} from LID:{number} TID:0x0000000000000000")
        _say(simulation, manager, f"log_notice: {_LINK_STATE_CHANGE} LID {number}, GUID 0x{guid:016x}")


def lost(simulation: Simulation[World], manager: Manager, ends: Iterable[str]) -> None:
    """End ports that a sweep no longer finds."""
    for end in ends:
        _notice(simulation, manager, end, "GID out of service")
        number = lid(simulation.world, end) or fresh_lids(simulation.world.inventory).get(end, 0)
        text = f"LID range [{number}, {number}] of node:{_name(simulation.world.inventory, end)}"
        _say(simulation, manager, f"drop_mgr_remove_port: Removed port with GUID:{_guid(simulation, end)} {text}")


def said(simulation: Simulation[World], manager: Manager, lines: Iterable[str]) -> None:
    """Lines as they are: of the routing engines and of the configuration."""
    for line in lines:
        _say(simulation, manager, line)


def finished(simulation: Simulation[World], manager: Manager, new: Iterable[str]) -> None:
    """The end of a sweep that found these end ports new."""
    for end in new:
        _notice(simulation, manager, end, "GID in service")
        number = lid(simulation.world, end)
        text = f"LID range [{number},{number}] of node: {_name(simulation.world.inventory, end)}"
        _say(
            simulation,
            manager,
            f"state_mgr_report_new_ports: Discovered new port with GUID:{_guid(simulation, end)} {text}",
        )
    _say(simulation, manager, "SUBNET UP")


def _notice(simulation: Simulation[World], manager: Manager, end: str, what: str) -> None:
    guid = port_guid(simulation.world.inventory, end)
    _say(simulation, manager, f'log_notice: Reporting Informational Notice "{what}", GID:fe80::{_groups(guid)}')


def _say(simulation: Simulation[World], manager: Manager, text: str) -> None:
    journald.log(simulation, manager.host, text, source="OpenSM", unit=UNIT)


def _name(inventory: Inventory, port: str) -> str:
    return links.description(inventory, links.place(inventory, port).device)


def _guid(simulation: Simulation[World], end: str) -> str:
    return f"0x{port_guid(simulation.world.inventory, end):016x}"


def _groups(guid: int) -> str:
    """The lower half of a GID: groups of four digits without leading zeros."""
    return ":".join(f"{guid >> shift & 0xFFFF:x}" for shift in (48, 32, 16, 0))
