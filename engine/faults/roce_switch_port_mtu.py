"""A port of a switch takes only small packets: it came back with the MTU of a fresh port.

Ping and small messages pass, handshakes too; RDMA packets of 4096 bytes are discarded at the port, so that everything
large over it ends with retries exceeded (status 12). Hosts show their right MTU and no error. The MTU of the port has
to be that of the others.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics.ethernet import settings
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The port takes the smaller size at once."""
    simulation.apply(settings.SetPortMtu((target,), int(values["mtu"] or 1500)))


FAULT = Fault(
    id="roce.switch_port_mtu",
    title="A port of a switch has a small MTU",
    targets=("ethernet_port",),
    inject=inject,
    parameters=(Parameter("mtu", "integer", "1500", "Its largest packet in bytes.", least=1280, most=4000),),
    doc="Small packets pass, full ones never arrive. The MTU of the port has to be set as on the others.",
)
