"""Somebody edited /etc/docker/daemon.json and made a mistake: a comma before a closing brace, or an option that dockerd
does not have. What runs goes on until dockerd is restarted (`restarted`); then it does not come up, its journal says
why, and its containers are gone. Mending the file and starting docker mends it.
"""

from __future__ import annotations

from engine.control import files, systemd
from engine.control.containers import daemon
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_COMMA, _OPTION = "comma", "option"
_TEXTS = {
    _COMMA: daemon.DEFAULT.replace("        }\n    }\n}", '        }\n    },\n    "default-runtime": "nvidia",\n}'),
    _OPTION: daemon.DEFAULT.replace("        }\n    }\n}", '        }\n    },\n    "cgroup-driver": "systemd"\n}'),
}


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Write the file, and restart dockerd."""
    files.write(simulation, target, daemon.DAEMON_JSON, _TEXTS[str(values["mistake"])].encode(), uid=0, gid=0)
    simulation.apply(systemd.RestartUnit(target, daemon.SERVICE, ""))


FAULT = Fault(
    id="container.daemon_misconfigured",
    title="dockerd does not start: a mistake in daemon.json",
    targets=("gpu_node",),
    inject=inject,
    parameters=(Parameter("mistake", "choice", _COMMA, "A comma too many, or an unknown option.", (_COMMA, _OPTION)),),
    doc="journalctl -u docker names the file and the mistake. Mend daemon.json, start docker.",
)
