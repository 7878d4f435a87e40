"""A line of /etc/fstab names a disk that is no longer in the node, without `nofail`: nothing is wrong until the next
start, which waits 90 seconds for the disk and ends in emergency mode, without a network.

Seen: the node does not come back from a start that went well until the kernel; its BMC answers, says that the power is
on and has nothing in its log; nobody gets in by ssh; Slurm sets it down. Somebody at the console sees which device is
missing (inspect). Remedy: take the line out, or give it `nofail`, before the start; after it, at the console
(mend-fstab). A power cycle brings the same again.
"""

from __future__ import annotations

from engine.control import boot, files, fstab
from engine.faults._system_image import RESTART
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.inventory import stable_hexadecimal
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The line stays behind; then the node restarts, if asked for."""
    inventory, place = simulation.world.inventory, str(values["place"])
    number = stable_hexadecimal(32, "old disk", simulation.world.seed, target)
    uuid = "-".join((number[:8], number[8:12], number[12:16], number[16:20], number[20:]))
    usual = fstab.usual(inventory, target, fstab.head_of(inventory))
    text = files.text(simulation.world, target, fstab.PATH, usual)
    content = f"{text.rstrip()}\nUUID={uuid} {place} ext4 defaults 0 2\n"
    files.write(simulation, target, fstab.PATH, content.encode(), uid=0, gid=0)
    if values["restart"] == "yes":
        simulation.apply(boot.Reboot(target, "kernel"))


FAULT = Fault(
    id="os.fstab_wrong",
    title="A node's fstab names a disk that is not there",
    targets=("gpu_node",),
    inject=inject,
    parameters=(Parameter("place", "text", "/scratch", "Where the disk was mounted."), RESTART),
    doc="The next start ends in emergency mode. Take the line out, or have it done at the console (mend-fstab).",
)
