"""Two adapters of a node are on each other's rails: their cables were plugged in crosswise (in the node's cages).

All links are up at full rate, no error counts, every test between two nodes passes. Collectives that go by rails send
through the spines what should stay within a leaf. ibnetdiscover and iblinkinfo (on Ethernet: LLDP) show it, to somebody
who compares them with the cabling plan. Moving the cables to where their labels say mends it.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.physics import cabling
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The two cables change places."""
    world = simulation.world
    hca = world.inventory.hca(target)
    cabled = [each.name for each in world.node(hca.node).hcas if each.port in world.inventory.cables]
    alike = [name for name in cabled if world.inventory.hca(f"{hca.node}/{name}").link_layer == hca.link_layer]
    other = str(values["other"] or alike[(alike.index(hca.name) + 1) % len(alike)])
    if other not in alike or other == hca.name:
        raise BreakfixError(f"other={other}: {hca.node} has no second cabled adapter of this name")
    cabling.exchange(simulation, hca.port, f"{hca.node}/{other}/1")


FAULT = Fault(
    id="fabric.rail_miscabled",
    title="Two adapters of a node are cabled to each other's rails",
    targets=("railed_hca", "roce_hca"),
    inject=inject,
    parameters=(Parameter("other", "text", None, "The other adapter (default: the next one of the node)."),),
    doc="Links are up and clean, but two rails of a node are crossed. Moving the cables mends it.",
)
