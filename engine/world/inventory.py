"""The inventory: everything that a site is made of, as frozen records with stable ids.

Ids read like paths: `dgx-02`, `dgx-02/gpu5`, `dgx-02/mlx5_3`, `dgx-02/mlx5_3/1` (a port), `leaf-01/17`, `dgx-02/fan3`,
`dgx-02/psu0`, `dgx-02/nvme0`, `dgx-02/nvswitch1`. A node's parts are worked out from its board when somebody first
asks, so a site of 2,048 nodes costs what is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar, cast

from engine.kernel.errors import BreakfixError
from engine.kernel.names import unknown
from engine.kernel.random import hash64
from engine.world.fabric import Cable, Identity, Switch
from engine.world.people import Partition, StandingJob, User
from engine.world.products import GpuProduct
from engine.world.records.ethernet import EthernetSwitch, PortQos, RoceSettings

__all__ = [
    "Address",
    "Cable",
    "Cpu",
    "Drive",
    "Fan",
    "Gpu",
    "GpuProduct",
    "Hca",
    "Identity",
    "Inventory",
    "Node",
    "NvSwitch",
    "Partition",
    "PcieDevice",
    "Psu",
    "StandingJob",
    "Switch",
    "User",
    "stable_hexadecimal",
    "uuid_text",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PcieDevice:
    """One PCI function: address `0000:1b:00.0`, the bridge above it, its ids and what its link can do."""

    address: str
    parent: str | None
    ids: str
    subsystem: str
    role: str
    numa: int
    generation: int
    width: int
    revision: str = "00"
    driver: str | None = None
    slot: str | None = None


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU slot. `index` is the order by bus id (nvidia-smi's on a healthy node), `module` the SXM socket number."""

    id: str
    node: str
    index: int
    address: str
    module: int
    numa: int
    product: GpuProduct
    rail: str
    uuid: str
    serial: str


@dataclass(frozen=True, slots=True)
class NvSwitch:
    """An NVSwitch chip of a board."""

    id: str
    node: str
    index: int
    address: str


@dataclass(frozen=True, slots=True)
class Hca:
    """One RDMA device, `mlx5_N`.

    `link_layer` is InfiniBand or Ethernet; `rate` in Gb/s; `gpu` the index of its neighbour.
    """

    id: str
    node: str
    name: str
    address: str
    netdev: str
    link_layer: str
    rate: int
    lanes: int
    purpose: str
    model: str
    board_id: str
    pci_id: str
    firmware: str
    numa: int
    guid: int
    port_guid: int
    mac: str
    gpu: int | None = None
    cage: str | None = None
    identity: Identity | None = None

    @property
    def port(self) -> str:
        """The id of its only port."""
        return f"{self.id}/1"


@dataclass(frozen=True, slots=True)
class Drive:
    """An NVMe drive."""

    id: str
    node: str
    name: str
    address: str
    model: str
    firmware: str
    serial: str
    bytes: int
    purpose: str


@dataclass(frozen=True, slots=True)
class Fan:
    """A fan module; `zone` says what it cools (system, psu)."""

    id: str
    node: str
    index: int
    rotors: int
    rpm_max: int
    zone: str


@dataclass(frozen=True, slots=True)
class Psu:
    """A power supply."""

    id: str
    node: str
    index: int
    watts: int
    feed: str


@dataclass(frozen=True, slots=True)
class Cpu:
    """The processors of a node."""

    model: str
    vendor: str
    family: int
    model_number: int
    stepping: int
    sockets: int
    cores: int
    threads: int
    mhz_max: int
    mhz_min: int
    cache_l1d: int
    cache_l1i: int
    cache_l2: int
    cache_l3: int
    flags: str
    bogomips: str


@dataclass(frozen=True, slots=True)
class Address:
    """A network interface of a host that is not an RDMA device, or the address on one: `10.20.0.11/24`, MAC, which
    network.
    """

    interface: str
    network: str
    cidr: str
    mac: str
    mtu: int
    driver: str = ""
    pci_address: str | None = None
    members: tuple[str, ...] = ()


@dataclass(frozen=True)
class Node:
    """A server and its parts."""

    name: str
    role: str
    board: str
    product_name: str
    vendor: str
    serial: str
    rack: str
    unit: int
    cpu: Cpu
    memory_bytes: int
    dimms: int
    bios: str
    bmc_firmware: str
    addresses: tuple[Address, ...]
    bmc_address: str
    gpus: tuple[Gpu, ...]
    nvswitches: tuple[NvSwitch, ...]
    hcas: tuple[Hca, ...]
    drives: tuple[Drive, ...]
    fans: tuple[Fan, ...]
    psus: tuple[Psu, ...]
    pcie: tuple[PcieDevice, ...]
    sensors: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    """What cluster software it belongs to: slurm, kubernetes, control-plane (of Kubernetes), registry."""

    @cached_property
    def devices(self) -> Mapping[str, PcieDevice]:
        """PCI functions by address."""
        return {device.address: device for device in self.pcie}

    @cached_property
    def gpus_by_id(self) -> Mapping[str, Gpu]:
        return {gpu.id: gpu for gpu in self.gpus}

    @cached_property
    def hcas_by_id(self) -> Mapping[str, Hca]:
        return {hca.id: hca for hca in self.hcas}

    def path_to_root(self, address: str) -> list[PcieDevice]:
        """The function at `address` and the bridges above it, up to the root port."""
        path, current = [], self.devices.get(address)
        while current is not None:
            path.append(current)
            current = self.devices.get(current.parent) if current.parent else None
        return path


