"""smpquery, saquery, ibportstate, ibaddr, ibping, ibsysstat, vendstat and sminfo: asking and changing single nodes."""

from __future__ import annotations

import pytest

from engine.control.programs import BeginProgram
from engine.control.systemd import StopUnit
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.world.world import World
from tests.support.run import Result, run_command

HOST, PORT, FAR = "head-01", "dgx-04/mlx5_0/1", "leaf-01/13"


def on(simulation: Simulation[World], line: str, user: str = "root", host: str = HOST) -> Result:
    return run_command(simulation, host, user, line)


def lid_of(simulation: Simulation[World], name: str) -> str:
    lines = on(simulation, "ibnetdiscover -p").lines
    return next(line.split()[1] for line in lines if f"'{name}'" in line.partition("( ")[2].partition(" - ")[0])


@pytest.fixture
def leaf(simulation: Simulation[World]) -> str:
    return lid_of(simulation, "MF0;leaf-01:MQM9700/U1")


def test_a_node(simulation: Simulation[World]) -> None:
    hca = simulation.world.node(HOST).hcas[0]
    lines = on(simulation, "smpquery nodeinfo 1").lines
    assert lines[0] == "# Node info: Lid 1"
    assert f"PortGuid:........................0x{hca.port_guid:016x}" in lines
    assert "NodeType:........................Channel Adapter" in lines
    assert on(simulation, "smpquery nodedesc 1").stdout == "Node Description:..................head-01 mlx5_0\n"


def test_a_route_and_a_lid_lead_to_the_same_node(simulation: Simulation[World], leaf: str) -> None:
    by_route, by_lid = (on(simulation, line).lines for line in ("smpquery -D ni 0,1", f"smpquery ni {leaf}"))
    assert by_route[0] == "# Node info: DR path slid 65535; dlid 65535; 0,1" and by_route[1:] == by_lid[1:]
    guid = simulation.world.inventory.switches["leaf-01"].guid
    assert on(simulation, f"smpquery -G ni 0x{guid:x}").lines == by_lid


def test_nobody_at_the_end_of_a_route(simulation: Simulation[World]) -> None:
    simulation.world.systems.update(HOST, next_pid=20_000)
    result = on(simulation, "smpquery -D nodeinfo 0,1,60")
    assert result.stdout == "smpquery: iberror: failed: operation nodeinfo: node info query failed\n"
    route = "DR path slid 65535; dlid 65535; 0,1,60"
    assert result.stderr == f"ibwarn: [20000] mad_rpc: _do_madrpc failed; dport ({route})\n"


def test_port_settings_follow_the_link(simulation: Simulation[World], leaf: str) -> None:
    lines = on(simulation, f"smpquery portinfo {leaf} 13").lines
    assert "LinkState:.......................Active" in lines
    assert "LinkSpeedExtActive:..............106.25 Gbps" in lines and "HoqLife:.........................16" in lines
    links.change_cable(simulation, simulation.world.inventory.cables[FAR], rate_limit=200)
    assert "LinkSpeedExtActive:..............53.125 Gbps" in on(simulation, f"smpquery portinfo {leaf} 13").lines
    links.change_cable(simulation, simulation.world.inventory.cables[FAR], plugged=False)
    lines = on(simulation, f"smpquery pi {leaf} 13").lines
    assert "LinkState:.......................Down" in lines
    assert "LinkSpeedExtActive:..............No Extended Speed" in lines


def test_guids_need_a_manager_and_lids_don_t(simulation: Simulation[World], leaf: str) -> None:
    guid = simulation.world.inventory.switches["leaf-01"].guid
    simulation.apply(StopUnit(HOST, "opensm.service", "root"))
    simulation.world.systems.update(HOST, next_pid=20_000)
    began = simulation.now
    result = on(simulation, f"smpquery -G nodeinfo 0x{guid:x}")
    assert result.stdout == f"smpquery: iberror: failed: can't resolve destination port 0x{guid:x}\n"
    assert result.stderr == (
        "ibwarn: [20000] mad_rpc_rmpp: _do_madrpc failed; dport (Lid 1)\n"
        "ibwarn: [20000] ib_path_query_via: sa call path_query failed\n"
    )
    assert simulation.now == began + 3 * SECOND
    assert on(simulation, f"smpquery nodeinfo {leaf}").status == 0


