"""The kubelet of a worker does not run: somebody stopped and disabled it, or left a mistake in its configuration and
restarted it. Its node is NotReady (Unknown) after 40 s and tainted unreachable; pods that tolerate that for five
minutes only are then deleted, and stay Terminating, while their containers go on. Starting the kubelet mends it, where
its configuration is at fault after that has been mended; journalctl -u kubelet tells.
"""

from __future__ import annotations

from engine.control import files, systemd
from engine.control.kubernetes.kubelet import configuration
from engine.control.kubernetes.kubelet.runs import KUBELET
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_CONFIGURATION, _STOPPED = "configuration", "stopped"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Stop it, or have it restarted with a file that it cannot read."""
    if values["how"] == _STOPPED:
        simulation.apply(systemd.StopUnit(target, KUBELET, ""))
        simulation.apply(systemd.DisableUnit(target, KUBELET, ""))
        return
    text = configuration.default_text(simulation.world)
    broken = text.replace("cgroupDriver: systemd\n", "cgroupDriver: systemd\nmaxPods: 250 serializeImagePulls: false\n")
    files.write(simulation, target, configuration.PATH, broken.encode(), uid=0, gid=0)
    simulation.apply(systemd.RestartUnit(target, KUBELET, ""))


FAULT = Fault(
    id="kubernetes.kubelet_down",
    title="The kubelet of a worker does not run",
    targets=("kube_worker",),
    inject=inject,
    parameters=(
        Parameter("how", "choice", _CONFIGURATION, "A mistake in its file, or stopped.", (_CONFIGURATION, _STOPPED)),
    ),
    doc="kubectl describe node says that the kubelet stopped posting; its journal says why. Mend the file, start it.",
)
