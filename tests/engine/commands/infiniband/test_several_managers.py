"""What the tools show of several managers, of partitions, and of a fabric whose master has gone."""

from __future__ import annotations

import pytest

from engine.control.accounts import identity
from engine.control.systemd import RestartUnit, StartUnit, StopUnit
from engine.faults.fault import parse_fault
from engine.hostfs.changes import WriteFile
from engine.hostfs.host_tree import HostTree
from engine.hostfs.tree import FileError
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.world.world import World
from tests.support.run import run_command

HEAD, SPARE, UNIT = "head-01", "dgx-03", "opensm.service"


def on(simulation: Simulation[World], line: str, host: str = HEAD) -> str:
    result = run_command(simulation, host, "root", line)
    return result.stdout + result.stderr


def read(simulation: Simulation[World], path: str, host: str = HEAD) -> str:
    return HostTree(simulation, host, identity(simulation.world.inventory, "root")).read(path).decode()


def test_sminfo_of_a_master_and_of_a_standby(simulation: Simulation[World]) -> None:
    simulation.apply(WriteFile(SPARE, "/etc/opensm/opensm.conf", b"sm_priority 2\n", 0o644, 0, 0))
    simulation.apply(StartUnit(SPARE, UNIT, "root"))
    simulation.advance(2 * SECOND)
    number = read(simulation, "/sys/class/infiniband/mlx5_0/ports/1/lid", SPARE)
    assert "priority 14 state 3 SMINFO_MASTER" in on(simulation, "sminfo", SPARE)
    assert "priority 2 state 2 SMINFO_STANDBY" in on(simulation, f"sminfo {int(number, 16)}")
    assert on(simulation, "saquery -s").count("PortInfoRecord dump") == 2
    assert on(simulation, "saquery SMIR").count("SMState") == 2
    simulation.apply(StopUnit(HEAD, UNIT, "root"))
    assert "Query SA failed: Connection timed out" in on(simulation, "saquery", SPARE)
    assert "iberror: failed: query" in on(simulation, "sminfo", SPARE)
    assert "dgx-01 mlx5_0" in on(simulation, "ibnetdiscover", SPARE)


def test_the_log_has_opensms_flags(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault("subnet_manager.second target=leaf-01"))
    simulation.advance(2 * SECOND)
    lines = read(simulation, "/var/log/opensm.log").splitlines()
    flags = {line.partition(" -> ")[2][:12]: line.partition(" -> ")[0][-4:] for line in lines}
    assert flags["Entering STA"] == "0x80" and flags["log_trap_inf"] == "0x01" and flags["log_notice: "] == "0x02"


def test_keys_are_the_same_everywhere(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault("partition.second_index target=head-01 key=0x8123"))
    simulation.advance(2 * SECOND)
    places = [f"/sys/class/infiniband/mlx5_0/ports/1/pkeys/{index}" for index in (0, 1, 2)]
    assert [read(simulation, place, "dgx-01") for place in places] == ["0x7fff\n", "0x8123\n", "0x0000\n"]
    assert on(simulation, "smpquery -D pkeys 0 1").startswith("   0: 0xffff 0x8123 0x0000")
    far = links.peer(simulation.world.inventory, "dgx-01/mlx5_0/1")
    assert far is not None
    leaf = on(simulation, f"smpquery -D pkeys 0,1 {far.rpartition('/')[2]}")
    assert leaf.startswith("   0: 0x7fff 0x8123 0x0000") and leaf.endswith("32 pkeys capacity for this port\n")
    groups = on(simulation, "saquery -g")
    assert "MGID....................ff12:401b:8123::ffff:ffff" in groups and groups.count("group dump") == 2
    assert on(simulation, "saquery -m").count("MGID....................ff12:401b:ffff::ffff:ffff") > 10


def test_files_of_opensm_are_where_it_is_installed(simulation: Simulation[World]) -> None:
    assert "guid 0x0000000000000000" in read(simulation, "/etc/opensm/opensm.conf", "dgx-01")
    with pytest.raises(FileError):
        read(simulation, "/etc/opensm/partitions.conf", "dgx-01")
    assert "ALL=full" in read(simulation, "/etc/opensm/partitions.conf")
    assert "disabled" in on(simulation, "systemctl is-enabled opensm", "dgx-01")
    simulation.apply(RestartUnit(HEAD, UNIT, "root"))
    simulation.advance(2 * SECOND)
    assert "Entering MASTER state" in read(simulation, "/var/log/opensm.log")[-400:]
