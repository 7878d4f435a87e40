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
    "ibnetdiscover", "ibnetdiscover -l", "ibnetdiscover -p", "ibnetdiscover -S", "ibnetdiscover -H", "ibhosts",
    "ibswitches", "iblinkinfo", "iblinkinfo -l",
)  # fmt: skip


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
    for line in COMMANDS:
        ours = ibsim_oracle.slow(run_command(simulation, HOST, "root", line).stdout)
        theirs = ibsim_oracle.evened(fabric.run(*line.split()), guids)
        assert undated(theirs), line
        assert undated(ours) == undated(theirs), line


def undated(text: str) -> str:
    return re.sub(r"(?<=generated on ).*", "", text)
