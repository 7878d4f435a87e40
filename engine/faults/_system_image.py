"""What faults of a node's system do alike: files and boot menu as the image's builder left them, and a restart."""

from __future__ import annotations

from engine.control import boot, files, grub, initramfs, kernels
from engine.faults.fault import Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

RESTART = Parameter(
    "restart", "choice", "yes", "Whether the node restarts at once; else it shows at the next start.", ("yes", "no")
)


def remove(simulation: Simulation[World], host: str, *paths: str) -> None:
    """The image lacks these files."""
    files.put(simulation, host, dict.fromkeys(paths))


def finish(simulation: Simulation[World], host: str, values: Values) -> None:
    """The boot menu and the initramfs of every kernel are made from what the files say now; then the node restarts."""
    grub.write_config(simulation, host)
    initramfs.make(simulation, host, kernels.installed(simulation.world, host))
    restart(simulation, host, values)


def restart(simulation: Simulation[World], host: str, values: Values) -> None:
    """The node goes through a start, if that is asked for and it is up."""
    if values["restart"] == "yes":
        simulation.apply(boot.Reboot(host, "kernel"))
