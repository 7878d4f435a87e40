"""opensm has the opensm.conf of another site: it is told to work through a port that its host does not have, and does
not start (ERR 5422, osm_vendor_ibumad.c).

The fabric goes on without a manager.
"""

from __future__ import annotations

from engine.control import systemd
from engine.control.subnet_manager.managers import UNIT
from engine.faults._subnet_manager import configure
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Put the other site's port into the file; opensm is restarted with it."""
    configure(simulation, target, guid=str(values["guid"]))
    simulation.apply(systemd.StartUnit(target, UNIT, ""))


FAULT = Fault(
    id="subnet_manager.foreign_file",
    title="opensm has the configuration of another site",
    targets=("node",),
    inject=inject,
    parameters=(Parameter("guid", "text", "0x0c42a10300e1a2b4", "The port that its file names."),),
    doc="opensm.service failed; ports that come up stay Initializing. Name a port of the host, or 0.",
)
