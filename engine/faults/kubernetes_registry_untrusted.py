"""A node does not trust the site's registry: its certificate was issued anew by the site's new CA, and this node still
has the old one in /etc/containerd/certs.d. Pods that need an image from it wait there in ImagePullBackOff (x509:
certificate signed by unknown authority); images that the node has already go on working. The CA's certificate of
another node in its place mends it, without any restart.
"""

from __future__ import annotations

from engine.control import files
from engine.control.kubernetes import registries
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_OLD = 1


def inject(simulation: Simulation[World], target: str, _: Values) -> None:
    """Put the CA's earlier certificate into the node's folder."""
    world = simulation.world
    path = f"{registries.folder(registries.own(world))}/ca.crt"
    files.write(simulation, target, path, registries.authority(world, _OLD).encode(), uid=0, gid=0)


FAULT = Fault(
    id="kubernetes.registry_untrusted",
    title="A node does not trust the site's registry",
    targets=("kube_worker",),
    inject=inject,
    doc="crictl pull on the node says x509. Compare ca.crt below certs.d with that of another node, and copy it.",
)
