"""The aggregation nodes inside switches, as tools show them: adapters that no host has and no hand can pull."""

from __future__ import annotations

import pytest

from engine.faults.targets import target_kinds
from engine.hands.action import parts
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import cabling
from engine.simulation import open_site
from engine.world.aggregation import DESCRIPTION
from engine.world.world import World
from tests.support.run import run_command

LEAF = "leaf-08"


@pytest.fixture(scope="module")
def site() -> Simulation[World]:
    return open_site("dgx-h100-su", 1)


def shown(simulation: Simulation[World], line: str) -> str:
    return run_command(simulation, "head-01", "root", line).stdout


def test_each_switch_has_one_behind_its_last_port(site: Simulation[World]) -> None:
    switch = site.world.inventory.switches[LEAF]
    inside = f"{switch.guid + 8:016x}"
    netlist = shown(site, "ibnetdiscover")
    block = next(each for each in netlist.split("vendid=") if f"caguid=0x{inside}" in each)
    assert f"devid=0xcf09\nsysimgguid=0x{switch.guid:016x}\n" in block
    assert f'Ca\t1 "H-{inside}"\t\t# "{DESCRIPTION}"\n[1]({inside}) \t"S-{switch.guid:016x}"[65]' in block
    assert shown(site, "ibhosts").count(DESCRIPTION) == len(site.world.inventory.switches) == 12
    number = block.split("# lid ")[1].split()[0]
    assert DESCRIPTION in shown(site, f"smpquery nodedesc {number}")
    assert f"To ca {{0x{inside}}}" in shown(site, f"ibtracert 1 {number}")
    assert "hw_dev_id:   0xcf09" in shown(site, f"vendstat -N {number}")
    assert "PortXmitPkts:....................0\n" in shown(site, f"perfquery {number} 1")
    assert shown(site, "ibdiagnet -r").count("-E-") == 0


def test_it_goes_and_comes_with_its_switch(site: Simulation[World]) -> None:
    simulation = site.fork()
    for powered, count in ((False, 11), (True, 12)):
        cabling.set_power(simulation, "spine-02", powered)
        simulation.advance(5 * MINUTE)
        assert shown(simulation, "ibhosts").count(DESCRIPTION) == count
        ports = [line for line in shown(simulation, "iblinkinfo").splitlines() if line.endswith(f'"{DESCRIPTION}" ( )')]
        assert len(ports) == count and all("Active/  LinkUp" in line for line in ports)


def test_nobody_pulls_it_or_logs_in(site: Simulation[World]) -> None:
    inventory = site.world.inventory
    assert f"{LEAF}/65" not in parts(inventory, LEAF, "port")
    for kind in target_kinds().values():
        assert not any(name.startswith(f"{LEAF}/an") or name == f"{LEAF}/65" for name in kind.names(inventory))
    assert not any("an" in name.split("/") for name in inventory.node_names)
