"""mst, mlxlink, mlxcables and mget_temp: what they show follows from ports and plugs."""

from __future__ import annotations

import json
import re

import pytest

from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import links, optics
from engine.physics.port_control import SwitchPort
from engine.world.world import World
from tests.support.run import Result, run_command

HOST = "dgx-01"
PORT = "dgx-01/mlx5_3/1"


def on(simulation: Simulation[World], line: str, user: str = "root", host: str = HOST) -> Result:
    return run_command(simulation, host, user, line)


def fault(simulation: Simulation[World], text: str) -> None:
    simulation.apply(parse_fault(text))


def row(simulation: Simulation[World], label: str, line: str = "mlxlink -d mlx5_3 -m -c", host: str = HOST) -> str:
    found = re.search(rf"^{re.escape(label)} *: (.*)$", on(simulation, line, host=host).stdout, re.MULTILINE)
    assert found, label
    return found[1]


def test_mst_gives_devices_until_the_node_restarts(simulation: Simulation[World]) -> None:
    assert "18:00.0" in on(simulation, "mst status").lines
    assert on(simulation, "mlxlink -d /dev/mst/mt4129_pciconf0").stderr == (
        '-E- Failed to open device: "/dev/mst/mt4129_pciconf0", No such file or directory\n'
    )
    assert "Loading MST PCI configuration module - Success" in on(simulation, "mst start").lines
    assert "[warn] mst_pciconf is already loaded, skipping" in on(simulation, "mst start").lines
    assert "/dev/mst/mt4129_pciconf0         - PCI configuration cycles access." in on(simulation, "mst status").lines
    assert on(simulation, "mlxlink -d /dev/mst/mt4129_pciconf0").status == 0
    on(simulation, "mst stop")
    assert on(simulation, "mlxlink -d /dev/mst/mt4129_pciconf0").status == 1


def test_mst_lists_every_function_with_its_interface(simulation: Simulation[World]) -> None:
    on(simulation, "mst start")
    lines = on(simulation, "mst status -v").lines
    functions = [line for line in lines if line.startswith("ConnectX7(rev:0)")]
    assert len(functions) == len(simulation.world.node(HOST).hcas)
    assert any("/dev/mst/mt4129_pciconf1.1" in line and "net-enp41s0f1np1" in line for line in functions)


def test_only_root_opens_devices(simulation: Simulation[World]) -> None:
    assert on(simulation, "mst status", user="alex").status == 1
    refused = on(simulation, "mlxlink -d mlx5_3", user="alex")
    assert refused.stderr == '-E- Failed to open device: "mlx5_3", Permission denied\n'


def test_a_healthy_port(simulation: Simulation[World]) -> None:
    text = on(simulation, "mlxlink -d mlx5_3 -m -c").stdout
    assert text.startswith("\nOperational Info\n----------------\nState                              : Active\n")
    for line in (
        "Speed                              : IB-NDR",
        "Width                              : 4x",
        "Enabled Link Speed                 : 0x000000f1 (NDR,HDR,EDR,FDR,SDR)",
        "Recommendation                     : No issue was observed",
        "Symbol BER                         : 15E-255",
        "Vendor Part Number                 : MMA4Z00-NS",
        "Rx LOS [per lane]                  : 0,0,0,0",
    ):
        assert f"\n{line}\n" in text
    assert optics.serial(simulation.world, PORT) in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"fabric.cable_loose target={PORT}", {"State": "Polling", "Status Opcode": "1024", "Identifier": "N/A"}),
        ("fabric.module_dead target=leaf-01/2", {"Status Opcode": "57", "Rx LOS [per lane]": "1,1,1,1"}),
        (f"fabric.module_dead target={PORT}", {"State": "Polling", "Module State": "Fault state"}),
        ("fabric.port_hung target=dgx-01/mlx5_3", {"State": "Polling", "Status Opcode": "2"}),
        (f"fabric.port_disabled target={PORT}", {"State": "Disable", "Status Opcode": "1"}),
        (f"fabric.width_degraded target={PORT}", {"Speed": "IB-NDR", "Width": "2x", "Status Opcode": "34"}),
        (f"fabric.cable_wrong_kind target={PORT}", {"Speed": "IB-HDR", "Width": "4x", "Status Opcode": "0"}),
        (f"fabric.cable_bad target={PORT}", {"State": "Active", "Status Opcode": "15"}),
        ("hca.ethernet_mode target=dgx-01/mlx5_3", {"Physical state": "ETH_AN_FSM_ABILITY_DETECT"}),
    ],
)
def test_what_is_wrong_shows(simulation: Simulation[World], text: str, expected: dict[str, str]) -> None:
    fault(simulation, text)
    assert {label: row(simulation, label) for label in expected} == expected


