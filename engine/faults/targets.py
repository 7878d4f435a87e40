"""Kinds of component that faults befall: how their ids read, whether a site has one, and which come near a mistyped
one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

from engine.control.slurm.files import controller_host
from engine.control.subnet_manager.lids import host_of_manager
from engine.kernel.quick_dataclass import dataclass
from engine.physics import supplies
from engine.world.inventory import Inventory, Node


@dataclass(frozen=True, slots=True)
class TargetKind:
    """A kind of component. `parts` gives the ids of those in a node, or is None for nodes and racks themselves."""

    title: str
    example: str
    names: Callable[[Inventory], tuple[str, ...]]
    parts: Callable[[Node], tuple[str, ...]] | None = None

    def has(self, inventory: Inventory, target: str) -> bool:
        """Whether the site has `target`, and it is of this kind."""
        if self.parts is None:
            return target in self.names(inventory)
        node = target.partition("/")[0]
        known = node in inventory.node_index and node in self.names(inventory)
        return known and target in self.parts(inventory.node(node))

    def near(self, inventory: Inventory, target: str) -> list[str]:
        """Names to compare a target with that the site does not have."""
        node = target.partition("/")[0]
        if self.parts is None or node not in inventory.node_index:
            return list(self.names(inventory))
        return list(self.parts(inventory.node(node))) if node in self.names(inventory) else list(self.names(inventory))


def _nodes(inventory: Inventory) -> tuple[str, ...]:
    return inventory.node_names


def _racks(inventory: Inventory) -> tuple[str, ...]:
    return inventory.racks


def _ports(inventory: Inventory) -> tuple[str, ...]:
    """Those that have a cable."""
    return tuple(port for port, cable in inventory.cables.items() if not cable.internal)


def _fibre_ports(inventory: Inventory) -> tuple[str, ...]:
    return tuple(port for port, cable in inventory.cables.items() if cable.kind == "optical")


def _cabled_adapters(inventory: Inventory) -> tuple[str, ...]:
    """Those whose cable leads to an InfiniBand switch; known without the parts of their nodes."""
    ends = ((port, inventory.cables[port].other(port).partition("/")[0]) for port in _ports(inventory))
    switches = inventory.switches
    return tuple(
        port.rpartition("/")[0]
        for port, far in ends
        if port.count("/") == 2 and far in switches and switches[far].kind == "infiniband"
    )


def _adapters_of_several(inventory: Inventory) -> tuple[str, ...]:
    """Those of nodes that have two or more of them."""
    adapters = _cabled_adapters(inventory)
    count = Counter(adapter.partition("/")[0] for adapter in adapters)
    return tuple(adapter for adapter in adapters if count[adapter.partition("/")[0]] > 1)


def _switch_ports(inventory: Inventory) -> tuple[str, ...]:
    """Ports of InfiniBand switches that have a cable."""
    switches = inventory.switches
    devices = ((port, port.rpartition("/")[0]) for port in _ports(inventory))
    return tuple(port for port, name in devices if name in switches and switches[name].kind == "infiniband")


def _uplinks(inventory: Inventory) -> tuple[str, ...]:
    """Those whose cable leads to another switch."""
    return tuple(port for port in _switch_ports(inventory) if inventory.cables[port].other(port).count("/") == 1)


def _tree_managers(inventory: Inventory) -> tuple[str, ...]:
    """The host of the subnet manager of a fat tree with three leaves or more."""
    leaves = [each for each in inventory.switches.values() if each.kind == "infiniband" and each.role == "leaf"]
    manager = host_of_manager(inventory) if len(leaves) > 2 else None
    return (manager.node,) if manager else ()


def _ethernet_switches(inventory: Inventory) -> tuple[str, ...]:
    return tuple(name for name, switch in inventory.switches.items() if switch.kind == "ethernet" and switch.os)


def _ethernet_ports(inventory: Inventory) -> tuple[str, ...]:
    """Ports of Ethernet switches that have a cable."""
    switches = set(_ethernet_switches(inventory))
    return tuple(port for port in inventory.cables if port.rpartition("/")[0] in switches)


def _ethernet_uplinks(inventory: Inventory) -> tuple[str, ...]:
    """Those whose cable leads to another switch."""
    return tuple(port for port in _ethernet_ports(inventory) if inventory.cables[port].other(port).count("/") == 1)


def _roce_adapters(inventory: Inventory) -> tuple[str, ...]:
    """Adapters whose cable leads to an Ethernet switch; known without the parts of their nodes."""
    far = (inventory.cables[port].other(port) for port in _ethernet_ports(inventory))
    return tuple(port.rpartition("/")[0] for port in far if port.count("/") == 2)


def _roce_nodes(inventory: Inventory) -> tuple[str, ...]:
    """Nodes with an adapter on an Ethernet switch."""
    return tuple(dict.fromkeys(adapter.partition("/")[0] for adapter in _roce_adapters(inventory)))


def _bonded(node: Node) -> tuple[str, ...]:
    return (node.name,) if any(len(each.members) > 1 for each in node.addresses) else ()


def _bundled_switches(inventory: Inventory) -> tuple[str, ...]:
    """Those that bundle their cables to a neighbour."""
    return tuple(name for name in _ethernet_switches(inventory) if inventory.switches[name].bundled)


def _slurm_nodes(inventory: Inventory) -> tuple[str, ...]:
    """The nodes of Slurm's partitions that have GPUs."""
    members = {name for partition in inventory.partitions for name in partition.nodes}
    return tuple(
        name for name in inventory.node_names if name in members and inventory.node(inventory.pattern(name)).gpus
    )


