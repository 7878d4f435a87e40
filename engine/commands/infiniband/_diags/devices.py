"""The RDMA devices of a host as its kernel lists them, with the states of their ports, and which one a diagnostic
program uses.

Devices are there while the driver's modules are loaded. Programs that send management packets need
/dev/infiniband/umad*, which only root may open. Without -C they take the first device with an active InfiniBand port
(libibumad), in the order of names.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.infiniband._diags.program import warn
from engine.commands.options import Parsed
from engine.control import modules
from engine.control.subnet_manager.lids import lid, manager_lid
from engine.control.subnet_manager.managers import capability_mask
from engine.physics import links
from engine.world.inventory import Hca
from engine.world.records import LogicalState, PhysicalState
from engine.world.world import World

_MODULE = "mlx5_ib"
_FUNCTION_BITS = 0xF
_IEEE_VENDOR = 0x02C9


@dataclass(frozen=True, slots=True)
class Device:
    """An RDMA device with one port, as sysfs and verbs show it."""

    world: World
    hca: Hca

    @property
    def name(self) -> str:
        return self.hca.name

    @property
    def ethernet(self) -> bool:
        return self.hca.link_layer == "Ethernet"

    @property
    def system_guid(self) -> int:
        """The same for all functions of a card."""
        return self.hca.guid & ~_FUNCTION_BITS

    @property
    def port_guid(self) -> int:
        """A RoCE port's follows from its MAC (modified EUI-64)."""
        if not self.ethernet:
            return self.hca.port_guid
        number = int(self.hca.mac.replace(":", ""), 16)
        return (number >> 24 << 40 | 0xFFFE << 24 | number & 0xFFFFFF) ^ 1 << 57

    @property
    def vendor(self) -> int:
        return _IEEE_VENDOR

    @property
    def part(self) -> int:
        """The device number, 4129 for a ConnectX-7."""
        return int(self.hca.pci_id.partition(":")[2], 16)

    @property
    def state(self) -> LogicalState:
        return links.logical_state(self.world, self.hca.port)

    @property
    def physical(self) -> PhysicalState:
        return links.physical_state(self.world, self.hca.port)

    @property
    def rate(self) -> int:
        return links.rate(self.world, self.hca.port)

    @property
    def lid(self) -> int:
        return 0 if self.ethernet else lid(self.world, self.hca.port)

    @property
    def manager_lid(self) -> int:
        return 0 if self.ethernet else manager_lid(self.world, self.hca.port)

    @property
    def capabilities(self) -> int:
        return capability_mask(self.world, self.hca)


def devices(context: Context) -> list[Device]:
    """Every RDMA device, in the order in which the driver found them."""
    if not modules.is_loaded(context.world, context.host, _MODULE):
        return []
    return [Device(context.world, hca) for hca in context.node.hcas]


def by_name(context: Context) -> list[Device]:
    """Every RDMA device, sorted by name as a listing of /sys/class/infiniband is: mlx5_0, mlx5_1, mlx5_10."""
    return sorted(devices(context), key=lambda device: device.name)


def local_device(context: Context, parsed: Parsed) -> Device | None:
    """The device whose port a program opens; None, with the library's warning, where it can't."""
    wanted = parsed["Ca"]
    chosen = _choose(by_name(context), wanted) if context.is_root else None
    number = parsed["Port"] or "0"
    if chosen is None or number not in ("0", "1"):
        warn(context, "mad_rpc_open_port", f"can't open UMAD port ({wanted or '(null)'}:{number})")
        return None
    return chosen


def _choose(found: list[Device], wanted: str | None) -> Device | None:
    if wanted:
        return next((device for device in found if device.name == wanted), None)
    usable = [device for device in found if not device.ethernet]
    active = [device for device in usable if device.state is LogicalState.ACTIVE]
    linked = [device for device in usable if device.physical is PhysicalState.LINK_UP]
    return next(iter((*active, *linked, *usable)), None)