def test_dirt_shows_at_one_end_by_lane(simulation: Simulation[World]) -> None:
    fault(simulation, f"fabric.connector_dirty target={PORT}")
    simulation.advance(10 * MINUTE)
    light = [float(value) for value in row(simulation, "Rx Power Current [dBm]").partition(" ")[0].split(",")]
    assert sum(value < -5 for value in light) == 2 and sum(value > 0 for value in light) >= 1
    assert int(row(simulation, "Symbol Errors")) > 1000
    errors = [int(value) for value in row(simulation, "Raw Physical Errors Per Lane").split(",")]
    assert max(errors) > 20 * min(errors)
    lid = re.search(r"lid (\d+)", on(simulation, "ibswitches", host="head-01").stdout)
    assert lid
    leaf = next(line for line in on(simulation, "ibswitches", host="head-01").lines if "leaf-01" in line)
    number = re.search(r"lid (\d+)", leaf)
    assert number
    far = f"mlxlink -d lid-{number[1]} -p 1/2 -c"
    assert row(simulation, "Symbol Errors", far, "head-01") == "0"


def test_heat_warns_then_switches_off_both_ports(simulation: Simulation[World]) -> None:
    fault(simulation, f"fabric.module_hot target={PORT}")
    simulation.advance(30 * MINUTE)
    assert row(simulation, "Status Opcode") == "1030"
    log = on(simulation, "dmesg").stdout
    assert "Port module event[error]: module 0, Cable error, High Temperature" in log
    sister = next(port for port in optics.ports_of(simulation.world.inventory, PORT) if port != PORT)
    assert not links.link_up(simulation.world, PORT) and not links.link_up(simulation.world, sister)


def test_port_state_and_json(simulation: Simulation[World]) -> None:
    assert "Configuring Port State (Down)..." in on(simulation, "mlxlink -d mlx5_3 -a DN").lines
    assert not simulation.world.ports[PORT].enabled
    on(simulation, "mlxlink -d mlx5_3 -a UP")
    assert links.link_up(simulation.world, PORT)
    found = json.loads(on(simulation, "mlxlink -d mlx5_3 --json").stdout)["result"]["output"]
    assert found["Operational Info"]["State"] == "Active"
    assert found["Supported Info"]["Enabled Link Speed"]["values"][0] == "NDR"


def test_counters_are_cleared(simulation: Simulation[World]) -> None:
    fault(simulation, f"fabric.cable_bad target={PORT}")
    simulation.advance(10 * MINUTE)
    assert int(row(simulation, "Symbol Errors")) > 0
    on(simulation, "mlxlink -d mlx5_3 --pc")
    assert row(simulation, "Symbol Errors") == "0"
    assert row(simulation, "Time Since Last Clear [Min]") == "0.0"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("", "Please provide a device name"),
        ("-d mlx5_3 -p 2", "Invalid port number!"),
        ("-d mlx5_1 -p 2", "Please Provide the Physical Device of Port 2"),
        ("-d mlx5_3 -a XX", "Please provide a valid paos command [UP(up)/DN(down)/TG(toggle)]"),
    ],
)
def test_refusals(simulation: Simulation[World], words: str, text: str) -> None:
    result = on(simulation, f"mlxlink {words}")
    assert (result.stderr, result.status) == (f"-E- {text}\n", 1)


def test_what_is_not_modelled_says_so(simulation: Simulation[World]) -> None:
    assert on(simulation, "mlxlink -d mlx5_3 -e").status == 125
    assert on(simulation, "mst ib add").status == 125


def test_cables_and_temperature(simulation: Simulation[World]) -> None:
    assert on(simulation, "mlxcables").status == 1
    on(simulation, "mst start")
    text = on(simulation, "mlxcables").stdout
    assert text.count("Cable #") == sum(port in simulation.world.inventory.cables for port in _ports(simulation))
    assert re.fullmatch(r"\d\d      \n", on(simulation, "mget_temp -d mlx5_3").stdout)


def test_a_port_that_was_switched_off_in_band(simulation: Simulation[World]) -> None:
    simulation.apply(SwitchPort("leaf-01/2", False))
    assert row(simulation, "Status Opcode") == "57"


def _ports(simulation: Simulation[World]) -> list[str]:
    return [hca.port for hca in simulation.world.node(HOST).hcas]
