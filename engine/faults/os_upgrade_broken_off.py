"""An upgrade of the driver's packages broke off half-way (somebody's session ended, a machine was restarted under it):
files of the new version are unpacked, nothing is configured, and no module of it was built.

Until the next start the old module meets the new libraries; after it there is no module at all. Seen in dpkg -l (iF,
iU), dpkg --audit, apt's refusal and dkms status. `dpkg --configure -a` ends it and builds the modules.
"""

from __future__ import annotations

from engine.control import dkms, kernels, packages
from engine.faults._system_image import RESTART, restart
from engine.faults.driver_library_mismatch import next_release
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_PATTERNS = ("libnvidia-compute-*", "nvidia-fabricmanager-*")


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Unpack the new version, and end there."""
    world = simulation.world
    version = str(values["version"] or next_release(packages.library_version(world, target) or "0.0"))
    before = {release: dkms.build(world, target, release) for release in kernels.installed(world, target)}
    changes: list[tuple[str, str, str]] = []
    for pattern in _PATTERNS:
        upgrade = packages.Upgrade(target, pattern, version, by=str(values["by"]), command="apt-get upgrade")
        changes += simulation.apply(upgrade)
    names = [name for name, _, _ in changes]
    first = [name for name in names if name.startswith("nvidia-dkms-")]
    waiting = (*first, *(name for name in names if name not in first))
    world.systems.update(target, half_configured=waiting)
    for release in before:
        dkms.put(simulation, target, release, None)
    restart(simulation, target, values)


FAULT = Fault(
    id="os.upgrade_broken_off",
    title="An upgrade of the driver broke off half-way",
    targets=("gpu_node",),
    inject=inject,
    parameters=(
        Parameter("version", "text", None, "The driver version; a later one of the branch if not given."),
        Parameter("by", "text", "", "Who asked for it, as apt's history has it."),
        RESTART,
    ),
    doc="Packages are unpacked and not configured, no module was built. dpkg --configure -a ends it.",
)
