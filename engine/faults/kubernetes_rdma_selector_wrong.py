"""The shared RDMA device plugin finds no adapter: the selectors of the NicClusterPolicy were replaced by those of
another site, whose interfaces have other names. The plugin runs and says so once, its resource is there with 0 on every
node, and pods that ask for it stay Pending (Insufficient rdma/rdma_shared_device_ib). Names that the nodes have, or the
link type in place of names, in the policy mend it.
"""

from __future__ import annotations

from engine.control.kubernetes import store
from engine.control.kubernetes.network_operator import settings
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_RIGHT, _WRONG = '"linkTypes": ["infiniband"]', '"ifNames": ["ens1f0np0", "ens2f0np0"]'


def inject(simulation: Simulation[World], _: str, __: Values) -> None:
    """Apply the other site's selectors."""
    for key in store.keys(simulation.world, settings.POLICIES):
        policy = store.find(simulation.world, settings.POLICIES, key)
        if policy is not None:
            plugin = policy["spec"]["rdmaSharedDevicePlugin"]
            plugin["config"] = plugin["config"].replace(_RIGHT, _WRONG)
            policy["metadata"]["generation"] = policy["metadata"].get("generation", 1) + 1
            store.put(simulation, settings.POLICIES, policy)


FAULT = Fault(
    id="kubernetes.rdma_selector_wrong",
    title="The selectors of the RDMA device plugin fit no adapter",
    targets=("kube_control",),
    inject=inject,
    doc="Capacity of rdma/... is 0. See the plugin's log, and compare the policy's names with ip link of a node.",
)
