"""A tuning rule sets the largest read request of a network card (MaxReadReq of PCI Express' Device Control) far too
small: the card asks for its data in crumbs and sends at a fraction of its rate. NVIDIA's tuning guides ask for 4096
bytes; how much is lost is a guess.

Seen in `lspci -vvv` (DevCtl: MaxReadReq), in ib_write_bw and in collectives; the link itself is whole. setpci mends it
until the rule runs again at the next start; the rule has to go as well.
"""

from __future__ import annotations

from engine.faults._pcie_parts import function_of, leave_rule, rule
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

RULES = "/etc/udev/rules.d/85-hca-tuning.rules"
_CODES = {"128": 0, "256": 1, "512": 2}


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The rule is there and has run."""
    address = function_of(simulation.world, target).address
    code = _CODES[str(values["bytes"])]
    lines = ("# read request size, from the tuning sheet", rule(address, address, f"CAP_EXP+8.w={code << 12:x}:7000"))
    leave_rule(simulation, target.partition("/")[0], RULES, lines)


FAULT = Fault(
    id="pcie.read_request_small",
    title="A network card may read only a few bytes at a time",
    targets=("hca",),
    inject=inject,
    parameters=(Parameter("bytes", "choice", "128", "The largest read request.", tuple(_CODES)),),
    doc="lspci shows MaxReadReq. Take the udev rule away and set 4096 bytes with setpci.",
)