@dataclass(frozen=True)
class Kubernetes:
    """The Kubernetes cluster of a site: hosts by their part, networks, and objects that were applied before the start:
    (ns before it, the manifest as JSON). `users` are (person, the namespace of their kubeconfig).
    """

    control_plane: tuple[str, ...]
    workers: tuple[str, ...]
    registry: str
    pod_network: str
    service_network: str
    admins: tuple[str, ...]
    workloads: tuple[tuple[int, str], ...]
    users: tuple[tuple[str, str], ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """Every host that is a node of the cluster."""
        return (*self.control_plane, *self.workers)


@dataclass(frozen=True)
class Inventory:
    """A whole site."""

    name: str
    title: str
    start: int
    timezone: str
    domain: str
    cluster: str
    login_host: str
    learner: str
    software: Mapping[str, str]
    node_names: tuple[str, ...]
    users: tuple[User, ...]
    partitions: tuple[Partition, ...]
    slurm_operators: tuple[str, ...]
    standing_jobs: tuple[StandingJob, ...]
    racks: tuple[str, ...]
    inlet_temperature: int
    notes: str
    make_node: Callable[[str], Node]
    addresses: Callable[[str], Mapping[str, str]]
    """A node's address (with prefix length) in each network that it has an interface in, and in `bmc`, by network:
    known without its parts."""
    place: Callable[[str], tuple[str, int]]
    """A node's rack, and its unit in it: known without its parts."""
    pattern: Callable[[str], str]
    """The first node of the site that has the same parts as a node: asked for what follows from the board alone."""
    make_switches: Callable[[], tuple[Switch, ...]]
    make_cables: Callable[[], tuple[Cable, ...]]
    make_inside: Callable[[], tuple[Hca, ...]]
    port_guids: Callable[[str], Mapping[str, int]]
    """The GUIDs of a node's RDMA ports, by port: known without its other parts."""
    first_qos: Callable[[str], PortQos] = lambda _: PortQos()
    """The quality of service of an Ethernet port as the site begins."""
    first_roce: RoceSettings = field(default_factory=RoceSettings)
    """How adapters speak RoCE as the site begins."""
    first_switch: Callable[[str], EthernetSwitch] = lambda _: EthernetSwitch()
    """How an Ethernet switch spreads flows as the site begins."""
    given_lids: Mapping[str, int] = field(default_factory=dict)
    """LIDs that ports had before the site's first sweep, by end port."""
    kubernetes: Kubernetes | None = None
    _port_guids: dict[str, Mapping[str, int]] = field(default_factory=dict, repr=False, compare=False)
    _nodes: dict[str, Node] = field(default_factory=dict, repr=False, compare=False)
    _once: dict[tuple[object, ...], object] = field(default_factory=dict, repr=False, compare=False)

    def once(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """What `make` gives, made when first asked for: from the inventory and `key` alone (a seed belongs into it)."""
        if key not in self._once:
            self._once[key] = make()
        return cast(T, self._once[key])

    def node(self, name: str) -> Node:
        """The node `name`. Raises BreakfixError with the nearest names if there is none."""
        node = self._nodes.get(name)
        if node is None:
            if name not in self.node_index:
                raise BreakfixError(unknown("node", name, self.node_names))
            node = self._nodes[name] = self.make_node(name)
        return node

    def port_guid(self, port: str) -> int:
        """The GUID of a node's RDMA port `dgx-02/mlx5_3/1`. Raises KeyError if the site has none such."""
        if inside := self.aggregating.get(port.rpartition("/")[0]):
            return inside.port_guid
        node = port.partition("/")[0]
        known = self._port_guids.get(node)
        if known is None:
            known = self._port_guids[node] = self.port_guids(node)
        return known[port]

    @cached_property
    def node_index(self) -> Mapping[str, int]:
        return {name: index for index, name in enumerate(self.node_names)}

    @cached_property
    def switches(self) -> Mapping[str, Switch]:
        return {switch.name: switch for switch in self.make_switches()}

    @cached_property
    def aggregating(self) -> Mapping[str, Hca]:
        """The aggregation nodes of switches, by id."""
        return {each.id: each for each in self.make_inside()}

    @cached_property
    def cables(self) -> Mapping[str, Cable]:
        """Cables by the port ids of both ends."""
        return {end: cable for cable in self.make_cables() for end in cable.ends}

    @cached_property
    def host_names(self) -> tuple[str, ...]:
        """Everything with a shell prompt that one can log in to."""
        return self.node_names

    def user(self, name: str) -> User | None:
        """The account `name`, or None."""
        return next((user for user in self.users if user.name == name), None)

    def gpu(self, identifier: str) -> Gpu:
        """The GPU `dgx-02/gpu5`. Raises BreakfixError if the site has none such."""
        node_name = identifier.partition("/")[0]
        gpus = self.node(node_name).gpus_by_id
        if identifier not in gpus:
            raise BreakfixError(unknown("GPU", identifier, gpus))
        return gpus[identifier]

    def hca(self, identifier: str) -> Hca:
        """The RDMA device `dgx-02/mlx5_3`. Raises BreakfixError if the site has none such."""
        node_name = identifier.partition("/")[0]
        hcas = self.aggregating if node_name in self.switches else self.node(node_name).hcas_by_id
        if identifier not in hcas:
            raise BreakfixError(unknown("HCA", identifier, hcas))
        return hcas[identifier]


def stable_hexadecimal(digits: int, *parts: object) -> str:
    """A lower-case identifier of `digits` digits that depends on `parts` alone (serials, UUIDs, GUIDs)."""
    text = "".join(f"{hash64(number, *parts):016x}" for number in range(-(-digits // 16)))
    return text[:digits]


def uuid_text(*parts: object) -> str:
    """A UUID-shaped identifier, lower case with dashes."""
    text = stable_hexadecimal(32, *parts)
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
