"""Two adapters with one GUID: no sweep of the manager ends, tools take both for one; the own GUID mends it."""

from __future__ import annotations

import pytest

from engine.control.adapter_firmware import ResetAdapter
from engine.control.subnet_manager.managers import UNIT, ManagerState, managers
from engine.control.systemd import RestartUnit
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.traffic import routes
from engine.simulation import open_site
from engine.world.records import LogicalState
from engine.world.world import World
from tests.support.run import run_command

HEAD, HCA, TWIN = "head-01", "dgx-02/mlx5_4", "dgx-03/mlx5_4"
PORT, TWIN_PORT, OTHER = f"{HCA}/1", f"{TWIN}/1", "dgx-01/mlx5_4/1"
REPORT = "ERR 0D01: Found duplicated node GUID."


@pytest.fixture
def copied() -> Simulation[World]:
    simulation = open_site("dgx-h100-4", 1)
    simulation.apply(parse_fault(f"hca.guid_copied target={HCA}"))
    simulation.advance(25 * SECOND)
    return simulation


def on(simulation: Simulation[World], line: str, host: str = HEAD) -> str:
    result = run_command(simulation, host, "root", line)
    return result.stdout + result.stderr


def state(simulation: Simulation[World], port: str) -> LogicalState:
    return links.logical_state(simulation.world, port)


def log(simulation: Simulation[World]) -> str:
    return on(simulation, "tail -n 400 /var/log/opensm.log")


def test_the_adapter_waits_and_its_twin_goes_on(copied: Simulation[World]) -> None:
    assert state(copied, PORT) is LogicalState.INITIALIZING
    assert state(copied, TWIN_PORT) is LogicalState.ACTIVE
    assert not routes.path(copied.world, OTHER, PORT)
    assert routes.path(copied.world, OTHER, TWIN_PORT)


def test_both_tell_one_guid_and_flint_the_own_one_too(copied: Simulation[World]) -> None:
    guid = copied.world.plan.hca(TWIN).guid
    for host in ("dgx-02", "dgx-03"):
        assert f"Node GUID: 0x{guid:016x}" in on(copied, "ibstat mlx5_4", host)
    told = on(copied, "flint -d mlx5_4 q", "dgx-02")
    assert f"Orig Base GUID:        {copied.world.plan.hca(HCA).guid:016x}" in told
    assert "Orig Base GUID" not in on(copied, "flint -d mlx5_4 q", "dgx-03")


def test_no_sweep_comes_to_its_end(copied: Simulation[World]) -> None:
    told = log(copied)
    assert told.count(REPORT) >= 3
    assert "0x81 -> report_duplicated_guid" in told
    assert "SUBNET UP" not in told[told.index(REPORT) :]
    copied.apply(ResetAdapter("dgx-01/mlx5_0"))
    copied.advance(30 * SECOND)
    assert state(copied, "dgx-01/mlx5_0/1") is LogicalState.INITIALIZING


def test_a_manager_that_is_started_stays_in_its_discovery(copied: Simulation[World]) -> None:
    copied.apply(RestartUnit(HEAD, UNIT, "root"))
    copied.advance(30 * SECOND)
    assert [each.state for each in managers(copied.world)] == [ManagerState.DISCOVERING]
    assert "SMINFO_DISCOVER" in on(copied, "sminfo")


def test_scans_take_both_for_one(copied: Simulation[World]) -> None:
    hosts = on(copied, "ibhosts")
    assert hosts.count("mlx5_4") == on(open_site("dgx-h100-4", 1), "ibhosts").count("mlx5_4") - 1
    assert on(copied, "iblinkinfo").count('"Port not available"') == 1
    guid = copied.world.plan.hca(TWIN).guid
    assert f"-E- Node GUID = 0x{guid:016x} is duplicated at: dgx-02 mlx5_4, dgx-03 mlx5_4" in on(copied, "ibdiagnet")


def test_the_own_guid_and_a_reset_mend_it(copied: Simulation[World]) -> None:
    on(copied, f"flint -d mlx5_4 -guid 0x{copied.world.plan.hca(HCA).guid:016x} sg", "dgx-02")
    assert state(copied, PORT) is LogicalState.INITIALIZING
    copied.apply(ResetAdapter(HCA))
    copied.advance(3 * SECOND)
    assert state(copied, PORT) is LogicalState.ACTIVE
    assert routes.path(copied.world, OTHER, PORT)
    assert copied.world.inventory is copied.world.plan
    assert log(copied).rstrip().endswith("SUBNET UP")


def test_a_guid_that_nobody_else_has_gets_a_lid_of_its_own(copied: Simulation[World]) -> None:
    on(copied, "flint -d mlx5_4 -guid 0x946dae0300abc000 sg", "dgx-02")
    copied.apply(ResetAdapter(HCA))
    copied.advance(3 * SECOND)
    assert state(copied, PORT) is LogicalState.ACTIVE
    lids = [line.split()[1] for line in on(copied, "ibstat mlx5_4", "dgx-02").splitlines() if "Base lid" in line]
    assert lids and lids[0] != "0"
    assert routes.path(copied.world, OTHER, PORT)
    assert '"dgx-02 mlx5_4"' in on(copied, "ibhosts")
