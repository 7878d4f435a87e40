"""partitions.conf, the tables of partition keys that follow from it, and who may talk to whom."""

from __future__ import annotations

import pytest

from engine.control.ipoib import joined_keys
from engine.control.processes import Kill
from engine.control.subnet_manager import partitions
from engine.control.subnet_manager.partition_file import definitions
from engine.control.systemd import RestartUnit, service
from engine.hostfs.changes import WriteFile
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import partition_keys
from engine.physics.traffic import routes
from engine.simulation import open_site
from engine.world.records import KeyTable
from engine.world.world import World

HEAD, FILE = "head-01", "/etc/opensm/partitions.conf"
ONE, TWO = "dgx-01/mlx5_0/1", "dgx-02/mlx5_0/1"
LIMITED = "Default=0x7fff, ipoib : ALL=limited, SELF=full;\n"


@pytest.fixture(scope="module")
def site() -> Simulation[World]:
    return open_site("dgx-h100-4", 1)


def divided(site: Simulation[World], *texts: str) -> Simulation[World]:
    """A fabric for which these files were in force, one after the other."""
    simulation = site.fork()
    for text in texts:
        simulation.apply(WriteFile(HEAD, FILE, text.encode(), 0o644, 0, 0))
        simulation.apply(RestartUnit(HEAD, "opensm.service", "root"))
        simulation.advance(3 * SECOND)
    return simulation


def keys(simulation: Simulation[World], port: str = ONE) -> list[str]:
    return [f"{key:04x}" for key in partition_keys.keys(simulation.world, port)]


def guid(simulation: Simulation[World], port: str) -> str:
    return f"0x{simulation.world.inventory.hca(port.rpartition('/')[0]).port_guid:016x}"


def test_a_new_site_has_one_partition_and_no_state(site: Simulation[World]) -> None:
    assert keys(site) == ["ffff"] and site.world.partition_keys.changed() == []
    assert [each.name for each in partitions.partitions(site.world)] == ["Default"]


def test_limited_members_do_not_talk_and_the_manager_reaches_all(site: Simulation[World]) -> None:
    simulation = divided(site, LIMITED)
    assert keys(simulation) == ["7fff"] and keys(simulation, "head-01/mlx5_0/1") == ["ffff"]
    assert routes.path(simulation.world, ONE, TWO) is None
    assert routes.path(simulation.world, ONE, "head-01/mlx5_0/1")


def test_a_further_key_stands_behind_the_default_one(site: Simulation[World]) -> None:
    simulation = divided(site, LIMITED + "a=0x8010 : ALL=full;\nb=0x20 : ALL;\n")
    assert keys(simulation) == ["7fff", "8010", "0020"]
    assert routes.path(simulation.world, ONE, TWO) is None
    assert routes.path(simulation.world, ONE, TWO, key_index=1)
    assert routes.path(simulation.world, ONE, TWO, key_index=2) is None


def test_the_flag_puts_it_first(site: Simulation[World]) -> None:
    simulation = divided(site, LIMITED + "a=0x8010, indx0 : ALL=full;\n")
    assert keys(simulation) == ["8010", "7fff"] and routes.path(simulation.world, ONE, TWO)
    back = divided(site, LIMITED + "a=0x8010, indx0 : ALL=full;\n", LIMITED + "a=0x8010 : ALL=full;\n")
    assert keys(back) == ["7fff", "8010"]


def test_a_key_keeps_its_index_and_gets_it_back(site: Simulation[World]) -> None:
    both, second = LIMITED + "a=0x8010 : ALL=full;\nb=0x8020 : ALL=full;\n", LIMITED + "b=0x8020 : ALL=full;\n"
    assert keys(divided(site, both)) == ["7fff", "8010", "8020"]
    assert keys(divided(site, both, second)) == ["7fff", "0000", "8020"]
    assert keys(divided(site, both, second, both)) == ["7fff", "8010", "8020"]
    assert keys(divided(site, both, second, second + "c=0x8030 : ALL=full;\n")) == ["7fff", "0000", "8020", "8030"]


