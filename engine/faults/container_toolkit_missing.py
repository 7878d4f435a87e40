"""The NVIDIA container toolkit was removed (an autoremove, or an image without it) and dockerd was restarted since: it
finds no hook, so `--gpus` has no driver: `could not select device driver "" with capabilities: [[gpu]]`. The
host's own GPUs are fine. Installing the toolkit again and restarting dockerd mends it.
"""

from __future__ import annotations

from types import MappingProxyType

from engine.control import systemd
from engine.control.containers import daemon
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The packages go, and dockerd starts without them."""
    packages = simulation.world.systems[target].packages
    gone = {**packages, daemon.TOOLKIT: None, "nvidia-container-toolkit-base": None}
    simulation.world.systems.update(target, packages=MappingProxyType(gone))
    simulation.apply(systemd.RestartUnit(target, daemon.SERVICE, ""))


FAULT = Fault(
    id="container.toolkit_missing",
    title="The NVIDIA container toolkit is not installed",
    targets=("gpu_node",),
    inject=inject,
    doc='docker run --gpus: could not select device driver "". Install the toolkit, restart dockerd.',
)
