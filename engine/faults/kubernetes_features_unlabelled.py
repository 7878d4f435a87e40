"""node-feature-discovery no longer labels GPUs: the classes of PCI devices that it looks for were replaced by those
of network adapters. The label pci-10de.present goes from every worker; the GPU Operator takes its own labels off
nodes without it, so that device plugin, validator and all other operands leave, and no node has a GPU to give; what
runs goes on. The classes 0300 and 0302 in the worker's ConfigMap mend it.
"""

from __future__ import annotations

from engine.control.kubernetes import store
from engine.control.kubernetes.gpu_operator import labels
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_ADAPTERS_ALONE = """sources:
  pci:
    deviceClassWhitelist:
    - "0200"
    - "0207"
    deviceLabelFields:
    - vendor
"""


def inject(simulation: Simulation[World], _: str, __: Values) -> None:
    """Apply the other classes."""
    config = store.find(simulation.world, "configmaps", labels.CONFIGURATION)
    if config is not None:
        config["data"]["nfd-worker.conf"] = _ADAPTERS_ALONE
        store.put(simulation, "configmaps", config)


FAULT = Fault(
    id="kubernetes.features_unlabelled",
    title="No node bears the label of an NVIDIA device",
    targets=("kube_control",),
    inject=inject,
    doc="No operand has a pod, no node pci-10de.present. Compare nfd-worker.conf with the class of lspci -nn (0302).",
)