def test_members_by_guid_and_the_port_of_the_switch(site: Simulation[World]) -> None:
    text = LIMITED + f"a=0x8010, indx0 : {guid(site, ONE)}=full, {guid(site, TWO)}=full;\n"
    simulation = divided(site, text)
    assert keys(simulation) == ["8010", "7fff"] and keys(simulation, "dgx-03/mlx5_0/1") == ["7fff"]
    assert routes.path(simulation.world, ONE, TWO)
    assert routes.path(simulation.world, ONE, "dgx-03/mlx5_0/1") is None
    assert partitions.switch_keys(simulation.world, ONE) == (0x8010, 0x7FFF)
    assert partitions.switch_keys(simulation.world, "spine-01/1") == (0xFFFF,)


def test_a_mistake_makes_the_whole_file_count_for_nothing(site: Simulation[World]) -> None:
    simulation = divided(site, LIMITED + "a=0x80zz : ALL=full;\n")
    assert keys(simulation) == ["ffff"]
    said = [line.text for line in simulation.world.logs[HEAD].entries if line.source == "OpenSM"]
    assert "parse_part_conf: PARSE ERROR: line 2: bad partition definition" in said
    assert any(text.endswith("retrying with default config") for text in said)


def test_the_default_file_again_leaves_no_state(site: Simulation[World]) -> None:
    simulation = divided(site, LIMITED, partitions.DEFAULT_FILE)
    assert simulation.world.partition_keys.changed() == [] and routes.path(simulation.world, ONE, TWO)


def test_an_interface_joins_the_group_of_its_first_key(site: Simulation[World]) -> None:
    simulation = divided(site, LIMITED + "a=0x8010, ipoib, indx0 : ALL=full;\n")
    hca = simulation.world.inventory.hca("dgx-01/mlx5_0")
    assert joined_keys(site.world, hca) == (0x7FFF,)
    assert joined_keys(simulation.world, hca) == (0x10,)
    assert [each.key for each in partitions.partitions(simulation.world) if each.ipoib] == [0x10, 0x7FFF]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a=0x8010 ALL=full;", "line 1: no partition definition found"),
        ("\n\na=0x8010 : 0x12zz=full;", "line 3: bad PortGUID"),
        ("a=x : ALL;", "line 1: bad partition definition"),
    ],
)
def test_what_cannot_be_read(text: str, problem: str) -> None:
    assert definitions(text)[1] == f"parse_part_conf: PARSE ERROR: {problem}"


def test_the_grammar() -> None:
    text = """
    # a comment
    Default=0x7fff, ipoib, mtu=5, rate=0x7, sl=3 : ALL_CAS=full, SELF=lim;
    0x8003, defmember=full, nonsense=1 :
        0x10, 0x20=limited,
        NONE, 0x30=both;  named : AL;
    mgroup=4 : mgid=ff12:401b::1,rate=3;
    """
    found, problem = definitions(text)
    assert problem is None
    assert [(each.name, each.key) for each in found] == [("Default", 0x7FFF), ("", 3), ("named", 0), ("mgroup", 4)]
    assert (found[0].ipoib, found[0].mtu, found[0].rate, found[0].level) == (True, 5, 7, 3)
    assert found[0].members == [("ALL_CAS", "full"), ("SELF", "limited")]
    assert found[1].members == [("10", "full"), ("20", "limited"), ("30", "full")]
    assert found[2].members == [("ALL", "limited")] and found[3].members == []


def test_two_members_fit_if_one_is_full() -> None:
    assert partition_keys.fit(0x8010, 0x0010) and partition_keys.fit(0x8010, 0x8010)
    assert not partition_keys.fit(0x0010, 0x0010) and not partition_keys.fit(0x8010, 0x8020)
    assert not partition_keys.fit(0, 0x8000) and KeyTable().keys == (0xFFFF,)


def test_the_signal_hup_makes_it_read_the_file(site: Simulation[World]) -> None:
    simulation = site.fork()
    simulation.apply(WriteFile(HEAD, FILE, LIMITED.encode(), 0o644, 0, 0))
    simulation.advance(60 * SECOND)
    assert keys(simulation) == ["ffff"]
    simulation.apply(Kill(HEAD, service(simulation.world, HEAD, "opensm").pid, 1, "root"))
    simulation.advance(2 * SECOND)
    assert keys(simulation) == ["7fff"]
