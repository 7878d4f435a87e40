"""The PCIe link of a GPU or a network card has bad signals: its protocol mends every error, at the cost of nothing that
one could measure, and the kernel's log fills with corrected errors (AER).

Seen in the kernel's log (`AER: Corrected error message received`, `PCIe Bus Error: severity=Corrected`), in
aer_dev_correctable of the function and of the port above it, and for a GPU in its replay counter. Reseating mends it;
a restart only sets the counts to zero.
"""

from __future__ import annotations

from engine.control.pcie_errors import spoil
from engine.faults._pcie_parts import function_of
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The link's signals are bad from now on."""
    every = max(SECOND, int(values["every"] or 0))
    spoil(simulation, target.partition("/")[0], function_of(simulation.world, target).address, every)


FAULT = Fault(
    id="pcie.corrected_errors",
    title="A PCIe link mends errors all the time",
    targets=("gpu", "hca"),
    inject=inject,
    parameters=(Parameter("every", "duration", "90s", "How often an error shows on average.", least=1),),
    doc="Corrected errors in the kernel's log and in aer_dev_correctable. Reseating the part mends it.",
)
