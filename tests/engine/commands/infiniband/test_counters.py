"""perfquery, ibqueryerrors and sysfs: one set of counters, their thresholds, and what resets them."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from engine.control.accounts import identity
from engine.control.systemd import StopUnit
from engine.faults.fault import parse_fault
from engine.hostfs.host_tree import HostTree
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.physics import links
from engine.physics.traffic import exchange
from engine.world.records import Flow
from engine.world.world import World
from tests.support.run import Result, run_command

HOST, NODE, PORT, FAR, PEER = "head-01", "dgx-04", "dgx-04/mlx5_0/1", "leaf-01/13", "dgx-03/mlx5_0/1"
GIGA = 10**9
QUIET = "ibqueryerrors -s PortXmitWait"


def on(simulation: Simulation[World], line: str, user: str = "root", host: str = HOST) -> Result:
    return run_command(simulation, host, user, line)


def leaf(simulation: Simulation[World]) -> str:
    """The LID of leaf-01."""
    lines = on(simulation, "ibswitches").lines
    return next(line.split(" lid ")[1].split()[0] for line in lines if "leaf-01" in line)


def counters(simulation: Simulation[World], line: str, host: str = HOST) -> dict[str, str]:
    rows = on(simulation, line, host=host).lines
    return dict(re.split(r":\.+", row, maxsplit=1) for row in rows if not row.startswith("#"))


def tree(simulation: Simulation[World], host: str) -> HostTree:
    return HostTree(simulation, host, identity(simulation.world.inventory, "root"))


def read(simulation: Simulation[World], path: str, host: str) -> str:
    return tree(simulation, host).read(path).decode()


def spoil(simulation: Simulation[World], exponent: int = 9) -> None:
    simulation.apply(parse_fault(f"fabric.cable_bad target={FAR} exponent={exponent}"))


def test_the_local_port(simulation: Simulation[World]) -> None:
    lines = on(simulation, "perfquery", host=NODE).lines
    assert re.fullmatch(r"# Port counters: Lid \d+ port 1 \(CapMask: 0x5A00\)", lines[0])
    assert [line.split(":")[0] for line in lines[1:5]] == [
        "PortSelect", "CounterSelect", "SymbolErrorCounter", "LinkErrorRecoveryCounter",
    ]  # fmt: skip
    assert len(lines) == 22 and lines[12] == "CounterSelect2:..................0x00"
    assert all(line[33:34] not in (".", "") for line in lines[1:])


def test_sysfs_and_perfquery_rise_with_a_job(simulation: Simulation[World]) -> None:
    exchange.open_bundle(simulation, "job/1", [Flow(PORT, PEER, 320 * GIGA)])
    path = "/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data"
    seen = []
    for _ in range(3):
        words = int(read(simulation, path, NODE))
        assert counters(simulation, "perfquery -x", NODE)["PortXmitData"] == str(words)
        seen.append((simulation.now, words))
        simulation.advance(5 * SECOND)
    for (then, before), (now, after) in pairwise(seen):
        rate = (after - before) * 4 * 8 * SECOND / (now - then)
        assert rate == pytest.approx(320 * GIGA * 4120 / 4096, rel=1e-6)
    far = counters(simulation, f"perfquery -x {leaf(simulation)} 13")
    assert int(far["PortRcvData"]) > seen[-1][1]


def test_a_bad_cable_is_told_of_at_both_ends(simulation: Simulation[World]) -> None:
    on(simulation, "ibqueryerrors -k -K")
    assert on(simulation, QUIET).status == 0
    spoil(simulation)
    simulation.advance(MINUTE)
    result = on(simulation, QUIET)
    assert result.status == 1
    assert f'Errors for "{NODE} mlx5_0"' in result.lines
    bad = [line for line in result.lines if re.match(r"   GUID 0x\w+ port \d+:", line)]
    assert len(bad) == 2 and all("[SymbolErrorCounter == 24000 (23.438K)]" in line for line in bad)
    assert "port 13:" in bad[1] and "port 1:" in bad[0]
    assert result.lines[-4].endswith("checked, 2 bad nodes found")
    assert "2 ports have errors beyond threshold" in result.lines[-3]
    assert result.lines[-2:] == ["## Thresholds: ", "## Suppressed: PortXmitWait"]


def test_classic_counters_stop_and_extended_ones_go_on(simulation: Simulation[World]) -> None:
    spoil(simulation, 7)
    simulation.advance(10 * SECOND)
    lid = leaf(simulation)
    assert counters(simulation, f"perfquery {lid} 13")["SymbolErrorCounter"] == "65535"
    assert int(counters(simulation, f"perfquery -x {lid} 13")["SymbolErrorCounter"]) >= 400_000
    assert read(simulation, "/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error", NODE) == "65535\n"


def test_thresholds_come_from_the_file(simulation: Simulation[World]) -> None:
    on(simulation, "ibqueryerrors -k")
    spoil(simulation)
    simulation.advance(MINUTE)
    place = "/root/limits"
    tree(simulation, HOST).write(place, b"SymbolErrorCounter=30000\nLocalLinkIntegrityErrors=10\nNonsense=1\n")
    result = on(simulation, f"{QUIET} --threshold-file {place}")
    assert result.status == 0
    assert result.lines[-2] == "## Thresholds: [SymbolErrorCounter = 30000][LocalLinkIntegrityErrors = 10]"
    assert on(simulation, f"{QUIET} --threshold-file /nowhere").lines[-2] == "## (null)"


def test_links_of_bad_ports(simulation: Simulation[World]) -> None:
    on(simulation, "ibqueryerrors -k")
    spoil(simulation)
    simulation.advance(MINUTE)
    lines = on(simulation, f"{QUIET} -r --switch").lines
    (link,) = [line for line in lines if line.startswith("       Link info:")]
    guid = simulation.world.inventory.hca("dgx-04/mlx5_0").port_guid
    assert re.fullmatch(
        rf"       Link info: +\d+  13\[  \] ==\( 4X +106.25 Gbps Active/  LinkUp\)==>  0x{guid:016x} +\d+    1\[  \] "
        rf'"{NODE} mlx5_0" \( \)',
        link,
    )


def test_resets_of_some_counters(simulation: Simulation[World]) -> None:
    spoil(simulation)
    simulation.advance(MINUTE)
    lid = leaf(simulation)
    before = counters(simulation, f"perfquery -x {lid} 13")
    on(simulation, f"perfquery -R {lid} 13 0x0001")
    after = counters(simulation, f"perfquery -x {lid} 13")
    assert after["SymbolErrorCounter"] == "0" and after["PortXmitData"] == before["PortXmitData"]
    last = counters(simulation, f"perfquery -r {lid} 13")
    assert last["PortXmitData"] != "0"
    assert counters(simulation, f"perfquery -x {lid} 13")["PortXmitData"] == "0"
    assert counters(simulation, f"perfquery -x {lid} 14")["PortXmitData"] != "0"


def test_sums_and_ranges(simulation: Simulation[World]) -> None:
    lid = leaf(simulation)
    titles = [line for line in on(simulation, f"perfquery -l {lid} 1-3").lines if line.startswith("#")]
    assert titles == [f"# Port counters: Lid {lid} port {number} (CapMask: 0x5300)" for number in (1, 2, 3)]
    every = [counters(simulation, f"perfquery -x {lid} {number}") for number in (1, 2)]
    both = counters(simulation, f"perfquery -x -a {lid} 1,2")
    assert both["PortSelect"] == "255"
    assert int(both["PortRcvPkts"]) == sum(int(one["PortRcvPkts"]) for one in every)
    assert int(counters(simulation, f"perfquery -x -a {lid}")["PortRcvPkts"]) > int(both["PortRcvPkts"])


@pytest.mark.parametrize(
    ("line", "output", "status"),
    [
        ("perfquery 999", "perfquery: iberror: failed: classportinfo query\n", 255),
        ("perfquery 1 9", "perfquery: iberror: failed: perfquery\n", 255),
        ("perfquery 0", "perfquery: iberror: failed: can't resolve destination port 0\n", 255),
        ("perfquery 1 255", "perfquery: iberror: failed: AllPortSelect not supported\n", 255),
        ("perfquery 1 5-2", "perfquery: iberror: failed: max port must be greater than min port in range\n", 255),
    ],
)
def test_what_perfquery_refuses(simulation: Simulation[World], line: str, output: str, status: int) -> None:
    result = on(simulation, line)
    assert (result.stdout, result.status) == (output, status)


def test_counters_that_are_not_modelled_say_so(simulation: Simulation[World]) -> None:
    result = on(simulation, "perfquery -X 1 1")
    assert (result.status, result.stderr) == (125, "breakfix: not modelled: perfquery --xmtsl\n")


def test_without_a_manager_errors_are_not_asked_for(simulation: Simulation[World]) -> None:
    simulation.apply(StopUnit(HOST, "opensm.service", "root"))
    result = on(simulation, "ibqueryerrors")
    assert (result.stdout, result.status) == ("", 0)
    assert result.stderr == "Query SA failed: Connection timed out; sa call path_query failed\n"
    assert on(simulation, "ibqueryerrors --skip-sl").stdout != ""


def test_data_counters_of_a_node(simulation: Simulation[World]) -> None:
    guid = simulation.world.inventory.hca("dgx-04/mlx5_0").port_guid
    lines = on(simulation, f"ibqueryerrors --counters -G 0x{guid:x}").lines
    assert lines[0] == f'Data Counters for 0x{guid:x} "{NODE} mlx5_0"'
    assert re.match(rf"   GUID 0x{guid:x} port 1: \[PortXmitData == \d+ \(\d+\.\d{{3}}TB\)\] \[PortRcvData", lines[1])


def test_a_node_that_restarts_begins_to_count_anew(simulation: Simulation[World]) -> None:
    before = counters(simulation, "perfquery -x", NODE)
    downs = int(counters(simulation, f"perfquery {leaf(simulation)} 13")["LinkDownedCounter"])
    run_command(simulation, NODE, "root", "ipmitool power reset")
    simulation.advance(15 * MINUTE)
    after = counters(simulation, "perfquery -x", NODE)
    assert int(after["PortXmitPkts"]) < 1000 < int(before["PortXmitPkts"])
    assert int(counters(simulation, f"perfquery {leaf(simulation)} 13")["LinkDownedCounter"]) == downs + 1


def test_an_unplugged_cable_counts_once_at_each_end(simulation: Simulation[World]) -> None:
    lid = leaf(simulation)
    before = int(counters(simulation, f"perfquery {lid} 13")["LinkDownedCounter"])
    cable = simulation.world.inventory.cables[FAR]
    links.change_cable(simulation, cable, plugged=False)
    links.change_cable(simulation, cable, plugged=True)
    assert int(counters(simulation, f"perfquery {lid} 13")["LinkDownedCounter"]) == before + 1
