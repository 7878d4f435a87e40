"""ibdiagnet, rdma, ofed_info and ibdev2netdev -v: one state, told in their words."""

from __future__ import annotations

import re

import pytest

from engine.control.systemd import StopUnit
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import Result, run_command

LOG = "/var/tmp/ibdiagnet2/ibdiagnet2.log"


@pytest.fixture
def simulation() -> Simulation[World]:
    return open_site("dgx-h100-4")


def on(simulation: Simulation[World], line: str, user: str = "root", host: str = "head-01") -> Result:
    return run_command(simulation, host, user, line)


def stages(result: Result) -> dict[str, tuple[int, int]]:
    """Warnings and errors by stage, from the summary."""
    table = result.stdout.partition("Summary\n")[2]
    rows = re.findall(
        r"^-I- (.+?) {2,}(\d+) +(\d+)", table.replace("IBNetDiscover File ", "IBNetDiscover File  "), re.M
    )
    return {name: (int(warnings), int(errors)) for name, warnings, errors in rows}


def test_a_healthy_fabric_has_nothing_to_tell(simulation: Simulation[World]) -> None:
    result = on(simulation, "ibdiagnet")
    assert result.status == 0
    assert "-I- Discovering ... 37 nodes (4 Switches & 33 CA-s) discovered." in result.lines
    found = stages(result)
    assert len(found) == 11 and set(found.values()) == {(0, 0)}
    assert "Speed / Width checks" in on(simulation, f"tail -n 400 {LOG}").stdout
    assert len(on(simulation, "tail -n 400 /var/tmp/ibdiagnet2/ibdiagnet2.lst").lines) == 65


@pytest.mark.parametrize(
    ("text", "stage", "line"),
    [
        (
            "fabric.cable_wrong_kind target=dgx-03/mlx5_9/1",
            "Speed / Width checks",
            "-E- Link: leaf-02/U1/P10<-->dgx-03/mlx5_9/U1/P1 - Unexpected actual link speed 50",
        ),
        (
            "fabric.width_degraded target=dgx-03/mlx5_0/1",
            "Speed / Width checks",
            "-E- Link: leaf-01/U1/P9<-->dgx-03/mlx5_0/U1/P1 - Unexpected actual link width 2x",
        ),
        (
            "fabric.connector_dirty target=dgx-02/mlx5_4/1",
            "Port Counters",
            '-E- dgx-02/mlx5_4/U1/P1 - "symbol_error_counter" increased during the run',
        ),
        (
            "hca.firmware_old target=dgx-01/mlx5_9",
            "Nodes Information",
            "-W- dgx-01/mlx5_9/U1 - Node with Devid:4129(0x1021),PSID:MT_0000000838 has FW version 28.38.1002",
        ),
    ],
)
def test_what_is_wrong_is_told_in_its_stage(simulation: Simulation[World], text: str, stage: str, line: str) -> None:
    simulation.apply(parse_fault(text))
    result = on(simulation, "ibdiagnet")
    assert any(found.startswith(line) for found in result.lines)
    assert {name for name, counts in stages(result).items() if counts != (0, 0)} == {stage}


def test_without_a_manager(simulation: Simulation[World]) -> None:
    simulation.apply(StopUnit("head-01", "opensm.service", ""))
    simulation.advance(MINUTE)
    result = on(simulation, "ibdiagnet")
    assert "-E- Not found master subnet manager in fabric" in result.lines and result.status == 1


def test_thresholds_speeds_and_refusals(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault("fabric.port_flapping target=dgx-02/mlx5_4/1 every=1m"))
    simulation.advance(30 * MINUTE)
    result = on(simulation, "ibdiagnet -P link_down_counter=10")
    assert any('dgx-02/mlx5_4/U1/P1 - "link_down_counter" exceeds' in line for line in result.lines)
    assert stages(on(simulation, "ibdiagnet --ls 50"))["Speed / Width checks"][1] == 65
    assert on(simulation, "ibdiagnet --ls 3").status == 1
    assert on(simulation, "ibdiagnet", user="alex").status == 1
    assert on(simulation, "ibdiagnet --get_phy_info").status == 125


def test_rdma_shows_what_ibstat_shows(simulation: Simulation[World]) -> None:
    lid = re.search(r"Base lid: (\d+)", on(simulation, "ibstat mlx5_3", host="dgx-01").stdout)
    assert lid
    assert on(simulation, "rdma link show mlx5_3/1", host="dgx-01").stdout == (
        f"link mlx5_3/1 subnet_prefix fe80:0000:0000:0000 lid {lid[1]} sm_lid 1 lmc 0 state ACTIVE "
        "physical_state LINK_UP \n"
    )
    lines = on(simulation, "rdma link", host="dgx-01").lines
    assert "link mlx5_2/1 state ACTIVE physical_state LINK_UP netdev enp41s0f1np1 " in lines
    assert on(simulation, "rdma dev show mlx5_3", host="dgx-01").stdout.startswith(
        "3: mlx5_3: node_type ca fw 28.43.2026 "
    )
    assert on(simulation, "rdma link show mlx5_77", host="dgx-01").status == 1
    assert on(simulation, "rdma resource", host="dgx-01").status == 125


def test_versions_and_details(simulation: Simulation[World]) -> None:
    assert on(simulation, "ofed_info -s").stdout == "MLNX_OFED_LINUX-24.10-1.1.4.0:\n"
    lines = on(simulation, "ibdev2netdev -v", host="dgx-01").lines
    line = next(line for line in lines if " mlx5_3 " in line)
    assert line.startswith("0000:40:00.0 mlx5_3 (MT4129 - MCX75310AAS-NEA) NVIDIA ConnectX-7")
    assert line.endswith("fw 28.43.2026 port 1 (ACTIVE) ==> ibp64s0 (Up)")
