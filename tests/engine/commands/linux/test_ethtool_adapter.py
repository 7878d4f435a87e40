"""ethtool on mlx5 interfaces: the link, counters, settings and their refusals."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World
from tests.support.roce_pod import incast, pod
from tests.support.run import Result, run_command

HOST, NAME = "hgx-01", "enp24s0np0"


@pytest.fixture
def simulation() -> Simulation[World]:
    return pod()


def run(simulation: Simulation[World], line: str, user: str = "root", host: str = HOST) -> Result:
    return run_command(simulation, host, user, line)


def counted(simulation: Simulation[World], host: str) -> Mapping[str, int]:
    lines = run(simulation, f"ethtool -S {NAME}", host=host).lines
    assert lines[0] == "NIC statistics:" and all(line.startswith("     ") for line in lines[1:])
    return {name.strip(): int(value) for name, _, value in (line.partition(":") for line in lines[1:])}


def test_the_link(simulation: Simulation[World]) -> None:
    shown = run(simulation, f"ethtool {NAME}").stdout
    assert "\tSpeed: 400000Mb/s\n" in shown and "400000baseSR4/Full" in shown and "\tPort: FIBRE\n" in shown
    other = run(simulation, f"ethtool {NAME}", "alex")
    assert "Wake-on" not in other.stdout and other.stderr == "netlink error: Operation not permitted\n"


def test_sums_and_parts_agree(simulation: Simulation[World]) -> None:
    incast(simulation)
    simulation.advance(10 * SECOND)
    found = counted(simulation, "hgx-03")
    for way in ("rx", "tx"):
        rings = sum(value for name, value in found.items() if name.startswith(way) and name.endswith("_packets")
                    and name[2:-8].isdigit())  # fmt: skip
        assert rings == found[f"{way}_packets"]
        by_priority = sum(found[f"{way}_prio{number}_bytes"] for number in range(8))
        assert by_priority == found[f"{way}_bytes"] + found[f"{way}_vport_rdma_unicast_bytes"]
    assert found["rx_pause_ctrl_phy"] == found["rx_prio3_pause"]
    hardware = run(simulation, "rdma statistic show link mlx5_0/1", host="hgx-03").stdout.split()
    assert int(hardware[hardware.index("np_cnp_sent") + 1]) > 0


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("-G {0} rx 4096", "RX:\t\t\t4096"),
        ("-L {0} combined 16", "Combined:\t16"),
        ("-K {0} gro off", "generic-receive-offload: off"),
        ("-C {0} adaptive-rx off rx-usecs 3", "rx-usecs:\t3"),
    ],
)
def test_settings_hold(simulation: Simulation[World], line: str, shown: str) -> None:
    assert run(simulation, f"ethtool {line.format(NAME)}").status == 0
    option = {"G": "g", "L": "l", "K": "k", "C": "c"}[line[1]]
    assert shown in run(simulation, f"ethtool -{option} {NAME}").stdout


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("-A {0} rx on", "Operation not supported"),
        ("-G {0} rx 9000", "exceeds maximum"),
        ("-L {0} combined 400", "exceeds maximum"),
        ("-K {0} highdma off", "Could not change any device features"),
        ("-s {0} speed 7 autoneg off", "Invalid argument"),
    ],
)
def test_refusals(simulation: Simulation[World], line: str, text: str) -> None:
    found = run(simulation, f"ethtool {line.format(NAME)}")
    assert found.status == 1 and text in found.stderr and not simulation.world.interfaces.changed()


def test_global_pause_without_pfc(simulation: Simulation[World]) -> None:
    run(simulation, f"mlnx_qos -i {NAME} --pfc 0,0,0,0,0,0,0,0")
    assert run(simulation, f"ethtool -A {NAME} rx on tx on").status == 0
    assert "RX:\t\ton" in run(simulation, f"ethtool -a {NAME}").stdout
    assert "rx_global_pause" in counted(simulation, HOST)


def test_the_plug(simulation: Simulation[World]) -> None:
    shown = run(simulation, f"ethtool -m {NAME}").stdout
    assert "Rcvr signal avg optical power (Channel 4)" in shown and " dBm" in shown
    assert run(simulation, f"ethtool -m {NAME}", "alex").status == 1


def test_another_error_correction_takes_the_link_down(simulation: Simulation[World]) -> None:
    assert run(simulation, f"ethtool --set-fec {NAME} encoding off").status == 0
    assert "Active FEC encoding: Off" in run(simulation, f"ethtool --show-fec {NAME}").stdout
    assert "Link detected: no" in run(simulation, f"ethtool {NAME}").stdout
