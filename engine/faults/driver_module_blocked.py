"""Somebody kept the NVIDIA modules out with a file in /etc/modprobe.d, for a hardware test, and left it there.

Seen in modprobe (`Error running install command '/bin/false'`), systemd-modules-load and the file itself; the modules
are built and the kernel's log is silent. Removing the file and loading the modules mend it, without a restart.
"""

from __future__ import annotations

from engine.control import files
from engine.control.modprobe_settings import FOLDER
from engine.faults._system_image import RESTART, restart
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_TEXT = "# burn-in of the host without GPUs; remove afterwards\nblacklist nvidia\ninstall nvidia /bin/false\n"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Write the file, and start with it."""
    files.write(simulation, target, f"{FOLDER}{values['file']}", _TEXT.encode(), uid=0, gid=0)
    restart(simulation, target, values)


FAULT = Fault(
    id="driver.module_blocked",
    title="The NVIDIA modules are kept out by modprobe's settings",
    targets=("gpu_node",),
    inject=inject,
    parameters=(Parameter("file", "text", "burn-in.conf", "The name of the file in /etc/modprobe.d."), RESTART),
    doc="An install command stands in the module's place. Remove it and load the modules.",
)
