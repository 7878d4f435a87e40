"""Several managers in one subnet: who is master, what a standby does when it is gone, and what goes on without one."""

from __future__ import annotations

import pytest

from engine.control.subnet_manager import lids, managers
from engine.control.subnet_manager.configuration import CONFIGURATION
from engine.control.subnet_manager.lids import FABRIC
from engine.control.subnet_manager.managers import ManagerState
from engine.control.subnet_manager.on_switches import SetSwitchManager
from engine.control.systemd import StartUnit, StopUnit
from engine.faults.fault import parse_fault
from engine.hostfs.changes import WriteFile
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.traffic import routes
from engine.simulation import open_site
from engine.world.records import LogicalState
from engine.world.world import World

HEAD, SPARE, SWITCH, UNIT = "head-01", "dgx-03", "leaf-02", "opensm.service"
PORT, FAR = "dgx-01/mlx5_0/1", "dgx-02/mlx5_6/1"
MASTER, STANDBY = ManagerState.MASTER, ManagerState.STANDBY


@pytest.fixture(scope="module")
def site() -> Simulation[World]:
    return open_site("dgx-h100-4", 1)


@pytest.fixture
def simulation(site: Simulation[World]) -> Simulation[World]:
    return site.fork()


def start(simulation: Simulation[World], node: str, **settings: object) -> None:
    """Start opensm on a node with a file of these settings."""
    text = "".join(f"{name} {value}\n" for name, value in settings.items())
    simulation.apply(WriteFile(node, CONFIGURATION, text.encode(), 0o644, 0, 0))
    simulation.apply(StartUnit(node, UNIT, "root"))
    simulation.advance(2 * SECOND)


def states(simulation: Simulation[World]) -> dict[str, ManagerState]:
    return {found.place: found.state for found in managers.managers(simulation.world)}


def texts(simulation: Simulation[World], place: str) -> list[str]:
    return [line.text for line in simulation.world.logs[place].entries if line.source == "OpenSM"]


def stop(simulation: Simulation[World], node: str) -> None:
    simulation.apply(StopUnit(node, UNIT, "root"))


def test_a_lower_one_stands_by_and_tells_the_master(simulation: Simulation[World]) -> None:
    start(simulation, SPARE, sm_priority=3)
    assert states(simulation) == {HEAD: MASTER, SPARE: STANDBY}
    assert texts(simulation, SPARE)[-1] == "Entering STANDBY state"
    number = lids.lid(simulation.world, "dgx-03/mlx5_0/1")
    assert any("num:144" in text and f"from LID:{number} " in text for text in texts(simulation, HEAD))
    assert lids.manager_lid(simulation.world, PORT) == 1


def test_a_higher_one_is_handed_the_fabric(simulation: Simulation[World]) -> None:
    start(simulation, SPARE, sm_priority=15)
    assert states(simulation) == {HEAD: STANDBY, SPARE: MASTER}
    assert lids.manager_lid(simulation.world, PORT) == lids.lid(simulation.world, "dgx-03/mlx5_0/1")
    assert lids.manager_lid(simulation.world, "leaf-01/1") == lids.lid(simulation.world, "dgx-03/mlx5_0/1")
    assert texts(simulation, SPARE)[-4:-2] == ["Entering STANDBY state", "Entering MASTER state"]


@pytest.mark.parametrize("place", [SPARE, SWITCH])
def test_of_equal_priorities_the_lower_guid_wins(simulation: Simulation[World], place: str) -> None:
    if place == SWITCH:
        simulation.apply(SetSwitchManager(SWITCH, enabled=True, priority=14))
        simulation.advance(2 * SECOND)
    else:
        start(simulation, SPARE, sm_priority=14)
    found = managers.managers(simulation.world)
    assert [each.state for each in found] == [MASTER, STANDBY]
    assert found[0].guid < found[1].guid


def test_a_standby_takes_over_after_its_questions(simulation: Simulation[World]) -> None:
    start(simulation, SPARE, sm_priority=3)
    simulation.advance(5 * SECOND)
    stop(simulation, HEAD)
    simulation.advance(53 * SECOND)
    assert states(simulation) == {SPARE: STANDBY}
    assert sum("ERR 3113" in text for text in texts(simulation, SPARE)) == 5
    simulation.advance(10 * SECOND)
    assert states(simulation) == {SPARE: MASTER}
    assert lids.manager_lid(simulation.world, PORT) == lids.lid(simulation.world, "dgx-03/mlx5_0/1")
    said = texts(simulation, SPARE)
    assert [text for text in said if text.startswith("Entering")][-2:] == [
        "Entering DISCOVERING state",
        "Entering MASTER state",
    ]
    asked = next(text for text in said if text.startswith("Received SMP"))
    assert asked == "Received SMP on a 2 hop path: Initial path = 0,1,17, Return path  = 0,0,0"


def test_its_settings_say_how_long_it_waits(simulation: Simulation[World]) -> None:
    start(simulation, SPARE, sm_priority=3, sminfo_polling_timeout=2000, polling_retry_number=1)
    stop(simulation, HEAD)
    simulation.advance(9 * SECOND)
    assert states(simulation) == {SPARE: MASTER}


def test_a_master_that_is_back_in_time_stays_master(simulation: Simulation[World]) -> None:
    start(simulation, SPARE, sm_priority=3)
    stop(simulation, HEAD)
    simulation.advance(25 * SECOND)
    simulation.apply(StartUnit(HEAD, UNIT, "root"))
    simulation.advance(100 * SECOND)
    assert states(simulation) == {HEAD: MASTER, SPARE: STANDBY}
    assert simulation.world.managers[SPARE].unanswered == 0


