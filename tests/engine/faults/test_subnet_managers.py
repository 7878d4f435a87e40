"""Faults of subnet managers and partitions: each shows in its own way, and its remedy mends it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine.control.subnet_manager import lids, managers
from engine.control.subnet_manager.crashes import WATCHDOG
from engine.control.subnet_manager.managers import UNIT, ManagerState
from engine.control.subnet_manager.on_switches import SetSwitchManager
from engine.control.systemd import RestartUnit, StartUnit, StopUnit, is_active
from engine.faults.fault import parse_fault
from engine.hostfs.changes import RemovePath, WriteFile
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.physics import links
from engine.physics.traffic import routes
from engine.simulation import open_site
from engine.world.records import LogicalState
from engine.world.world import World
from tests.support.run import run_command

HEAD, NODE = "head-01", "dgx-03"
ONE, TWO, FAR = "dgx-03/mlx5_0/1", "dgx-02/mlx5_0/1", "dgx-02/mlx5_6/1"
FAULTS = {
    "subnet_manager.stopped": HEAD,
    "subnet_manager.stopped cold=yes": HEAD,
    "subnet_manager.second": "spine-01",
    "subnet_manager.foreign_key": NODE,
    "subnet_manager.deaf_standby": NODE,
    "subnet_manager.old_lids": NODE,
    "subnet_manager.merged_lids": HEAD,
    "subnet_manager.flapping": NODE,
    "subnet_manager.wrong_roots": HEAD,
    "subnet_manager.old_tables missing=dgx-02": HEAD,
    "subnet_manager.lids_exhausted node=dgx-02": HEAD,
    "subnet_manager.foreign_file": HEAD,
    "partition.second_index": HEAD,
    "partition.member_missing": NODE,
}


@pytest.fixture(scope="module")
def site() -> Simulation[World]:
    return open_site("dgx-h100-4", 1)


def broken(site: Simulation[World], fault: str, target: str, after: int = 10 * SECOND) -> Simulation[World]:
    simulation = site.fork()
    simulation.apply(parse_fault(f"{fault} target={target}"))
    simulation.advance(after)
    return simulation


def texts(simulation: Simulation[World]) -> list[str]:
    """What opensm on the node logged."""
    return [line.text for line in simulation.world.logs[NODE].entries if line.source == "OpenSM"]


def picture(simulation: Simulation[World]) -> tuple[object, ...]:
    """What an operator sees: the managers that answer, whom ports obey, what reaches what, and keys."""
    world = simulation.world
    found = [(each.place, each.state.name, each.priority) for each in managers.managers(world)]
    reached = [routes.path(world, ONE, other) is not None for other in (TWO, FAR, "dgx-01/mlx5_0/1")]
    tables = [world.partition_keys[end].keys for end in (ONE, TWO)]
    tables.append(tuple(lids.lid(world, end) for end in lids.fresh_lids(world.inventory)))
    failed = run_command(simulation, HEAD, "root", "systemctl show -p Result opensm").stdout
    masters = sum("Entering MASTER" in line.text for line in world.logs[NODE].entries) > 1
    return found, lids.manager_lid(world, TWO), reached, tables, failed, masters


def test_each_can_be_told_from_all_others(site: Simulation[World]) -> None:
    pictures = [repr(picture(broken(site, fault, target, 20 * MINUTE))) for fault, target in FAULTS.items()]
    assert len({*pictures, repr(picture(site))}) == len(FAULTS) + 1


def test_a_second_one_is_switched_off(site: Simulation[World]) -> None:
    simulation = broken(site, "subnet_manager.second", "spine-01")
    assert [each.place for each in managers.managers(simulation.world)] == ["spine-01", HEAD]
    simulation.apply(SetSwitchManager("spine-01", enabled=False))
    simulation.advance(70 * SECOND)
    found = managers.master(simulation.world)
    assert found and found.place == HEAD and lids.manager_lid(simulation.world, ONE) == 1


def test_a_deaf_standby_sleeps_on(site: Simulation[World]) -> None:
    simulation = broken(site, "subnet_manager.deaf_standby", NODE)
    simulation.apply(StopUnit(HEAD, UNIT, "root"))
    simulation.advance(30 * MINUTE)
    assert [each.state for each in managers.managers(simulation.world)] == [ManagerState.STANDBY]
    simulation.apply(WriteFile(NODE, "/etc/opensm/opensm.conf", b"sm_priority 1\n", 0o644, 0, 0))
    simulation.apply(RestartUnit(NODE, UNIT, "root"))
    simulation.advance(2 * SECOND)
    assert [each.state for each in managers.managers(simulation.world)] == [ManagerState.MASTER]


def test_a_flapping_one_ends_when_it_is_stopped(site: Simulation[World]) -> None:
    simulation = broken(site, "subnet_manager.flapping every=3m", NODE)
    numbers = []
    for _ in range(12):
        numbers.append(lids.manager_lid(simulation.world, TWO))
        simulation.advance(30 * SECOND)
    assert len(set(numbers)) == 2 and sum(a != b for a, b in pairwise(numbers)) >= 2
    simulation.apply(StopUnit(NODE, UNIT, "root"))
    simulation.advance(20 * MINUTE)
    assert texts(simulation).count("Exiting SM") == 1 and texts(simulation)[-1] != "Exiting SM"  # the watchdog
    simulation.apply(RemovePath(NODE, WATCHDOG, viewed=False))
    simulation.apply(StopUnit(NODE, UNIT, "root"))
    simulation.advance(20 * MINUTE)
    assert not is_active(simulation.world, NODE, UNIT)
    assert [each.place for each in managers.managers(simulation.world)] == [HEAD]


def test_wrong_roots_part_the_leaves(site: Simulation[World]) -> None:
    simulation = broken(site, "subnet_manager.wrong_roots", HEAD)
    assert routes.path(simulation.world, ONE, TWO) and routes.path(simulation.world, ONE, FAR) is None
    simulation.apply(WriteFile(HEAD, "/etc/opensm/opensm.conf", b"routing_engine updn\n", 0o644, 0, 0))
    simulation.apply(RestartUnit(HEAD, UNIT, "root"))
    simulation.advance(2 * SECOND)
    assert routes.path(simulation.world, ONE, FAR)


def test_who_is_not_in_the_file_of_tables_is_reached_by_nobody(site: Simulation[World]) -> None:
    simulation = broken(site, "subnet_manager.old_tables missing=dgx-02", HEAD)
    assert routes.path(simulation.world, ONE, TWO) is None and routes.path(simulation.world, ONE, FAR) is None
    assert routes.path(simulation.world, ONE, "dgx-01/mlx5_6/1")
    said = [line.text for line in simulation.world.logs[HEAD].entries if "tables configured" in line.text]
    assert said[-1] == "osm_ucast_mgr_process: file tables configured on all switches"
    assert "-E- Fail to find a path" in run_command(simulation, HEAD, "root", "ibdiagnet -r").stdout
    simulation.apply(WriteFile(HEAD, "/etc/opensm/opensm.conf", b"sm_priority 14\n", 0o644, 0, 0))
    simulation.apply(RestartUnit(HEAD, UNIT, "root"))
    simulation.advance(2 * SECOND)
    assert routes.path(simulation.world, ONE, TWO) and routes.path(simulation.world, ONE, FAR)


def test_tables_that_go_down_and_up_again_have_a_credit_loop() -> None:
    simulation = open_site("dgx-h100-su", 1)
    assert "-I- no credit loops found" in run_command(simulation, HEAD, "root", "ibdiagnet -r").lines
    simulation.apply(parse_fault(f"subnet_manager.crossed_tables target={HEAD}"))
    simulation.advance(10 * SECOND)
    shown = run_command(simulation, HEAD, "root", "ibdiagnet -r").lines
    assert "-E- credit loops in routing" in shown and not any("Fail to find a path" in line for line in shown)
    loop = [line.split("through: ")[-1] for line in shown if "credit loop" in line and "/P" in line]
    assert len(loop) >= 4 and any("leaf" in line for line in loop) and any("spine" in line for line in loop)
    said = [line.text for line in simulation.world.logs[HEAD].entries if "tables configured" in line.text]
    assert said[-1] == "osm_ucast_mgr_process: file tables configured on all switches"
    simulation.apply(WriteFile(HEAD, "/etc/opensm/opensm.conf", b"routing_engine updn\n", 0o644, 0, 0))
    simulation.apply(RestartUnit(HEAD, UNIT, "root"))
    simulation.advance(2 * SECOND)
    assert "-I- no credit loops found" in run_command(simulation, HEAD, "root", "ibdiagnet -r").lines


def test_where_no_lid_is_left_ports_are_active_without_one(site: Simulation[World]) -> None:
    simulation = broken(site, "subnet_manager.lids_exhausted node=dgx-02", HEAD)
    world = simulation.world
    assert lids.lid(world, TWO) == 0 and lids.lid(world, ONE) == lids.fresh_lids(world.inventory)[ONE]
    assert links.logical_state(world, TWO) is LogicalState.ACTIVE
    assert routes.path(world, ONE, TWO) is None and routes.path(world, ONE, "dgx-01/mlx5_0/1")
    said = [line.text for line in world.logs[HEAD].entries]
    assert said.count("lid_mgr_find_free_lid_range: ERR 0307: OPENSM RAN OUT OF LIDS!!!") == 8
    assert sum("has LID 0. An initialization error occurred" in text for text in said) == 8 * 4
    simulation.apply(RemovePath(HEAD, "/var/cache/opensm/guid2lid", viewed=True))
    simulation.apply(RestartUnit(HEAD, UNIT, "root"))
    simulation.advance(5 * SECOND)
    assert lids.lid(world, TWO) and routes.path(world, ONE, TWO)


def test_who_is_left_out_of_a_partition_reaches_nobody_but_the_manager(site: Simulation[World]) -> None:
    simulation = broken(site, "partition.member_missing", NODE)
    assert routes.path(simulation.world, ONE, TWO) is None and routes.path(simulation.world, TWO, "dgx-01/mlx5_0/1")
    assert routes.path(simulation.world, ONE, "head-01/mlx5_0/1") is None
    simulation.apply(
        WriteFile(HEAD, "/etc/opensm/partitions.conf", b"Default=0x7fff, ipoib : ALL=full;\n", 0o644, 0, 0)
    )
    simulation.apply(RestartUnit(HEAD, UNIT, "root"))
    simulation.advance(2 * SECOND)
    assert routes.path(simulation.world, ONE, TWO)


def test_a_key_at_index_one_serves_who_asks_for_it(site: Simulation[World]) -> None:
    simulation = broken(site, "partition.second_index", HEAD)
    assert routes.path(simulation.world, ONE, TWO) is None
    assert routes.path(simulation.world, ONE, TWO, key_index=1)


def test_jobs_stand_still_without_a_common_partition(site: Simulation[World]) -> None:
    simulation = site.fork()
    owners = [owner for owner in simulation.world.bundles.changed() if simulation.world.bundles[owner].flows]
    assert owners
    simulation.apply(parse_fault(f"partition.second_index target={HEAD}"))
    simulation.advance(3 * SECOND)
    assert all(not flow.links for owner in owners for flow in simulation.world.bundles[owner].flows)


def test_a_standby_with_old_lids_harms_who_is_connected(site: Simulation[World]) -> None:
    simulation = broken(site, "subnet_manager.old_lids first=dgx-01 second=dgx-02", NODE)
    world, before = simulation.world, lids.lid(simulation.world, TWO)
    job = next(owner for owner in world.bundles.changed() if any(flow.links for flow in world.bundles[owner].flows))
    simulation.apply(StopUnit(HEAD, UNIT, "root"))
    while lids.lid(world, TWO) == before:
        simulation.advance(5 * SECOND)
    assert lids.lid(world, TWO) == lids.fresh_lids(world.inventory)["dgx-01/mlx5_0/1"]
    assert any(flow.stale and not flow.links for flow in world.bundles[job].flows)
    assert routes.path(world, "dgx-01/mlx5_0/1", TWO)
    simulation.apply(WriteFile(NODE, "/etc/opensm/opensm.conf", b"sm_priority 10\n", 0o644, 0, 0))
    simulation.apply(StartUnit(HEAD, UNIT, "root"))
    simulation.advance(MINUTE)
    simulation.apply(RestartUnit(NODE, UNIT, "root"))
    simulation.apply(StopUnit(HEAD, UNIT, "root"))
    now = lids.lid(world, TWO)
    simulation.advance(MINUTE * 2)
    assert lids.lid(world, TWO) == now


def test_merged_files_give_lids_twice(site: Simulation[World]) -> None:
    simulation = broken(site, "subnet_manager.merged_lids node=dgx-02", HEAD)
    said = [line.text for line in simulation.world.logs[HEAD].entries if "ERR 0314" in line.text]
    assert said and said[0].startswith("lid_mgr_validate_db: ERR 0314: 0x0002 for guid:0x")
    found = [lids.lid(simulation.world, end) for end in lids.fresh_lids(simulation.world.inventory)]
    assert len(set(found)) == len(found) and lids.lid(simulation.world, TWO) == 2
    simulation.apply(RestartUnit(HEAD, UNIT, "root"))
    simulation.advance(5 * SECOND)
    assert [line.text for line in simulation.world.logs[HEAD].entries if "ERR 0314" in line.text] == said
