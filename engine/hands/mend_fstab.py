"""Log in as root at the console of a node that stands in emergency mode, put a `#` before the lines of /etc/fstab that
cannot be mounted, and let the boot go on.
"""

from __future__ import annotations

from types import MappingProxyType

from engine.control import boot, fstab
from engine.hands.action import HandsAction, Job
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.world.world import World


def mend_fstab(simulation: Simulation[World], target: str, number: int) -> str:
    """Only what stops the boot is touched."""
    if not boot.in_emergency(simulation.world, target):
        return f"The console of {target} shows no emergency mode; nothing was changed."
    found = fstab.comment_out(simulation, target)
    boot.leave_emergency(simulation, target)
    places = ", ".join(each.target for each in found)
    return f"In /etc/fstab of {target} the line for {places} is a comment now. The boot goes on."


HANDS = HandsAction(
    name="mend-fstab",
    title="Get a node out of emergency mode at its console",
    jobs=MappingProxyType({"node": Job(duration=10 * MINUTE, power_off=False, work=mend_fstab)}),
    doc="For a boot that stopped at a device of /etc/fstab. Nothing else on the node is changed.",
)
