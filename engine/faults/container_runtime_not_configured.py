"""The container engine does not know the NVIDIA runtime: daemon.json was replaced by one without it (a template of
another team), and dockerd was restarted. `--runtime=nvidia` is refused, and containers of an engine whose usual runtime
was nvidia start without GPUs; `--gpus` goes another way and still works. nvidia-ctk runtime configure and a restart of
dockerd mend it.
"""

from __future__ import annotations

from engine.control import files, systemd
from engine.control.containers import daemon
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

TEXT = """{
    "log-driver": "json-file",
    "log-opts": {
        "max-file": "3",
        "max-size": "100m"
    }
}
"""


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Replace the file and restart dockerd."""
    files.write(simulation, target, daemon.DAEMON_JSON, TEXT.encode(), uid=0, gid=0)
    simulation.apply(systemd.RestartUnit(target, daemon.SERVICE, ""))


FAULT = Fault(
    id="container.runtime_not_configured",
    title="dockerd does not know the NVIDIA runtime",
    targets=("gpu_node",),
    inject=inject,
    doc="unknown or invalid runtime name: nvidia. Configure it (nvidia-ctk runtime configure) and restart dockerd.",
)
