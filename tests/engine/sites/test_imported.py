"""Netlists as sites, and sites as netlists."""

from __future__ import annotations

import pytest

from engine.commands.infiniband._diags.netlist_text import netlist
from engine.control.subnet_manager.lids import fresh_lids
from engine.kernel.places import DocumentError
from engine.simulation import open_document, open_site
from engine.sites.imported import is_netlist, site_text
from tests.engine.control.subnet_manager.routing.drawings import irregular, three_tier, two_tier
from tests.support.run import run_command


def written(name: str) -> str:
    return "\n".join(netlist(open_site(name).world, 0)) + "\n"


@pytest.mark.parametrize("site", ["dgx-h100-4", "dgx-h100-su"])
def test_a_site_comes_back_as_it_went(site: str) -> None:
    text = written(site)
    again = open_document(text.encode(), "there.net", 1, {}).world
    assert "\n".join(netlist(again, 0)) + "\n" == text
    assert again.inventory.login_host == "head-01" and len(again.inventory.node("dgx-02").gpus) == 8
    assert fresh_lids(again.inventory) == fresh_lids(open_site(site).world.inventory)


@pytest.mark.parametrize("drawn", [three_tier(64, 8), two_tier(3, 2, 4).with_guids_drawn(3), irregular(5, 3, 3, 2)])
def test_a_drawn_fabric_comes_back(drawn: object) -> None:
    text = drawn.text()  # type: ignore[attr-defined]
    simulation = open_document(text.encode(), "drawn.net", 1, {})
    once = "\n".join(netlist(simulation.world, 0)) + "\n"
    again = open_document(once.encode(), "again.net", 1, {})
    assert "\n".join(netlist(again.world, 0)) + "\n" == once
    assert once.count("\nCa\t") == text.count("\nCa\t") and once.count("\nSwitch\t") == text.count("\nSwitch\t")
    host = simulation.world.inventory.login_host
    assert run_command(simulation, host, "root", "ibhosts").stdout.count("Ca\t:") == text.count("\nCa\t")


def test_lids_of_the_file_are_kept() -> None:
    text = two_tier(2, 1, 2).text().replace("lid 0 lmc 0 ", "lid 77 lmc 0 ", 1)
    world = open_document(text.encode(), "drawn.net", 1, {}).world
    assert 77 in fresh_lids(world.inventory).values()


def test_a_netlist_is_told_from_a_site() -> None:
    assert is_netlist(written("dgx-h100-4")) and not is_netlist("format: 1\nname: x\n")


def test_mistakes_are_told_with_their_line() -> None:
    text = two_tier(2, 1, 2).text()
    router = text.replace("\nCa\t", "\nRt\t", 1).replace("caguid", "rtguid", 1)
    with pytest.raises(DocumentError) as refused:
        site_text(router, "bad.net")
    assert "bad.net:5" in str(refused.value) and "routers are not modelled" in str(refused.value)
    with pytest.raises(DocumentError, match=r"bad.net:\d+"):
        site_text(text.replace('[1]\t"H', '[1]\t"X', 1), "bad.net")


def test_the_large_site() -> None:
    inventory = open_site("dgx-h100-2k").world.inventory
    assert len(inventory.node_names) == 2049 and len(inventory.switches) == 1280
    assert len(inventory.cables) == 2 * (16_384 + 1 + 512 * 32 - 1 + 512 * 32)
    assert max(fresh_lids(inventory).values()) == 16_385 + 1280
