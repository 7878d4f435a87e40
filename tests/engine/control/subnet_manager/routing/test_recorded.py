"""What opensm and the tools printed on recorded fabrics."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from engine.control.subnet_manager.routing.dump import ibroute_text
from engine.control.subnet_manager.routing.engines import engine_order, route
from engine.control.subnet_manager.routing.sources import fabric_of_netlist
from engine.sites.netlist import Netlist, parse_netlist
from tests.engine.control.subnet_manager.routing import scenes


@pytest.fixture
def recorded(shared: Path) -> Path:
    return shared / "realtools" / "ib"


def drawn(text: str) -> str:
    """A drawn netlist, whose adapters' port GUIDs ibsim replaces by its own."""
    return re.sub(r"^\[(\d+)\]\([0-9a-f]+\)", r"[\1]", text, flags=re.MULTILINE)


def netlist(path: Path, *, by_ibsim: bool = False) -> Netlist:
    text = path.read_text()
    return parse_netlist(drawn(text) if by_ibsim else text, path.name)


@pytest.mark.parametrize("engine", ["minhop", "updn", "ftree"])
def test_a_pod_of_256(recorded: Path, engine: str) -> None:
    """ibnetdiscover's output begins with its first switch, where no manager is; LIDs are as they were given."""
    place = recorded / "pod256"
    found = netlist(place / "ibnetdiscover.out")
    known = {node.guid: node.lid for node in found.nodes.values() if node.switch}
    for node in found.nodes.values():
        known |= {node.port_guid(port): link.lid for port, link in node.links.items() if not node.switch}
    manager = next(guid for guid, lid in known.items() if lid == 1)
    fabric = fabric_of_netlist(found, manager)
    assert scenes.lids(fabric) == known
    real = gzip.decompress((place / f"dump_fts-{engine}.out.gz").read_bytes()).decode()
    ours = route(fabric, engine_order(engine)).tables
    assert tables_of(real) == {guid: entries(table) for guid, table in ours.items()}


def tables_of(dump: str) -> dict[int, dict[int, int]]:
    """Ports by LID by the GUID of the switch, from dump_fts."""
    found: dict[int, dict[int, int]] = {}
    table: dict[int, int] = {}
    for line in dump.splitlines():
        if head := re.search(r"of switch .* guid 0x([0-9a-f]+)", line):
            table = found[int(head[1], 16)] = {}
        elif entry := re.match(r"0x([0-9a-f]{4}) (\d{3})", line):
            table[int(entry[1], 16)] = int(entry[2])
    return found


def entries(table: bytes) -> dict[int, int]:
    return {lid: port for lid, port in enumerate(table) if lid and port != 255}


def test_ibroute(recorded: Path) -> None:
    found = netlist(recorded / "small-ndr.net", by_ibsim=True)
    fabric = fabric_of_netlist(found)
    switch = fabric.switch_lids.index(4)
    table = route(fabric).tables[fabric.switch_guids[switch]]
    assert (
        ibroute_text(fabric, switch, table, scenes.names(found))
        == (recorded / "small-ndr" / "B-ibroute.out").read_text()
    )


@pytest.mark.parametrize("engine", ["minhop", "updn", "ftree", "ftree_updn_minhop"])
def test_dump_fts_of_twelve_nodes(recorded: Path, engine: str) -> None:
    text = drawn((recorded / "small-ndr.net").read_text())
    fabric = scenes.fabric(text)
    tables = route(fabric, engine_order(engine.replace("_", ","))).tables
    real = (recorded / "extra" / f"engine-{engine}-dump_fts.out").read_text()
    assert f"$ dump_fts\n{scenes.dumped(text, fabric, tables)}[rc=0]\n" == real


def test_what_opensm_says_of_an_unknown_engine(recorded: Path) -> None:
    log = (recorded / "extra" / "engine-bogus.opensm.log").read_text()
    order = engine_order("bogus")
    fabric = fabric_of_netlist(netlist(recorded / "small-ndr.net", by_ibsim=True))
    for line in (*order.lines, *route(fabric, order).lines):
        assert line in log
