"""An adapter whose management agent does not answer: Initializing at both ends, found by nobody, mended by a reset."""

from __future__ import annotations

import pytest

from engine.control.accounts import identity
from engine.control.adapter_firmware import ResetAdapter
from engine.control.subnet_manager.managers import UNIT
from engine.control.systemd import RestartUnit
from engine.faults.fault import parse_fault
from engine.hostfs.host_tree import HostTree
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.port_control import RetrainPort
from engine.physics.traffic import routes
from engine.simulation import open_site
from engine.world.records import LogicalState
from engine.world.world import World
from tests.support.run import run_command

HEAD, HCA = "head-01", "dgx-02/mlx5_3"
PORT, OTHER = f"{HCA}/1", "dgx-01/mlx5_3/1"
TIMEOUT = "bad status 110; Connection timed out"


@pytest.fixture
def silent() -> Simulation[World]:
    simulation = open_site("dgx-h100-4", 1)
    simulation.apply(parse_fault(f"hca.agent_silent target={HCA}"))
    simulation.advance(3 * SECOND)
    return simulation


def on(simulation: Simulation[World], line: str, host: str = HEAD) -> str:
    result = run_command(simulation, host, "root", line)
    return result.stdout + result.stderr


def both_ends(simulation: Simulation[World]) -> set[LogicalState]:
    far = links.peer(simulation.world.inventory, PORT)
    assert far
    return {links.logical_state(simulation.world, end) for end in (PORT, far)}


def test_it_waits_at_both_ends_and_carries_nothing(silent: Simulation[World]) -> None:
    assert both_ends(silent) == {LogicalState.INITIALIZING}
    assert not routes.path(silent.world, OTHER, PORT)
    assert "State: Initializing" in on(silent, "ibstat mlx5_3", "dgx-02")
    assert "State: Active" in on(silent, "ibstat mlx5_4", "dgx-02")


def test_scans_time_out_at_its_direct_route(silent: Simulation[World]) -> None:
    for line in ("ibnetdiscover", "iblinkinfo", "ibhosts", "ibqueryerrors"):
        said = on(silent, line)
        assert said.count(TIMEOUT) == 1, line
    assert "dgx-02 mlx5_3" not in on(silent, "ibhosts")
    assert on(silent, "iblinkinfo").count("Initialize/") == 1
    assert "dgx-02 mlx5_3" in on(silent, "smpquery -C mlx5_3 nodedesc -D 0", "dgx-02")


def test_the_log_of_the_manager_tells_where(silent: Simulation[World]) -> None:
    root = identity(silent.world.inventory, "root")
    log = HostTree(silent, HEAD, root).read("/var/log/opensm.log").decode()
    assert "ERR 3120: Timeout while getting attribute 0x11 (NodeInfo); Possible mis-set mkey?" in log
    assert "Received SMP on a 2 hop path: Initial path = 0,1," in log
    assert "Removed port with GUID" in log
    assert log.rstrip().endswith("SUBNET UP")


def test_neither_retraining_nor_the_manager_helps_but_a_reset_does(silent: Simulation[World]) -> None:
    silent.apply(RetrainPort(PORT))
    silent.apply(RestartUnit(HEAD, UNIT, "root"))
    silent.advance(5 * SECOND)
    assert both_ends(silent) == {LogicalState.INITIALIZING}
    silent.apply(ResetAdapter(HCA))
    silent.advance(3 * SECOND)
    assert both_ends(silent) == {LogicalState.ACTIVE}
    assert routes.path(silent.world, OTHER, PORT)
    assert TIMEOUT not in on(silent, "ibnetdiscover")
