"""NVIDIA's device plugin runs and no kubelet knows it: in the DaemonSet the folder of the kubelet's sockets was
replaced by that of another distribution, which its manifest had (k3s keeps nothing there either, but links to it).
The plugin listens in a folder of its own, registering times out, and every worker has GPUs as capacity and none to
give; what runs goes on. The right folder in the DaemonSet mends it. The operator does not put it back: it compares
the hash in the DaemonSet's annotation with that of what it wants, not the DaemonSet (gpu-operator
controllers/object_controls.go).
"""

from __future__ import annotations

from engine.control.kubernetes import store
from engine.control.kubernetes.device_plugins import nvidia, socket
from engine.control.kubernetes.gpu_operator import operands
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], _: str, values: Values) -> None:
    """Change the folder of the node in the DaemonSet."""
    key = f"{operands.NAMESPACE}/{nvidia.DAEMON_SET}"
    thing = store.find(simulation.world, store.DAEMON_SETS, key)
    if thing is None:
        return
    for volume in thing["spec"]["template"]["spec"].get("volumes") or ():
        if volume.get("hostPath", {}).get("path") == socket.FOLDER:
            volume["hostPath"]["path"] = str(values["folder"])
    thing["metadata"]["generation"] = thing["metadata"].get("generation", 1) + 1
    store.put(simulation, store.DAEMON_SETS, thing)


FAULT = Fault(
    id="kubernetes.plugin_unregistered",
    title="The device plugin does not reach the kubelets",
    targets=("kube_control",),
    inject=inject,
    parameters=(
        Parameter("folder", "text", "/var/lib/rancher/k3s/agent/kubelet/device-plugins", "The folder that it has."),
    ),
    doc="Its log: Could not register device plugin. Compare its hostPath with /var/lib/kubelet/device-plugins.",
)