def _kube_nodes(inventory: Inventory) -> tuple[str, ...]:
    return inventory.kubernetes.nodes if inventory.kubernetes else ()


def _kube_workers(inventory: Inventory) -> tuple[str, ...]:
    return inventory.kubernetes.workers if inventory.kubernetes else ()


def _kube_controls(inventory: Inventory) -> tuple[str, ...]:
    return inventory.kubernetes.control_plane if inventory.kubernetes else ()


def _slurm_controllers(inventory: Inventory) -> tuple[str, ...]:
    return (controller_host(inventory),) if inventory.partitions else ()


def _kubernetes() -> dict[str, TargetKind]:
    """Kinds of a Kubernetes cluster."""
    return {
        "kube_node": TargetKind("a node of a Kubernetes cluster", "gpu-02", _kube_nodes),
        "kube_worker": TargetKind("a worker of a Kubernetes cluster", "gpu-02", _kube_workers),
        "kube_gpu": TargetKind(
            "a GPU of a worker of a Kubernetes cluster", "gpu-02/gpu5", _kube_workers,
            lambda node: tuple(gpu.id for gpu in node.gpus),
        ),
        "kube_control": TargetKind("a control plane node of a Kubernetes cluster", "cp-01", _kube_controls),
    }


@cache
def target_kinds() -> Mapping[str, TargetKind]:
    """All kinds by name."""
    return MappingProxyType(
        {
            "gpu": TargetKind("a GPU", "dgx-02/gpu5", _nodes, lambda node: tuple(gpu.id for gpu in node.gpus)),
            "fan": TargetKind("a fan module", "dgx-02/fan3", _nodes, lambda node: tuple(fan.id for fan in node.fans)),
            "hca": TargetKind(
                "an RDMA device", "dgx-02/mlx5_3", _nodes, lambda node: tuple(hca.id for hca in node.hcas)
            ),
            "port": TargetKind("a port with a cable", "leaf-01/5", _ports),
            "fibre": TargetKind("a port with an optical cable", "leaf-01/5", _fibre_ports),
            "cabled_hca": TargetKind("an RDMA device in an InfiniBand fabric", "dgx-02/mlx5_3", _cabled_adapters),
            "railed_hca": TargetKind(
                "an RDMA device in an InfiniBand fabric, of a node with several", "dgx-02/mlx5_3", _adapters_of_several
            ),
            "switch_port": TargetKind("a port of an InfiniBand switch with a cable", "leaf-01/5", _switch_ports),
            "uplink": TargetKind("a port with a cable between two switches", "leaf-01/33", _uplinks),
            "tree_manager": TargetKind(
                "the host of the subnet manager of a fat tree with three leaves", "head-01", _tree_managers
            ),
            "ethernet_switch": TargetKind("an Ethernet switch", "leaf-01", _ethernet_switches),
            "bundled_switch": TargetKind("an Ethernet switch with bundled uplinks", "leaf-07", _bundled_switches),
            "ethernet_port": TargetKind("a port of an Ethernet switch with a cable", "leaf-01/5", _ethernet_ports),
            "ethernet_uplink": TargetKind(
                "a port with a cable between two Ethernet switches", "leaf-01/65", _ethernet_uplinks
            ),
            "roce_hca": TargetKind("an RDMA device on an Ethernet switch", "hgx-02/mlx5_3", _roce_adapters),
            "roce_node": TargetKind("a node whose RDMA devices are on Ethernet switches", "hgx-02", _roce_nodes),
            "bonded_node": TargetKind("a node with a bond of two interfaces", "dgx-02", _nodes, _bonded),
            "psu": TargetKind("a power supply", "dgx-02/psu1", _nodes, lambda node: tuple(psu.id for psu in node.psus)),
            "nvswitch": TargetKind(
                "an NVSwitch", "dgx-02/nvswitch1", _nodes, lambda node: tuple(chip.id for chip in node.nvswitches)
            ),
            "slurm_node": TargetKind("a node of Slurm with GPUs", "dgx-02", _slurm_nodes),
            "slurm_controller": TargetKind("the host of slurmctld", "head-01", _slurm_controllers),
            "gpu_node": TargetKind(
                "a node with GPUs", "dgx-02", _nodes, lambda node: (node.name,) if node.gpus else ()
            ),
            **_kubernetes(),
            "strip": TargetKind(
                "a strip of a rack PDU", "R01/pdu-b/1", lambda inventory: tuple(supplies.strips(inventory))
            ),
            "pdu": TargetKind("a rack PDU", "R01/pdu-b", supplies.pdus),
            "switch": TargetKind("a switch", "leaf-01", lambda inventory: tuple(inventory.switches)),
            "node": TargetKind("a node", "dgx-02", _nodes),
            "rack": TargetKind("a rack", "R01", _racks),
        }
    )