def test_records_of_the_manager(simulation: Simulation[World], leaf: str) -> None:
    text = on(simulation, "saquery").stdout
    assert text.count("NodeRecord dump:") == 37
    one = on(simulation, f"saquery NR {leaf}").lines
    assert one[1] == f"\t\tlid.....................{leaf}"
    assert one[-1] == "\t\tNodeDescription.........MF0;leaf-01:MQM9700/U1"
    assert on(simulation, "saquery -O 1").stdout == "head-01 mlx5_0\n"
    path = on(simulation, f"saquery -p --src-to-dst 1:{leaf}").lines
    assert f"\t\tdlid....................{leaf}" in path and "\t\tmtu.....................0x85" in path
    assert "\t\trate....................0x96" in path
    assert "\t\tEndPortLid..............1" in on(simulation, "saquery -s").lines


def test_without_a_manager_there_are_no_records(simulation: Simulation[World]) -> None:
    simulation.apply(StopUnit(HOST, "opensm.service", "root"))
    dead = on(simulation, "saquery")
    assert (dead.stdout, dead.stderr, dead.status) == ("", "Query SA failed: Connection timed out\n", 110)
    simulation.world.ports.update(simulation.world.node(HOST).hcas[0].port, sm_lid=0, lid=0)
    simulation.world.systems.update(HOST, next_pid=20_000)
    never = on(simulation, "saquery")
    assert never.stderr == (
        "ibwarn: [20000] sa_get_handle: No SM/SA found on port (null):0\n"
        "ibpanic: [20000] main: Failed to bind to the SA: No such file or directory\n"
    )
    assert never.status == 255


def test_a_port_is_switched_off_and_on(simulation: Simulation[World], leaf: str) -> None:
    lines = on(simulation, f"ibportstate {leaf} 13 disable").lines
    assert lines[0] == "Initial Switch PortInfo:" and "Disable may be irreversible" in lines
    after = lines[lines.index("After PortInfo set:") :]
    assert "PhysLinkState:...................Disabled" in after
    assert not links.link_up(simulation.world, PORT)
    assert "1: DOWN" in on(simulation, "ibstatus mlx5_0", host="dgx-04").stdout
    assert "Down/Disabled" in on(simulation, "iblinkinfo -d").stdout
    on(simulation, f"ibportstate {leaf} 13 enable")
    simulation.advance(10 * SECOND)
    assert "LinkState:.......................Active" in on(simulation, f"ibportstate {leaf} 13").lines
    assert on(simulation, f"ibportstate {leaf} 13 on").lines[-1] == "Port is already in enable state"


def test_a_reset_lets_the_link_train_anew(simulation: Simulation[World], leaf: str) -> None:
    counter = f"perfquery {leaf} 13"
    before = on(simulation, counter).lines[5]
    on(simulation, f"ibportstate {leaf} 13 reset")
    assert links.link_up(simulation.world, PORT) and on(simulation, counter).lines[5] != before
    assert "LinkState:.......................Initialize" in on(simulation, f"ibportstate {leaf} 13").lines
    simulation.advance(10 * SECOND)
    assert "LinkState:.......................Active" in on(simulation, f"ibportstate {leaf} 13").lines


def test_who_cuts_his_own_way_hears_nothing(simulation: Simulation[World], leaf: str) -> None:
    head = simulation.world.node(HOST).hcas[0].port
    own = (links.peer(simulation.world.inventory, head) or "").rpartition("/")[2]
    result = on(simulation, f"ibportstate {leaf} {own} disable")
    assert result.status == 255 and result.lines[-1] == "ibportstate: iberror: failed: smp set portinfo failed"
    assert not links.link_up(simulation.world, head)


