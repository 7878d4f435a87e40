"""iblinkinfo, ibnetdiscover, ibhosts, ibswitches, sminfo and ibportstate: who may use them, and what they tell when the
fabric is not sound.
"""

from __future__ import annotations

import pytest

from engine.control.systemd import StartUnit, StopUnit
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.world.world import World
from tests.support.run import Result, run_command

HOST = "head-01"
REFUSED = "ibwarn: [20000] mad_rpc_open_port: can't open UMAD port ((null):0)\n"


def on(simulation: Simulation[World], line: str, user: str = "root", host: str = HOST) -> Result:
    return run_command(simulation, host, user, line)


@pytest.mark.parametrize(
    ("line", "output", "error", "status"),
    [
        ("iblinkinfo", "", "Failed to open (null) port 0\n", 1),
        ("sminfo", "sminfo: iberror: failed: Failed to open '(null)' port '0'\n", "", 255),
        ("ibportstate 1 1", "ibportstate: iberror: failed: Failed to open '(null)' port '0'\n", "", 255),
    ],
)
def test_users_may_not_send_management_packets(
    simulation: Simulation[World], line: str, output: str, error: str, status: int
) -> None:
    simulation.world.systems.update(HOST, next_pid=20_000)
    result = on(simulation, line, "alex")
    assert (result.stdout, result.stderr, result.status) == (output, REFUSED + error, status)


def test_users_discover_nothing(simulation: Simulation[World]) -> None:
    result = on(simulation, "ibnetdiscover", "alex")
    assert result.stdout == "ibnetdiscover: iberror: failed: discover failed\n\n"
    assert result.status == 255


def test_every_switch_and_adapter_is_listed(simulation: Simulation[World]) -> None:
    assert len(on(simulation, "ibhosts").lines) == 33
    switches = on(simulation, "ibswitches").lines
    assert sorted(line.split('"')[1] for line in switches) == [
        f"MF0;{name}:MQM9700/U1" for name in ("leaf-01", "leaf-02", "spine-01", "spine-02")
    ]


def test_two_hosts_see_the_same_fabric(simulation: Simulation[World]) -> None:
    assert sorted(on(simulation, "ibhosts").lines) == sorted(on(simulation, "ibhosts", host="dgx-03").lines)
    assert on(simulation, "ibhosts").lines != on(simulation, "ibhosts", host="dgx-03").lines


def test_a_disabled_switch_port(simulation: Simulation[World]) -> None:
    links.set_enabled(simulation, "leaf-01/1", False)
    lid = next(line.split(" lid ")[1].split()[0] for line in on(simulation, "ibswitches").lines if "leaf-01" in line)
    state = on(simulation, f"ibportstate {lid} 1").lines
    assert "LinkState:.......................Down" in state
    assert "PhysLinkState:...................Disabled" in state
    row = next(line for line in on(simulation, "iblinkinfo").lines if line.split()[:2] == [lid, "1["])
    assert row == f'         {lid:>3}    1[  ] ==(                Down/Disabled)==>             [  ] "" ( )'


def test_the_manager_and_its_end(simulation: Simulation[World]) -> None:
    guid = simulation.world.node(HOST).hcas[0].port_guid
    before = on(simulation, "sminfo").stdout
    assert before.startswith(f"sminfo: sm lid 1 sm guid 0x{guid:016x}, activity count ")
    assert before.endswith(" priority 14 state 3 SMINFO_MASTER\n")
    simulation.apply(StopUnit(HOST, "opensm.service", "root"))
    dead = on(simulation, "sminfo")
    assert dead.status == 255 and dead.stdout == "sminfo: iberror: failed: query\n"
    simulation.apply(StartUnit(HOST, "opensm.service", "root"))
    simulation.advance(10 * SECOND)
    assert "SMINFO_MASTER" in on(simulation, "sminfo").stdout


def test_sound_links_run_at_what_both_ends_can(simulation: Simulation[World]) -> None:
    text = on(simulation, "iblinkinfo").stdout
    assert "106.25 Gbps Active/  LinkUp" in text and "Could be" not in text
