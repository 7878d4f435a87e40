"""ibroute, dump_fts and ibtracert: all read the tables that stand in the switches."""

from __future__ import annotations

import pytest

from engine.control.systemd import StopUnit
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.world.records import ForwardingTable
from engine.world.world import World
from tests.support.run import Result, run_command

HOST = "head-01"


def on(simulation: Simulation[World], line: str) -> Result:
    return run_command(simulation, HOST, "root", line)


@pytest.fixture
def target(simulation: Simulation[World]) -> str:
    """The LID of a node behind the other leaf."""
    rows = on(simulation, "ibnetdiscover -p").lines
    return next(row.split()[1] for row in rows if row.startswith("CA") and "( 'dgx-02 mlx5_6' " in row)


def test_a_route_goes_by_the_tables(simulation: Simulation[World], target: str) -> None:
    lines = on(simulation, f"ibtracert 1 {target}").lines
    assert lines[0].startswith("From ca {0x") and lines[-1].endswith(f'portnum 1 lid {target}-{target} "dgx-02 mlx5_6"')
    assert len(lines) == 6 and "leaf-01" in lines[1] and "spine-0" in lines[2] and "leaf-02" in lines[3]
    leaf = lines[1].split(" lid ")[1].split("-")[0]
    row = on(simulation, f"ibroute {leaf} {target} {target}").lines[3]
    assert lines[2].startswith(f"[{int(row.split()[1])}] -> switch port")


def test_an_entry_that_leads_nowhere(simulation: Simulation[World], target: str) -> None:
    entries = bytearray(simulation.world.forwarding["leaf-01"].entries)
    entries[int(target)] = 255
    simulation.world.forwarding["leaf-01"] = ForwardingTable(bytes(entries))
    simulation.world.systems.update(HOST, next_pid=20_000)
    unreached = on(simulation, f"ibtracert 1 {target}")
    assert unreached.status == 255 and "find_route: can't reach to/from ports" in unreached.stderr
    result = on(simulation, f"ibtracert -f 1 {target}")
    assert result.status == 255 and result.lines[-1] == "ibtracert: iberror: failed: Failed to get route information"
    assert f"Force: look for lid {target}" in result.stderr
    assert f'node "head-01 mlx5_0" lid entry {target} is 255 (top 37)' in result.stderr
    assert "get_route: can't find a route from src to dest" in result.stderr
    assert f"0x{int(target):04x} " not in on(simulation, "ibroute -D 0,1").stdout
    assert on(simulation, f"perfquery {target}").status == 255
    other = str(int(target) - 1)
    assert on(simulation, f"ibtracert 1 {other}").status == 0


def test_a_link_on_the_way_is_gone_and_nobody_routes_anew(simulation: Simulation[World], target: str) -> None:
    before = on(simulation, f"ibtracert 1 {target}").lines
    out = before[2].partition("]")[0][1:]
    simulation.apply(StopUnit(HOST, "opensm.service", "root"))
    links.change_cable(simulation, simulation.world.inventory.cables[f"leaf-01/{out}"], plugged=False)
    simulation.advance(10 * SECOND)
    result = on(simulation, f"ibtracert -f 1 {target}")
    assert result.status == 255 and f"can't reach port at DR path slid 0; dlid 0; 0,1,{out}" in result.stderr


def test_a_manager_finds_another_way(simulation: Simulation[World], target: str) -> None:
    out = on(simulation, f"ibtracert 1 {target}").lines[2].partition("]")[0][1:]
    links.change_cable(simulation, simulation.world.inventory.cables[f"leaf-01/{out}"], plugged=False)
    simulation.advance(10 * SECOND)
    lines = on(simulation, f"ibtracert 1 {target}").lines
    assert len(lines) == 6 and not lines[2].startswith(f"[{out}]")


def test_all_tables(simulation: Simulation[World]) -> None:
    text = on(simulation, "dump_fts").stdout
    assert text.count("Unicast lids [0x0-0x25] of switch DR path slid 0; dlid 0; 0,1") == 4
    assert text.count("37 valid lids dumped \n") == 4


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("ibroute 1", "ibroute: iberror: failed: dump tables: not a switch\n"),
        ("ibroute 999", "ibroute: iberror: failed: dump tables: node info failed: valid addr?\n"),
        ("ibtracert 1 999", "ibtracert: iberror: failed: Failed to get route information\n"),
    ],
)
def test_what_has_no_table_or_way(simulation: Simulation[World], line: str, output: str) -> None:
    result = on(simulation, line)
    assert result.status == 255 and result.stdout.endswith(output)


def test_who_is_routed_through_a_port(simulation: Simulation[World]) -> None:
    said = on(simulation, "ibfindnodesusing.pl 0xb0cf0e039e32e100 33").stdout
    ends = '0xb0cf0e039e32e100 33 ("MF0;leaf-01:MQM9700/U1" enhanced)', "0xb0cf0e03e91ff500 1 (MF0;spine-01:MQM9700/U1)"
    assert said == (
        f"{ends[0]}  ==>>  {ends[1]}\n dgx-01 mlx5_6\n\n"
        f"{ends[0]}  <<==  {ends[1]}\n dgx-01 mlx5_0 dgx-03 mlx5_0 head-01 mlx5_0\n"
    )
    assert on(simulation, "ibfindnodesusing.pl leaf-01 33").stdout.startswith('Switch "0x000000000leaf-01" not found\n')


def test_the_older_name_of_dump_fts_says_so(simulation: Simulation[World]) -> None:
    old, new = on(simulation, "dump_lfts.sh -n").stdout, on(simulation, "dump_fts -n").stdout
    assert old == f"{new}\n*** WARNING ***: this command has been replaced by dump_fts\n\n\n"