def test_the_intended_one_gets_the_fabric_back(simulation: Simulation[World]) -> None:
    start(simulation, SPARE, sm_priority=3)
    stop(simulation, HEAD)
    simulation.advance(70 * SECOND)
    simulation.apply(StartUnit(HEAD, UNIT, "root"))
    simulation.advance(2 * SECOND)
    assert states(simulation) == {HEAD: MASTER, SPARE: STANDBY}
    assert lids.manager_lid(simulation.world, PORT) == 1


def test_other_keys_make_two_masters(simulation: Simulation[World]) -> None:
    start(simulation, SPARE, sm_priority=3, sm_key="0xbeef")
    assert states(simulation) == {HEAD: MASTER, SPARE: MASTER}
    assert any("ERR 2F18" in text and "Got SM (0,1,17)" in text for text in texts(simulation, SPARE))


def test_a_manager_without_its_link_discovers_anew(simulation: Simulation[World]) -> None:
    links.set_enabled(simulation, "leaf-01/17", False)
    simulation.advance(5 * SECOND)
    assert states(simulation) == {}
    assert texts(simulation, HEAD)[-2:] == ["SM port is down", "Entering DISCOVERING state"]
    links.set_enabled(simulation, "leaf-01/17", True)
    simulation.advance(5 * SECOND)
    assert states(simulation) == {HEAD: MASTER}
    assert links.logical_state(simulation.world, "head-01/mlx5_0/1") is LogicalState.ACTIVE


def test_the_dead_master_leaves_everything_as_it_is(simulation: Simulation[World]) -> None:
    world, before = simulation.world, routes.path(simulation.world, PORT, FAR)
    tables = {name: world.forwarding[name] for name in world.inventory.switches}
    stop(simulation, HEAD)
    simulation.advance(60 * SECOND)
    assert routes.path(world, PORT, FAR) == before is not None
    assert {name: world.forwarding[name] for name in world.inventory.switches} == tables
    assert lids.lid(world, PORT) > 0 and lids.manager_lid(world, PORT) == 1
    for on in (False, True):
        links.set_enabled(simulation, "leaf-01/1", on)
    simulation.advance(60 * SECOND)
    assert links.logical_state(world, PORT) is LogicalState.INITIALIZING


def test_a_node_out_of_reach_keeps_the_old_manager(simulation: Simulation[World]) -> None:
    links.set_enabled(simulation, "leaf-01/1", False)
    start(simulation, SPARE, sm_priority=15)
    new = lids.lid(simulation.world, "dgx-03/mlx5_0/1")
    assert lids.manager_lid(simulation.world, PORT) == 1
    assert lids.manager_lid(simulation.world, FAR) == new
    links.set_enabled(simulation, "leaf-01/1", True)
    simulation.advance(5 * SECOND)
    assert lids.manager_lid(simulation.world, PORT) == new


def test_a_manager_uses_the_port_that_its_file_names(simulation: Simulation[World]) -> None:
    hca = simulation.world.inventory.hca("dgx-03/mlx5_6")
    start(simulation, SPARE, sm_priority=3, guid=f"0x{hca.port_guid:016x}")
    found = managers.manager_of(simulation.world, SPARE)
    assert found and found.port == hca.port
    assert managers.capability_mask(simulation.world, hca) & managers.IS_MANAGER


def test_the_port_of_another_site_keeps_it_from_starting(simulation: Simulation[World]) -> None:
    start(simulation, SPARE, guid="0x1234")
    assert states(simulation) == {HEAD: MASTER}
    assert any("ERR 5422: Unable to find requested CA guid 0x1234" in text for text in texts(simulation, SPARE))


def test_roots_of_the_file_decide_the_ways_of_updn(simulation: Simulation[World]) -> None:
    switches = simulation.world.inventory.switches
    for names, reached in ((("leaf-01", "leaf-02"), False), (("spine-01", "spine-02"), True)):
        text = "".join(f"0x{switches[name].guid:016x}\n" for name in names)
        simulation.apply(WriteFile(HEAD, "/etc/opensm/roots", text.encode(), 0o644, 0, 0))
        stop(simulation, HEAD)
        start(simulation, HEAD, routing_engine="updn", root_guid_file="/etc/opensm/roots")
        assert (routes.path(simulation.world, PORT, FAR) is not None) is reached
    assert simulation.world.subnet_manager[FABRIC].engine == "updn"


def test_a_restarted_standby_host_is_still_a_standby(simulation: Simulation[World]) -> None:
    simulation.apply(SetSwitchManager(SWITCH, enabled=True, priority=3))
    simulation.advance(2 * SECOND)
    assert states(simulation) == {HEAD: MASTER, SWITCH: STANDBY}
    assert managers.manager_bit(simulation.world, f"{SWITCH}/0")
    simulation.apply(SetSwitchManager(SWITCH, enabled=False))
    assert states(simulation) == {HEAD: MASTER}


def test_a_switch_without_power_manages_nothing(simulation: Simulation[World]) -> None:
    simulation.apply(SetSwitchManager(SWITCH, enabled=True, priority=15))
    simulation.advance(2 * SECOND)
    assert states(simulation) == {SWITCH: MASTER, HEAD: STANDBY}
    simulation.apply(parse_fault(f"fabric.switch_failed target={SWITCH}"))
    simulation.advance(70 * SECOND)
    assert states(simulation) == {HEAD: MASTER}
