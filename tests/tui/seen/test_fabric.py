"""The fabric as a picture: tiers, cells, rails and cables follow the site; states follow what was seen."""

from __future__ import annotations

from functools import cache

from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.world.inventory import Inventory
from tests.tui.seen.looking import look, sandbox
from tui.look.glyphs import State
from tui.seen.alerts import alerts
from tui.seen.fabric import Fabric, SeenFabric, numbers
from tui.seen.racks import racks

SITES = ("dgx-h100-4", "dgx-h100-su", "hgx-h200-roce")


@cache
def inventory(site: str) -> Inventory:
    return open_site(site, 1).world.inventory


def test_every_machine_with_a_cable_is_in_one_cell() -> None:
    for site in SITES:
        fabric = Fabric(inventory(site))
        everything = fabric.all()
        for columns in (3, 8, 64):
            tiers = fabric.tiers(everything, columns)
            assert sorted(name for tier in tiers for name in tier.machines) == sorted(everything), site
            assert all(len(tier.cells) <= columns for tier in tiers), site
        assert [tier.role for tier in fabric.tiers(everything, 64)][-2:] == ["leaf", "nodes"], site


def test_both_ends_of_a_cable_tell_of_each_other() -> None:
    for site in SITES:
        fabric = Fabric(inventory(site))
        for name in fabric.all():
            for bundle in fabric.bundles(name):
                back = fabric.bundles(fabric.machine(bundle))
                assert any(set(bundle.ports) == set(other.far) for other in back), (name, bundle)


def test_rails_are_counted_among_the_adapters_for_computing() -> None:
    assert Fabric(inventory("dgx-h100-4")).rails("leaf-02") == [4, 5, 6, 7]
    assert [Fabric(inventory("dgx-h100-su")).rails(f"leaf-0{number}") for number in (1, 8)] == [[0], [7]]
    assert Fabric(inventory("hgx-h200-roce")).rails("spine-01") == []


def test_what_is_around_a_machine_is_what_it_is_cabled_to() -> None:
    fabric = Fabric(inventory("dgx-h100-su"))
    around = fabric.around(["dgx-05"])
    assert set(around) >= {"dgx-05", "leaf-01", "leaf-08"} and "spine-01" not in around and "dgx-06" not in around
    assert fabric.fitting("SPINE-02") == ["spine-02"] and "leaf-03" in fabric.fitting("leaf")


def test_ports_are_told_as_ranges() -> None:
    assert numbers([f"leaf-01/{number}" for number in (1, 2, 3, 7, 9, 10)]) == "1-3,7,9-10"


def test_a_cable_looks_as_its_ends_looked() -> None:
    simulation = sandbox("fabric.port_disabled target=leaf-01/13")
    known = look(simulation, "ssh dgx-01 sudo iblinkinfo")
    seen = SeenFabric(Fabric(known.inventory), known)
    [bundle] = [one for one in seen.fabric.bundles("leaf-01") if "leaf-01/13" in one.ports]
    assert seen.bundle(bundle) is State.DOWN and any("Down, Disabled" in text for text in seen.told(bundle))
    assert all(seen.bundle(one) is State.OK for one in seen.fabric.bundles("leaf-01") if one != bundle)
    assert any(one.component == "leaf-01/13" and one.state is State.DOWN for one in alerts(known))


def test_a_port_that_came_back_is_well_again() -> None:
    simulation = sandbox("fabric.port_disabled target=leaf-01/13")
    known = look(simulation, "ssh dgx-01 sudo iblinkinfo")
    healthy = sandbox()
    healthy.advance(2 * MINUTE)
    known.take("head-01", "ssh dgx-01 sudo iblinkinfo", printed(healthy), healthy.now)
    assert known.own_state("leaf-01/13") is State.OK and not alerts(known)


def test_lines_of_an_aggregation_node_are_not_those_of_the_adapter_before_it() -> None:
    known = look(sandbox(), "true")
    lines = (
        "CA: dgx-01 mlx5_0:",
        '      0x00 1    1[  ] ==( 4X 106.25 Gbps Initialize/  LinkUp)==>  93   1[  ] "MF0;leaf-01:MQM9700/U1" ( )',
        "CA: Mellanox Technologies Aggregation Node:",
        '      0x00 2    1[  ] ==( 4X 106.25 Gbps Active/  LinkUp)==>  93   65[  ] "MF0;leaf-01:MQM9700/U1" ( )',
    )
    known.take("head-01", "sudo iblinkinfo", "".join(f"{line}\n" for line in lines), 1)
    assert known.own_state("dgx-01/mlx5_0/1") is State.DEGRADED


def printed(simulation: object) -> str:
    from engine.kernel.simulation import Simulation
    from tests.support.run import run_command

    assert isinstance(simulation, Simulation)
    return run_command(simulation, "dgx-01", "root", "iblinkinfo").stdout


def test_racks_hold_every_machine_the_highest_first() -> None:
    for site in SITES:
        there = [name for rack in racks(inventory(site)) for _, name in rack.machines]
        assert sorted(there) == sorted((*inventory(site).node_names, *inventory(site).switches))
        for rack in racks(inventory(site)):
            assert [unit for unit, _ in rack.machines] == sorted((unit for unit, _ in rack.machines), reverse=True)
    assert [rack.name for rack in racks(inventory("dgx-h100-4"), "dgx-03")] == ["R02"]
