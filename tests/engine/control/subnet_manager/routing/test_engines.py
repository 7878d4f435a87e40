"""Which engine makes the tables, and what opensm says about it."""

from __future__ import annotations

import pytest

from engine.control.subnet_manager.routing import engines
from engine.control.subnet_manager.routing.dump import next_port
from engine.control.subnet_manager.routing.engines import EngineOrder, Routing, engine_order, root_guids, route
from engine.control.subnet_manager.routing.fabric import NO_ROUTE, build
from engine.kernel.errors import BreakfixError
from tests.engine.control.subnet_manager.routing import scenes
from tests.engine.control.subnet_manager.routing.drawings import irregular, three_tier, two_tier


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("(null)", ()),
        ("ftree", ("ftree",)),
        ("ftree,updn", ("ftree", "updn")),
        (" updn minhop\t", ("updn", "minhop")),
    ],
)
def test_the_order_is_read_as_opensm_reads_it(text: str, expected: tuple[str, ...]) -> None:
    assert engine_order(text) == EngineOrder(expected)


def test_an_unknown_engine_is_told_and_left_out() -> None:
    order = engine_order("bogus,updn")
    assert order.engines == ("updn",) and order.fallback
    assert order.lines == (
        "setup_routing_engine: cannot find or setup routing engine 'bogus'",
        "setup_routing_engines: Failed to setup routing engine 'bogus'",
    )


@pytest.mark.parametrize("name", engines.NOT_MODELLED)
def test_engines_of_opensm_that_are_not_modelled_are_refused(name: str) -> None:
    with pytest.raises(BreakfixError, match=f"routing engine {name} is not modelled"):
        engine_order(f"minhop,{name}")


def test_the_first_engine_that_serves_is_used() -> None:
    damaged = scenes.fabric(three_tier(64, 8).damaged(cables=1).text())
    routing = route(damaged, engine_order("ftree,updn"))
    assert routing.engine == "updn"
    assert routing.lines[-2] == "ucast_mgr_route: ftree: cannot build lid matrices"
    assert routing.lines[-1] == "osm_ucast_mgr_process: updn tables configured on all switches"


def test_minhop_stands_in_when_all_fail() -> None:
    known = scenes.fabric(irregular(12, 4, 60, 3).text())
    routing = route(known, engine_order("updn,ftree"))
    assert routing.engine == "minhop" and routing.tables == route(known).tables
    assert "updn_lid_matrices: disabling UPDN algorithm, no root nodes were found" in routing.lines


def test_without_a_fallback_the_switches_keep_what_they_have() -> None:
    known = scenes.fabric(irregular(12, 4, 60, 3).text())
    before = route(known).tables
    routing = route(known, engine_order("ftree,no_fallback"), previous=before)
    assert routing.engine is None and routing.tables == before


def test_one_cable_less_and_the_fat_tree_engine_refuses_with_its_reason() -> None:
    known = scenes.fabric(two_tier(4, 2, 6, cables=2).damaged(cables=1).text())
    lines = route(known, engine_order("ftree")).lines
    assert lines[0].startswith("fabric_validate_topology: ERR AB0B: Different number of ports in an upward port group")
    assert lines[0].count("GUID 0x") == 2 and lines[0].endswith("1 ports")


def test_with_a_root_file_the_fat_tree_engine_bears_the_loss() -> None:
    known = scenes.fabric(two_tier(4, 2, 6, cables=2).damaged(cables=1).text())
    spines = [guid for guid, ends in zip(known.switch_guids, known.ends_of, strict=True) if not ends]
    assert route(known, engine_order("ftree"), roots=spines).engine == "ftree"


def test_without_switches_nothing_is_routed() -> None:
    assert route(build({}, [], [], 0x11)) == Routing(None, {}, ())


def test_root_files() -> None:
    assert root_guids("# spines\n0xb83fd20300100000\n\n  0x10 # second\n17\n") == (0xB83FD20300100000, 0x10, 17)
    with pytest.raises(BreakfixError, match="line 2 of the root file"):
        root_guids("0x10\nspine-01\n")


def test_large_fabrics_are_routed_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    known = scenes.fabric(three_tier(64, 8).text())
    expected = [route(known, engine_order(name)).tables for name in engines.MODELLED]
    monkeypatch.setattr(engines, "_PLAIN_WORK", 0)
    assert [route(known, engine_order(name)).tables for name in engines.MODELLED] == expected


def test_the_next_port_of_a_table() -> None:
    known = scenes.fabric(two_tier(2, 1, 2).text())
    tables = route(known).tables
    leaf = known.end_switches[0]
    guid, lid = known.switch_guids[leaf], known.end_lids[0]
    assert next_port(tables, guid, lid) == known.end_switch_ports[0]
    assert next_port(tables, guid, 40_000) == next_port(tables, 0xBAD, lid) == NO_ROUTE
