"""A site of 2,048 nodes: everything is cabled as a three-tier fat tree says, and only what is looked at is built."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.kernel.documents import DocumentError, read_document
from engine.simulation import new_simulation
from engine.sites.build import build_inventory, load_site
from engine.world.inventory import Inventory
from tests.support import large_site
from tests.support.sessions import last, screen


@pytest.fixture(scope="module")
def site() -> Inventory:
    return large_site.shared_inventory()


def test_every_compute_hca_has_its_cable(site: Inventory) -> None:
    ends = [end for end in site.cables if end.startswith("dgx-")]
    assert len(ends) == large_site.HCAS == 8 * large_site.NODES
    assert {site.cables[end].other(end).partition("-")[0] for end in ends} == {"leaf"}


def test_no_port_has_two_cables(site: Inventory) -> None:
    cables = site.make_cables()
    ports = Counter(end for cable in cables for end in cable.ends)
    assert max(ports.values()) == 1
    assert len(cables) == 3 * large_site.HCAS


def test_the_switches_of_each_tier_are_full(site: Inventory) -> None:
    used = Counter(end.partition("/")[0] for end in site.cables if not end.startswith("dgx-"))
    tiers = Counter(name.partition("-")[0] for name in used)
    assert tiers == {"leaf": large_site.LEAVES, "spine": large_site.SPINES, "core": large_site.CORES}
    assert set(used.values()) == {64}


def test_a_rail_meets_in_one_leaf_of_its_unit(site: Inventory) -> None:
    def leaf(node: int, hca: str) -> str:
        end = f"dgx-{node:04d}/{hca}/1"
        return site.cables[end].other(end).partition("/")[0]

    assert {leaf(node, "mlx5_0") for node in range(33, 65)} == {"leaf-009"}
    assert leaf(33, "mlx5_11") == "leaf-016" and leaf(2048, "mlx5_11") == "leaf-512"


def test_pods_are_joined_by_the_core_switches_alone(site: Inventory) -> None:
    def far(name: str, kind: str) -> Counter[str]:
        others = (site.cables[f"{name}/{port}"].other(f"{name}/{port}").partition("/")[0] for port in range(1, 65))
        return Counter(other for other in others if other.startswith(kind))

    assert far("leaf-033", "spine") == Counter(f"spine-{number:03d}" for number in range(33, 65))
    assert far("spine-034", "core") == {f"core-{number:03d}": 4 for number in range(9, 17)}
    pods = {(int(spine.partition("-")[2]) - 1) // 32 for spine in far("core-256", "spine")}
    assert pods == set(range(16))


def test_nodes_and_switches_stand_in_the_racks_one_after_the_other(site: Inventory) -> None:
    places = [(site.node(name).rack, site.node(name).unit) for name in ("dgx-0001", "dgx-0004", "dgx-0005", "dgx-2048")]
    assert places == [("R001", 3), ("R001", 33), ("R002", 3), ("R512", 33)]
    assert (site.switches["leaf-009"].rack, site.switches["leaf-009"].unit) == ("N002", 1)


def test_looking_at_one_node_builds_no_others() -> None:
    inventory = large_site.inventory()
    simulation = new_simulation(inventory, 1)
    assert last(simulation, ["ssh dgx-0777 hostname"]) == "dgx-0777\n"
    assert set(inventory._nodes) <= {"head-01", "dgx-0001", "dgx-0777"}
    assert screen(simulation, ["sinfo -h -o %D"]) == "2048\n"
    assert len(inventory._nodes) <= 3


def test_work_on_a_thousand_nodes_warms_their_gpus() -> None:
    simulation = large_site.simulation(jobs=True)
    thermal, names = simulation.world.thermal, ("dgx-0001", "dgx-1024", "dgx-1033")
    regimes = {name: len(thermal[f"{name}/gpu3"].regimes) for name in names}
    assert regimes == {"dgx-0001": 1, "dgx-1024": 1, "dgx-1033": 0}
    assert last(simulation, ["squeue -h -o '%D %j'"]).split() == ["1024", "pretrain", "8", "eval"]


def test_clush_reaches_every_node() -> None:
    simulation = new_simulation(large_site.shared_inventory(), 1)
    shown = last(simulation, ["clush -bw 'dgx-[0001-2048]' uname -r"]).splitlines()
    assert shown[1:] == ["dgx-[0001-2048] (2048)", "-" * 15, "6.8.0-51-generic"]


def test_nodes_alike_are_known_by_their_first_and_addresses_without_building() -> None:
    inventory = load_site("dgx-h100-4")
    assert [inventory.pattern(name) for name in inventory.node_names] == ["head-01", *["dgx-01"] * 4]
    known = inventory.addresses("dgx-03")
    assert not inventory._nodes
    node = inventory.node("dgx-03")
    assert known == {each.network: each.cidr for each in node.addresses} | {"bmc": node.bmc_address}


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ('rails: "leaf-[001-512]"', 'rails: "leaf-[001-500]"', "these nodes need 512 rail switches; there are 500"),
        ('racks: ["R[001-512]"', 'racks: ["R[001-300]"', "there are not 512 racks from R001 on"),
        ("block: 1, to_block: 8, count: 4", "block: 1, to_block: 8, count: 5", "there is no port 65"),
        ("rack: R001", "rack: R9", "rack"),
    ],
)
def test_mistakes_are_told(before: str, after: str, what: str) -> None:
    assert before in large_site.TEXT
    with pytest.raises(DocumentError) as told:
        build_inventory(read_document(large_site.TEXT.replace(before, after), "large.yaml"), {})
    assert what in str(told.value) and "large.yaml" in str(told.value)


def test_no_two_adapters_share_a_guid_or_an_address(site: Inventory) -> None:
    hcas = [hca for name in site.node_names for hca in site.node(name).hcas]
    assert len({hca.guid for hca in hcas}) == len({hca.mac for hca in hcas}) == len(hcas) > 16_384
    assert len({switch.guid for switch in site.switches.values()}) == len(site.switches)
