"""From the world to a communicator's description: what each host's NCCL sees, and what its machine gives.

A host's part depends on its own state alone, so it is worked out once for each host and put together at the end: the
slowest member sets the pace of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from engine.physics.paths import figures, network, nvlink, pcie
from engine.workloads import clocks
from engine.workloads.nccl import adapters, interfaces
from engine.workloads.nccl.adapters import Adapter
from engine.workloads.nccl.environment import Environment
from engine.workloads.nccl.interfaces import SocketInterface
from engine.workloads.nccl.ranks import Rank
from engine.workloads.nccl.shape import WITHOUT_LIMIT, Shape
from engine.world.inventory import Gpu, Hca
from engine.world.world import World

_SHARED_MEMORY = 0.42
_HOST_MEMORY = 350.0  # GB/s of both sockets, of which every GPU writes and reads its part


@dataclass(frozen=True)
class HostPart:
    """A host's part: its ranks, GPUs, network, and the figures that follow. Rates in GB/s.

    `nvlinks` is the fewest that join one of its GPUs to the others (0: no peer access), `adapter_rates` what each
    adapter moves for its GPU, wire and inside of the node together.
    """

    host: str
    ranks: tuple[int, ...]
    gpus: tuple[Gpu, ...]
    environment: Environment
    devices: tuple[Hca, ...]
    memory: str | None
    adapters: tuple[Adapter, ...]
    adapter_rates: tuple[float, ...]
    nvlinks: int
    multicast: bool
    ring: float
    copy: float
    clock: float
    world: World = field(repr=False, compare=False)
    started: HostPart | None = field(default=None, repr=False, compare=False)
    """The part as it was when the communicator was made, for one that has been running."""

    @property
    def shared_memory(self) -> bool:
        """Whether its ranks reach each other through the host's memory where they have no peer access."""
        return not self.environment.number("NCCL_SHM_DISABLE", 0)

    @cached_property
    def interfaces(self) -> tuple[SocketInterface, ...]:
        """The IP interfaces that it uses, best first."""
        if self.started:
            return self.started.interfaces
        return interfaces.socket_interfaces(self.world, self.host, self.environment)

    @property
    def socket(self) -> bool:
        """Whether it falls back to sockets."""
        return not self.devices

    @property
    def network(self) -> str:
        """NCCL's name of the network that it uses."""
        return "Socket" if self.socket else "IB"

    @property
    def direct(self) -> bool:
        """Whether all of its adapters reach GPU memory directly."""
        return all(adapter.direct for adapter in self.adapters)


def host_part(
    world: World,
    ranks: Sequence[Rank],
    numbers: Sequence[int],
    environment: Environment,
    before: HostPart | None = None,
) -> HostPart:
    """The part of one host, whose ranks in the communicator are `numbers`. The communicator that it has already made
    (`before`) keeps to the devices that were there then.
    """
    host = ranks[0].host
    gpus = tuple(world.inventory.gpu(rank.gpu) for rank in ranks)
    devices = before.devices if before else _devices(world, ranks, environment)
    memory = adapters.memory_access(world, host, environment)
    chosen = adapters.used(world, gpus, devices, environment, memory)
    clock = min(clocks.clock_share(world, gpu.id, "nccl") for gpu in gpus)
    joined = _joined(world, gpus, environment)
    touched = _touched(world, host)
    return HostPart(
        host=host,
        ranks=tuple(numbers),
        gpus=gpus,
        environment=environment,
        devices=devices,
        memory=memory,
        adapters=chosen,
        adapter_rates=tuple(_adapter_rate(world, adapter, touched) for adapter in chosen),
        nvlinks=joined,
        multicast=bool(environment.number("NCCL_NVLS_ENABLE", 2)) and _multicast(world, gpus),
        ring=_ring(world, gpus, joined, clock, environment),
        copy=nvlink.peer_copy(world, gpus[0].id, gpus[1].id) if len(gpus) > 1 else WITHOUT_LIMIT,
        clock=clock,
        world=world,
        started=before and (before.started or before),
    )


def shape_of(parts: Sequence[HostPart]) -> Shape:
    """What NCCL sees of all hosts together."""
    rates = [adapter.hca for part in parts for adapter in part.adapters]
    return Shape(
        figures=figures.gpu_figures(parts[0].gpus[0].product.name),
        nodes=len(parts),
        ranks=sum(len(part.ranks) for part in parts),
        nvlinks=min(part.nvlinks for part in parts),
        multicast=all(part.multicast for part in parts),
        adapters=min(len(part.adapters) for part in parts),
        adapter_rate=float(min((hca.rate for hca in rates), default=0)),
        direct=all(part.direct for part in parts),
        socket=any(part.socket for part in parts),
        collnet=all(part.environment.number("NCCL_COLLNET_ENABLE", 0) for part in parts),
    )


def _devices(world: World, ranks: Sequence[Rank], environment: Environment) -> tuple[Hca, ...]:
    net = (environment.text("NCCL_NET") or "").lower()
    if net == "socket":
        return ()
    return adapters.listed(world, ranks[0].host, environment, all(rank.verbs for rank in ranks))


def _multicast(world: World, gpus: Sequence[Gpu]) -> bool:
    """Whether groups for NVLink SHARP can be made of these GPUs of one host."""
    state = world.nvlink_fabric[gpus[0].node]
    return state.multicast and not any(gpu.id in state.refused for gpu in gpus)


def _joined(world: World, gpus: Sequence[Gpu], environment: Environment) -> int:
    """The fewest NVLinks that a GPU shares with another one that takes part; all of its own if it is alone."""
    if (
        environment.number("NCCL_P2P_DISABLE", 0) == 1
        or adapters.level_named(environment.text("NCCL_P2P_LEVEL")) == "LOC"
    ):
        return 0
    if len(gpus) == 1:
        return nvlink.working(world, gpus[0].id)
    if not all(nvlink.routed(world, gpu.id) for gpu in gpus):
        return 0
    return min(nvlink.working(world, gpu.id) for gpu in gpus)


def _ring(world: World, gpus: Sequence[Gpu], joined: int, clock: float, environment: Environment) -> float:
    """Bus bandwidth of a ring through GPUs of one host: over NVLink, through shared memory of the host, or (where that
    is forbidden as well) out of an adapter and in again, which `Rails.delivery` accounts for.
    """
    if len(gpus) == 1:
        return WITHOUT_LIMIT
    if joined:
        return nvlink.ring(joined, figures.gpu_figures(gpus[0].product.name)) * nvlink.clock_share(clock)
    if environment.number("NCCL_SHM_DISABLE", 0):
        return WITHOUT_LIMIT
    slowest = min(pcie.host_copy(world, gpu.id) for gpu in gpus)
    return min(slowest * _SHARED_MEMORY, _HOST_MEMORY / (2 * len(gpus)))


def _adapter_rate(world: World, adapter: Adapter, touched: bool) -> float:
    """What an adapter moves for its GPU; the same for all boards of a kind on which nothing was changed."""
    if touched:
        return network.gpu_nic(world, adapter.gpu.id, adapter.hca.id, direct=adapter.direct)
    pattern = world.inventory.pattern(adapter.hca.node)
    key = ("nccl adapter", pattern, adapter.gpu.address, adapter.hca.address, adapter.direct)
    return world.inventory.once(key, lambda: _adapter_rate(world, adapter, True))


def _touched(world: World, host: str) -> bool:
    """Whether PCIe of a host may not run as it was built."""
    return world.systems[host].kernel_options is not None or any(
        identifier.startswith(f"{host}/")
        for identifier in (*world.pcie_links.changed(), *world.pci_functions.changed())
    )
