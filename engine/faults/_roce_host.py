"""RoCE on a host: changes of /etc/default/roce-qos, which roce-qos.service sets on the adapters at each boot, as people
and installers leave them behind. What the file says is set at once, as after a restart of the unit.
"""

from __future__ import annotations

from engine.control import adapter_qos, files
from engine.kernel.simulation import Simulation
from engine.world.records.ethernet import PRIORITIES
from engine.world.world import World


def list_of(*places: int) -> str:
    """Eight switches as the file writes them, on at `places`."""
    return ",".join(str(int(place in places)) for place in range(PRIORITIES))


def change_file(simulation: Simulation[World], node: str, **changes: str | None) -> None:
    """Give settings of the file other values (None: the line goes), and restart the unit."""
    world = simulation.world
    lines = files.text(world, node, adapter_qos.FILE, adapter_qos.usual_file(world, node)).splitlines()
    kept = [line for line in lines if line.partition("=")[0] not in changes]
    kept += [f"{name}={value}" for name, value in changes.items() if value is not None]
    files.write(simulation, node, adapter_qos.FILE, "".join(f"{line}\n" for line in kept).encode(), uid=0, gid=0)
    adapter_qos.begin_anew(simulation, node)