def test_the_peer_of_a_slow_link(simulation: Simulation[World], leaf: str) -> None:
    assert on(simulation, f"ibportstate {leaf} 13").stderr == ""
    links.change_cable(simulation, simulation.world.inventory.cables[FAR], rate_limit=200)
    simulation.world.systems.update(HOST, next_pid=20_000)
    assert on(simulation, f"ibportstate {leaf} 13").stderr == (
        "ibwarn: [20000] validate_extended_speed: Peer ports operating at active extended speed 4 "
        "rather than 8 (106.25 Gbps)\n"
    )


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("ibportstate 1 1 speed 4", "breakfix: not modelled: ibportstate speed\n"),
        ("ibportstate 1 1 arm", "breakfix: not modelled: ibportstate arm\n"),
        ("saquery MCMR", "breakfix: not modelled: saquery MCMR\n"),
        ("saquery -c", "breakfix: not modelled: saquery -c\n"),
    ],
)
def test_what_is_not_modelled_says_so(simulation: Simulation[World], line: str, error: str) -> None:
    result = on(simulation, line)
    assert (result.status, result.stderr) == (125, error)


def test_users_may_change_nothing(simulation: Simulation[World], leaf: str) -> None:
    result = on(simulation, f"ibportstate {leaf} 13 disable", "alex")
    assert result.status == 255 and links.link_up(simulation.world, PORT)


def test_addresses(simulation: Simulation[World]) -> None:
    hca = simulation.world.inventory.hca("head-01/mlx5_0")
    text = on(simulation, "ibaddr").stdout
    groups = [f"{hca.port_guid >> shift & 0xFFFF:x}" for shift in (48, 32, 16, 0)]
    assert text == f"GID fe80::{':'.join(groups)} LID start 0x1 end 0x1\n"
    assert on(simulation, "ibaddr -L 1").stdout == "LID start 1 end 1\n"


def test_pings_need_a_server(simulation: Simulation[World]) -> None:
    lid = lid_of(simulation, "dgx-04 mlx5_0")
    lost = on(simulation, f"ibping -c 2 {lid}")
    assert lost.lines[:2] == ["", f"---  (Lid {lid}) ibping statistics ---"]
    assert lost.lines[2].startswith("2 packets transmitted, 0 received, 100% packet loss, time ")
    simulation.apply(BeginProgram("dgx-04", "root", "ibping -S"))
    lines = on(simulation, f"ibping -c 3 {lid}").lines
    assert len(lines) == 7 and all(
        line.startswith(f"Pong from dgx-04.(none) (Lid {lid}): time 0.0") for line in lines[:3]
    )
    assert lines[5] == "3 packets transmitted, 3 received, 0% packet loss, time 3000 ms"
    other = lid_of(simulation, "dgx-04 mlx5_3")
    assert "100% packet loss" in on(simulation, f"ibping -c 1 {other}").stdout


def test_a_server_is_a_process_until_it_is_interrupted(simulation: Simulation[World]) -> None:
    result = run_command(simulation, "dgx-04", "root", "ibping -S", interrupt_after=10 * SECOND)
    assert result.status == 130
    assert all("ibping" not in process.command for process in simulation.world.systems["dgx-04"].processes)


def test_the_name_behind_a_lid(simulation: Simulation[World]) -> None:
    lid = lid_of(simulation, "dgx-04 mlx5_0")
    silent = on(simulation, f"ibsysstat {lid}")
    assert silent.stdout == f"ibsysstat: iberror: failed: ibsystat to Lid {lid}: Connection timed out\n"
    simulation.apply(BeginProgram("dgx-04", "root", "ibsysstat -S"))
    assert on(simulation, f"ibsysstat {lid} host").stdout == "dgx-04.(none)\n"


def test_firmware_of_a_device(simulation: Simulation[World], leaf: str) -> None:
    firmware = simulation.world.inventory.hca("head-01/mlx5_0").firmware.split(".")
    lines = on(simulation, "vendstat -N 1").lines
    assert lines[1] == "hw_dev_id:   0x1021"
    assert lines[3] == f"fw_version:  {int(firmware[0]):02d}.{int(firmware[1]) & 255:02d}.{int(firmware[2]) & 255:02d}"
    assert on(simulation, f"vendstat -N {leaf}").lines[1] == "hw_dev_id:   0xd2f2"


def test_the_manager_at_the_end_of_a_route(simulation: Simulation[World]) -> None:
    usual, routed = (on(simulation, line).stdout for line in ("sminfo", "sminfo -D 0"))
    assert routed == usual.replace("sm lid 1 ", "sm lid 0 ")
