"""The routing engine updn is told the wrong roots: its root_guid_file names leaf switches, as it was written for
another site or before switches were moved.

Up/down routing never goes up again after it has gone down. With the leaves as roots every way from leaf to leaf goes
down first, so there is none: the adapters of one leaf reach each other and nobody else, and every link is Active.
"""

from __future__ import annotations

from engine.control import files
from engine.faults._subnet_manager import configure
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

ROOTS = "/etc/opensm/root_guid.conf"
_LEAF = "leaf"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Write the file of roots, and name it in opensm.conf."""
    leaves = [switch for switch in simulation.world.inventory.switches.values() if switch.role == _LEAF]
    text = "".join(f"0x{switch.guid:016x}\n" for switch in leaves if switch.kind == "infiniband")
    files.write(simulation, target, ROOTS, text.encode(), uid=0, gid=0)
    configure(simulation, target, routing_engine="updn", root_guid_file=ROOTS)


FAULT = Fault(
    id="subnet_manager.wrong_roots",
    title="The subnet manager routes from the wrong roots",
    targets=("node",),
    inject=inject,
    doc="No way between adapters of different leaves: ibtracert fails, status 12. Name the spines, or none.",
)
