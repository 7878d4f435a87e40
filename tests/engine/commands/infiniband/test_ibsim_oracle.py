"""Our views of a fabric against the real ones, which look at the same fabric on ibsim."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.simulation import open_site
from engine.world.world import World
from tests.support import ibsim_oracle
from tests.support.run import run_command

pytestmark = [
    pytest.mark.skipif(not ibsim_oracle.installed(), reason="no ibsim, opensm and infiniband-diags here"),
    pytest.mark.xdist_group("ibsim"),
]

HOST = "head-01"
COMMANDS = (
    "ibnetdiscover", "ibnetdiscover -l", "ibnetdiscover -p", "ibnetdiscover -S", "ibnetdiscover -H",
    "ibnetdiscover -R", "ibnetdiscover -f", "ibnetdiscover -g", "ibnetdiscover -m", "ibnetdiscover -s", "ibhosts",
    "ibswitches", "ibnodes", "ibrouters", "iblinkinfo", "iblinkinfo -l", "iblinkinfo -d", "iblinkinfo -p",
    "iblinkinfo --switches-only", "iblinkinfo --cas-only -l", "iblinkinfo -D 0,1", "iblinkinfo -n 1",
    "iblinkinfo -n 2 -l", "iblinkinfo -D 0,1,33 -a", "ibportstate 1 99", "smpquery nodedesc 1", "smpquery sl2vl 1",
    "smpquery switchinfo 1", "smpquery mepi 1 1", "smpquery foo 1", "smpquery portinfo 1 99", "ibaddr -D 0,1",
    "ibaddr -L 1",
)  # fmt: skip
TABLES = (
    "ibroute -D 0,1", "ibroute -n -D 0,1", "ibroute -a -D 0,1", "ibroute -D 0,1 1 9", "ibroute 1", "dump_fts",
    "dump_fts -n", "ibtracert 1 5", "ibtracert 5 17", "ibtracert -n 17 5", "ibtracert 1 30", "ibtracert 30 6",
    "ibtracert 1 999",
)  # fmt: skip
"""Of a whole fabric only: a manager that begins on what is left of one has no history."""


MAYBE_EMPTY = ("ibnetdiscover -R", "ibrouters", "iblinkinfo -D 0,1,33 -a")


def whole(simulation: Simulation[World]) -> None:
    """As the site was built."""


def cut(simulation: Simulation[World]) -> None:
    """Without a spine's cable and a node's."""
    inventory = simulation.world.inventory
    for port in ("leaf-01/33", "leaf-02/3"):
        found = links.cable(inventory, port)
        assert found
        links.change_cable(simulation, found, plugged=False)


@pytest.fixture(params=[whole, cut], ids=["whole", "cut"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Simulation[World], ibsim_oracle.Fabric]]:
    simulation = open_site("dgx-h100-4", 1)
    request.param(simulation)
    topology = run_command(simulation, HOST, "root", "ibnetdiscover").stdout
    guid = simulation.world.node(HOST).hcas[0].guid
    with ibsim_oracle.fabric(topology, guid, tmp_path) as fabric:
        yield simulation, fabric


def test_views_of_a_fabric(scene: tuple[Simulation[World], ibsim_oracle.Fabric]) -> None:
    simulation, fabric = scene
    inventory = simulation.world.inventory
    guids = {hca.guid for name in inventory.node_names for hca in inventory.node(name).hcas}
    untouched = not simulation.world.cables.changed()
    for line in (*COMMANDS, *(TABLES if untouched else ())):
        ours = ibsim_oracle.slow(run_command(simulation, HOST, "root", line).stdout)
        theirs = ibsim_oracle.evened(fabric.run(*line.split()), guids)
        assert undated(theirs) or line in MAYBE_EMPTY, line
        assert undated(ours) == undated(theirs), line


def undated(text: str) -> str:
    return re.sub(r"(?<=generated on ).*", "", text)
