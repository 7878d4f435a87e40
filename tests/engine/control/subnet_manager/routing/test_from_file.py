"""Tables from a dump: what counts of it, what opensm says of one that it cannot read, and the real opensm beside it.
Where it fails, minhop's tables are not compared: opensm balances with what it had read."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.control.subnet_manager.routing.engines import engine_order, route
from engine.control.subnet_manager.routing.fabric import NO_ROUTE, Fabric
from engine.control.subnet_manager.routing.from_file import TablesFile
from tests.engine.control.subnet_manager.routing import opensm, scenes
from tests.engine.control.subnet_manager.routing.drawings import two_tier

TEXT = two_tier(4, 2, 3, cables=2, ports=36).text()


def known() -> Fabric:
    return scenes.fabric(TEXT)


def dump(fabric: Fabric) -> str:
    return scenes.dumped(TEXT, fabric, route(fabric).tables)


def without_a_switch(text: str) -> str:
    return text[text.index("Unicast lids", 5) :]


def without_guids(text: str) -> str:
    return re.sub(r" : \(.*\)", "", text)


def with_other_lids(text: str) -> str:
    """A dump from before LIDs changed: each entry names the port, and another LID."""
    return re.sub(r"(?m)^0x([0-9a-f]{4})(?= .*portguid)", lambda found: f"0x{int(found[1], 16) + 700:04x}", text)


def with_other_ports(text: str) -> str:
    return re.sub(r"(?m)^(0x000[5-9]) \d{3} ", r"\1 002 ", text)


CHANGES: dict[str, Callable[[str], str]] = {
    "as it was": str,
    "a switch is not in it": without_a_switch,
    "no GUIDs": without_guids,
    "other LIDs": with_other_lids,
    "other ports": with_other_ports,
    "half a dump": lambda text: text[: len(text) // 2].rpartition("\n")[0] + "\n",
    "nothing": lambda text: "",
    "a port that is not there": lambda text: text.replace(" 002 ", " 099 "),
    "no LID": lambda text: text.replace("0x0003 ", "0xno ", 1),
    "no port": lambda text: re.sub(r"(?m)^0x0003 \d+", "0x0003 x", text, count=1),
    "no GUID of a switch": lambda text: text.replace(" guid 0x", " guid ", 1),
}


@pytest.mark.parametrize("change", [name for name in CHANGES if name in ("as it was", "other LIDs")])
def test_a_dump_gives_the_tables_that_it_was_made_of(change: str) -> None:
    fabric = known()
    source = TablesFile("/etc/opensm/lfts", CHANGES[change](dump(fabric)))
    made = route(fabric, engine_order("file"), dumped=source)
    assert made.engine == "file"
    assert made.tables == route(fabric).tables


def test_what_is_not_in_it_has_no_way() -> None:
    fabric = known()
    tables = route(fabric, engine_order("file"), dumped=TablesFile("/x", without_a_switch(dump(fabric)))).tables
    lost = [guid for guid, table in tables.items() if set(table) == {NO_ROUTE}]
    assert len(lost) == 1


def test_without_a_file_it_does_as_minhop_and_without_the_named_one_minhop_stands_in() -> None:
    fabric = known()
    assert route(fabric, engine_order("file")).tables == route(fabric).tables
    made = route(fabric, engine_order("file"), dumped=TablesFile("/etc/lfts", None))
    assert made.engine == "minhop"
    assert made.lines[0] == (
        "do_ucast_file_load: ERR 6302: Can't open ucast dump file '/etc/lfts': No such file or directory"
    )
    assert made.lines[1] == "ucast_mgr_route: file: cannot build fwd tables"


@pytest.mark.slow
@pytest.mark.skipif(not opensm.installed(), reason="no ibsim, opensm and infiniband-diags here")
@pytest.mark.parametrize("change", CHANGES)
def test_the_tables_and_words_are_those_of_the_real_opensm(change: str, tmp_path: Path) -> None:
    fabric = known()
    path = tmp_path / "lfts"
    path.write_text(CHANGES[change](dump(fabric)))
    made = route(fabric, engine_order("file"), dumped=TablesFile(str(path), path.read_text()))
    with opensm.simulated(TEXT, tmp_path) as simulator:
        real = simulator.sweep_once("-R", "file", "-U", str(path))
        log = simulator.log
    assert [line for line in made.lines if line not in log] == []
    if made.engine == "file":
        assert scenes.dumped(TEXT, fabric, made.tables) == real
