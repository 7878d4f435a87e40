"""The cluster's DNS is down: the Corefile in the ConfigMap coredns has a directive that CoreDNS does not know, and its
pods were restarted. They crash at start (CrashLoopBackOff; their log names the line), kube-dns has no endpoints, and no
name of a Service is found in any pod. Mending the ConfigMap and restarting the Deployment mends it.
"""

from __future__ import annotations

from engine.control.kubernetes import deleting, store
from engine.control.kubernetes.objects import labels_of
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_CONFIG, _NAMESPACE = "kube-system/coredns", "kube-system"


def inject(simulation: Simulation[World], _: str, __: Values) -> None:
    """Write the mistake, and restart CoreDNS."""
    world = simulation.world
    config = store.find(world, "configmaps", _CONFIG)
    if config is None:
        return
    config["data"]["Corefile"] = config["data"]["Corefile"].replace("    forward . ", "    foward . ")
    store.put(simulation, "configmaps", config)
    for pod in list(store.objects(world, store.PODS, _NAMESPACE)):
        if labels_of(pod).get("k8s-app") == "kube-dns":
            deleting.pod(simulation, store.key_of(pod))


FAULT = Fault(
    id="kubernetes.dns_broken",
    title="CoreDNS crashes at a mistake in its configuration",
    targets=("kube_control",),
    inject=inject,
    doc="kubectl logs of a coredns pod names the line. Mend the ConfigMap coredns, then rollout restart.",
)
