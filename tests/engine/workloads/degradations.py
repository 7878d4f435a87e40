"""What can be wrong with four DGX H100, as edits of a world by hand: node 1, GPU 0, rail 0, unless a name says more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from engine.physics import links
from engine.world.world import World

HOSTS = ("dgx-01", "dgx-02", "dgx-03", "dgx-04")
HOST = HOSTS[0]
GPU, NEIGHBOUR, ADAPTER = f"{HOST}/gpu0", f"{HOST}/gpu1", f"{HOST}/mlx5_0"
FAR_CPUS = "56-111,168-223"
_GPU_LINK, _NIC_LINK, _UPLINK = (f"{HOST}/0000:{bus}:00.0" for bus in ("1b", "18", "16"))
_NO_DIRECT_WAY = MappingProxyType({"nvidia-dkms-590-open": None, "nvidia-kernel-source-590-open": None})

Edit = Callable[[World], object]


@dataclass(frozen=True)
class Case:
    """A world that somebody edited, and how programs are run on it.

    `environment` goes to every rank, `cpus` to the ranks of the first node; `share` is what other traffic leaves,
    `launches` how many GPUs one process serves. With `later` the edit comes after the programs have started.
    """

    edit: Edit
    environment: Mapping[str, str] = field(default_factory=dict)
    cpus: str = ""
    share: int = 1_000_000
    launches: int = 1
    later: bool = False


def _healthy(world: World) -> None:
    """Nothing is wrong."""


def _link(identifier: str, **changes: int) -> Edit:
    return lambda world: world.pcie_links.update(identifier, **changes)


def _gpus(*numbers: int, **changes: object) -> Edit:
    def edit(world: World) -> None:
        for number in numbers:
            world.gpus.update(f"{HOST}/gpu{number}", **changes)

    return edit


def _on_hosts(*hosts: str, **changes: object) -> Edit:
    def edit(world: World) -> None:
        for host in hosts:
            world.systems.update(host, **changes)

    return edit


def _redirect(*hosts: str) -> Edit:
    def edit(world: World) -> None:
        for host in hosts:
            for device in world.node(host).pcie:
                if device.role == "switch_downstream":
                    world.pcie_links.update(f"{host}/{device.address}", redirect=True)

    return edit


def _cables(*hosts: str, **changes: object) -> Edit:
    def edit(world: World) -> None:
        for host in hosts:
            cable = links.cable(world.inventory, f"{host}/mlx5_0/1")
            assert cable is not None
            world.cables.update(cable.id, **changes)

    return edit


def _without_direct_way(*hosts: str) -> Edit:
    modules = MappingProxyType({"nvidia_peermem": None})
    return _on_hosts(*hosts, modules=modules, packages=_NO_DIRECT_WAY)


def _port(**changes: object) -> Edit:
    return lambda world: world.ports.update(f"{ADAPTER}/1", **changes)


EVERY_GPU = range(8)

CASES: Mapping[str, Case] = {
    "gpu-x8": Case(_link(_GPU_LINK, width=8)),
    "gpu-gen4": Case(_link(_GPU_LINK, generation=4)),
    "gpu-gen2": Case(_link(_GPU_LINK, generation=2)),
    "nic-x8": Case(_link(_NIC_LINK, width=8)),
    "nic-gen4": Case(_link(_NIC_LINK, generation=4)),
    "uplink-gen4": Case(_link(_UPLINK, generation=4)),
    "nvlink-17": Case(lambda world: world.nvlinks.update(GPU, down=(7,))),
    "nvlink-9": Case(lambda world: world.nvlinks.update(GPU, down=tuple(range(9)))),
    "nvlink-0": Case(lambda world: world.nvlinks.update(GPU, down=tuple(range(18)))),
    "partition": Case(lambda world: world.nvlink_fabric.update(HOST, peer_access=False)),
    "nvls-off": Case(lambda world: [world.nvlink_fabric.update(host, multicast=False) for host in HOSTS]),
    "p2p-disable": Case(_healthy, environment={"NCCL_P2P_DISABLE": "1"}),
    "acs-one": Case(_redirect(HOST)),
    "acs-all": Case(_redirect(*HOSTS)),
    "iommu-one": Case(_on_hosts(HOST, kernel_options="ro")),
    "iommu-all": Case(_on_hosts(*HOSTS, kernel_options="ro")),
    "no-gdr-one": Case(_without_direct_way(HOST)),
    "no-gdr-all": Case(_without_direct_way(*HOSTS)),
    "rail-hdr-one": Case(_cables(HOST, rate_limit=200)),
    "rail-hdr-all": Case(_cables(*HOSTS, rate_limit=200)),
    "nic-down": Case(_port(enabled=False)),
    "nic-dies": Case(_port(enabled=False), later=True),
    "hca-4": Case(_healthy, environment={"NCCL_IB_HCA": "mlx5_0,mlx5_3,mlx5_4,mlx5_5"}),
    "mtu-ib": Case(_port(mtu=1024)),
    "socket-100": Case(_healthy, environment={"NCCL_IB_DISABLE": "1", "NCCL_SOCKET_IFNAME": "bond0"}),
    "hot-half": Case(_gpus(0, locked_clock=990)),
    "hot-quarter": Case(_gpus(0, locked_clock=495)),
    "hot-node": Case(_gpus(*EVERY_GPU, locked_clock=1725)),
    "power-500": Case(_gpus(*EVERY_GPU, power_limit=500_000)),
    "power-brake": Case(_gpus(*EVERY_GPU, locked_clock=495)),
    "hbm-retry": Case(_gpus(0, memory_permille=850)),
    "numa": Case(_healthy, cpus=FAR_CPUS),
    "hung": Case(_gpus(0, hung=True)),
    "congested": Case(_healthy, share=500_000),
    "sharp": Case(_healthy, environment={"NCCL_COLLNET_ENABLE": "1"}),
    "one-process": Case(_healthy, launches=8),
}
"""Rows of the table of degradations whose state the world has."""
