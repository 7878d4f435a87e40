"""guid2lid: what opensm reads of it, when, and when it writes it."""

from __future__ import annotations

import pytest

from engine.control.subnet_manager import lid_file, lids
from engine.control.systemd import RestartUnit
from engine.hostfs.changes import RemovePath, WriteFile
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.simulation import open_site
from engine.world.world import World

HEAD, PORT, UNIT = "head-01", "dgx-01/mlx5_0/1", "opensm.service"


@pytest.fixture(scope="module")
def site() -> Simulation[World]:
    return open_site("dgx-h100-4", 1)


@pytest.fixture
def simulation(site: Simulation[World]) -> Simulation[World]:
    return site.fork()


def restart(simulation: Simulation[World]) -> None:
    simulation.apply(RestartUnit(HEAD, UNIT, "root"))
    simulation.advance(5 * SECOND)


def write(simulation: Simulation[World], path: str, text: str) -> None:
    simulation.apply(WriteFile(HEAD, path, text.encode(), 0o644, 0, 0))


def test_entries_that_do_not_count() -> None:
    found = lid_file.parse(
        "0x1 0x0005 0x0005\n\n0x2 5 5\n\n0x1 7 7\n\nabc 8 8\n\n0x3 9\n\n0x4 0xc000 0xc000\n\n0x5 9 8\n"
    )
    assert dict(found.lids) == {1: 5}
    assert [line.partition("ERR ")[2] for line in found.lines] == [
        "6106: Key:0x1 already exists in:/var/cache/opensm/guid2lid with value:0x0005 0x0005. Removing it",
        "610B: Key:abc is invalid",
        "0314: 0x0005 for guid:0x0000000000000002 was previously used",
        "0311: could not get lid for guid:0x0000000000000003",
        "0311: could not get lid for guid:0x0000000000000004",
        "0312: Illegal LID range [9:8] for guid:0x0000000000000005",
    ]


def test_what_is_written_is_read() -> None:
    assert lid_file.text({0xAB: 0x10}) == "0x00000000000000ab 0x0010 0x0010\n\n"
    assert dict(lid_file.parse(lid_file.text({7: 1, 9: 300})).lids) == {7: 1, 9: 300}


def test_a_restart_changes_nothing(simulation: Simulation[World]) -> None:
    before = {end: lids.lid(simulation.world, end) for end in lids.fresh_lids(simulation.world.inventory)}
    restart(simulation)
    simulation.apply(RemovePath(HEAD, lid_file.FILE, viewed=True))
    restart(simulation)
    assert {end: lids.lid(simulation.world, end) for end in before} == before
    assert lid_file.standing(simulation.world, HEAD) == lid_file.text(lid_file.remembered(simulation.world))


def test_the_file_counts_before_what_ports_have(simulation: Simulation[World]) -> None:
    guid = lids.port_guid(simulation.world.inventory, PORT)
    write(simulation, lid_file.FILE, f"0x{guid:016x} 0x012c 0x012c\n")
    assert lids.lid(simulation.world, PORT) != 300
    restart(simulation)
    assert lids.lid(simulation.world, PORT) == 300
    assert dict(lid_file.parse(lid_file.standing(simulation.world, HEAD)).lids)[guid] == 300


@pytest.mark.parametrize(("word", "number"), [("TRUE", None), ("true", 300)])
def test_lids_are_given_anew(simulation: Simulation[World], word: str, number: int | None) -> None:
    guid, first = lids.port_guid(simulation.world.inventory, PORT), lids.lid(simulation.world, PORT)
    write(simulation, lid_file.FILE, f"0x{guid:016x} 0x012c 0x012c\n")
    write(simulation, "/etc/opensm/opensm.conf", f"reassign_lids {word}\n")
    restart(simulation)
    assert lids.lid(simulation.world, PORT) == (number or first)
