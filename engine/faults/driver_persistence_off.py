"""nvidia-persistenced does not run on a node and does not start at boot: the driver lets go of idle GPUs, and a program
that comes first waits until they are set up again.

Seen in nvidia-smi (Persistence-M Off), dcgmi diag's software test and systemctl. Enabling and starting the daemon mends
it; nvidia-smi -pm 1 does until the next start. Source: NVIDIA/NVSentinel issue 772.
"""

from __future__ import annotations

from engine.control import systemd
from engine.control.driver import PERSISTENCE_DAEMON
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Disable and stop the daemon."""
    simulation.apply(systemd.DisableUnit(target, PERSISTENCE_DAEMON, "root"))
    simulation.apply(systemd.StopUnit(target, PERSISTENCE_DAEMON, "root"))


FAULT = Fault(
    id="driver.persistence_off",
    title="The persistence daemon of a node is off",
    targets=("gpu_node",),
    inject=inject,
    doc="Persistence mode is off on all GPUs. Enable and start nvidia-persistenced.",
)
