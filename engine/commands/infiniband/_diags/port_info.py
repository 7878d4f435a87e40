"""PortInfo of a port as libibmad dumps it, field by field; smpquery, ibportstate and saquery show parts of it.

Formats: dump.c and fields.c of libibmad, rdma-core 54, and runs of the real tools. What opensm sets: SubnetTimeout 18,
error thresholds 8, a stall count of 7, lifetimes at the head of the queue (its defaults, and captures). Guesses: the
virtual lanes and arbitration entries of adapters, GUID capacity, capability bits of a switch and of the second mask,
that adapters and switches of a generation support all speeds below it.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.infiniband._diags import link_text
from engine.commands.infiniband._diags.discovery import Node, Port
from engine.control.subnet_manager.lids import manager_lid
from engine.control.subnet_manager.managers import capability_mask, manager_bit
from engine.physics import links
from engine.world.inventory import Hca
from engine.world.records import LogicalState, PhysicalState
from engine.world.world import World

PREFIX = 0xFE80_0000_0000_0000
NOT_SHOWN = "<not displayed>"
GUID_CAPACITY = {True: 0, False: 8}
"""How many GUIDs a port may have, of switches and of adapters."""

_WIDTHS = "1X or 4X or 2X"
_FIRST_EXTENDED = 56
_SWITCH_CAPABILITIES = 0x4250C848
_CAPABILITIES = {
    1: "IsSM", 2: "IsNoticeSupported", 3: "IsTrapSupported", 4: "IsOptionalIPDSupported",
    5: "IsAutomaticMigrationSupported", 6: "IsSLMappingSupported", 7: "IsMKeyNVRAM", 8: "IsPKeyNVRAM",
    9: "IsLedInfoSupported", 10: "IsSMdisabled", 11: "IsSystemImageGUIDsupported",
    12: "IsPkeySwitchExternalPortTrapSupported", 14: "IsExtendedSpeedsSupported", 15: "IsCapabilityMask2Supported",
    16: "IsCommunicatonManagementSupported", 17: "IsSNMPTunnelingSupported", 18: "IsReinitSupported",
    19: "IsDeviceManagementSupported", 20: "IsVendorClassSupported", 21: "IsDRNoticeSupported",
    22: "IsCapabilityMaskNoticeSupported", 23: "IsBootManagementSupported", 24: "IsLinkRoundTripLatencySupported",
    25: "IsClientRegistrationSupported", 26: "IsOtherLocalChangesNoticeSupported",
    27: "IsLinkSpeedWidthPairsTableSupported", 28: "IsVendorSpecificMadsTableSupported",
    29: "IsMcastPkeyTrapSuppressionSupported", 30: "IsMulticastFDBTopSupported", 31: "IsHierarchyInfoSupported",
}  # fmt: skip
_CAPABILITIES_2 = {
    0: "IsSetNodeDescriptionSupported", 1: "IsPortInfoExtendedSupported", 2: "IsVirtualizationSupported",
    3: "IsSwitchPortStateTableSupported", 4: "IsLinkWidth2xSupported", 5: "IsLinkSpeedHDRSupported",
    6: "IsMKeyProtectBitsExtSupported", 7: "IsEnhancedTrap128Supported", 8: "IsPartitionTopSupported",
    9: "IsEnhancedQoSArbiterSupported", 10: "IsLinkSpeedNDRSupported",
}  # fmt: skip
_SECOND_MASK = 0x32
_SPEED_BITS = {200: 1 << 5, 400: 1 << 10}

Fields = Iterator[tuple[str, str]]


def dotted(name: str, value: str) -> str:
    """A field as libibmad writes it: dots up to the 33rd column."""
    return f"{name}:".ljust(33, ".") + value


def port_zero(node: Node) -> Port:
    """A switch's own port, which is always up."""
    return Port(node, 0, LogicalState.ACTIVE, PhysicalState.LINK_UP, links.LOWEST_RATE)


def port_info(world: World, port: Port, keys: bool = False) -> Fields:
    """All of it, as smpquery shows it."""
    own = _bears_lid(port)
    yield "Mkey", f"0x{0:016x}" if keys else NOT_SHOWN
    yield "GidPrefix", f"0x{PREFIX if own else 0:016x}"
    yield from _lids(world, port)
    yield "CapMask", _names(capabilities(world, port), _CAPABILITIES)
    yield "DiagCode", "0x0000"
    yield "MkeyLeasePeriod", "0"
    yield "LocalPort", str(port.node.arrival)
    yield "LinkWidthEnabled", _WIDTHS
    yield "LinkWidthSupported", _WIDTHS
    yield "LinkWidthActive", f"{port.lanes}X"
    yield "LinkSpeedSupported", _plain(port)
    yield "LinkState", link_text.STATES[port.state]
    yield "PhysLinkState", port.physical.value[1]
    yield "LinkDownDefState", "Polling"
    yield "ProtectBits", "0"
    yield "LMC", "0"
    yield "LinkSpeedActive", _active(port)
    yield "LinkSpeedEnabled", _plain(port)
    yield from _lanes_and_queues(world, port)
    yield from _rights_and_limits(port)
    yield "CapabilityMask2", _names(_second_mask(port), _CAPABILITIES_2)
    yield "LinkSpeedExtActive", _extended(port)
    yield "LinkSpeedExtSupported", _wide(port)
    yield "LinkSpeedExtEnabled", _wide(port)


def port_states(world: World, port: Port, keys: bool = False) -> Fields:
    """What ibportstate shows."""
    yield "LinkState", link_text.STATES[port.state]
    yield "PhysLinkState", port.physical.value[1]
    yield from _lids(world, port)
    yield "LMC", "0"
    yield "LinkWidthSupported", _WIDTHS
    yield "LinkWidthEnabled", _WIDTHS
    yield "LinkWidthActive", f"{port.lanes}X"
    yield "LinkSpeedSupported", _plain(port)
    yield "LinkSpeedEnabled", _plain(port)
    yield "LinkSpeedActive", _active(port)
    yield "LinkSpeedExtSupported", _wide(port)
    yield "LinkSpeedExtEnabled", _wide(port)
    yield "LinkSpeedExtActive", _extended(port)
    if _bears_lid(port):
        yield "Mkey", f"0x{0:016x}" if keys else NOT_SHOWN
        yield "MkeyLeasePeriod", "0"
        yield "ProtectBits", "0"


def capabilities(world: World, port: Port) -> int:
    """What a port says that it can do; ports of switches but the first say nothing."""
    device = links.place(world.inventory, port.node.port_id(1)).device
    if isinstance(device, Hca):
        return capability_mask(world, device)
    return _SWITCH_CAPABILITIES | manager_bit(world, port.id) if port.number == 0 else 0


def mtu_number(octets: int) -> int:
    """How an MTU is numbered: 4096 is 5."""
    return (octets // 256).bit_length()


def _lids(world: World, port: Port) -> Fields:
    own = _bears_lid(port)
    yield "Lid", str(port.lid) if own else "0"
    yield "SMLid", str(manager_lid(world, port.node.port_id(1))) if own else "0"


def _bears_lid(port: Port) -> bool:
    return not port.node.is_switch or port.number == 0


def _lanes_and_queues(world: World, port: Port) -> Fields:
    lanes, entries = ("VL0-7", "8") if port.node.is_switch else ("VL0-3", "4")
    yield "NeighborMTU", str(links.mtu(world, port.id) if port.number else links.LARGEST_MTU)
    yield "SMSL", "0"
    yield "VLCap", lanes
    yield "InitType", "0x00"
    yield "VLHighLimit", "0"
    yield "VLArbHighCap", entries
    yield "VLArbLowCap", entries
    yield "InitReply", "0x00"
    yield "MtuCap", str(links.LARGEST_MTU)
    yield "VLStallCount", str(link_text.STALL_COUNT if port.number else 0)
    yield "HoqLife", str(link_text.queue_life(port))
    yield "OperVLs", "VL0-3" if port.far is None or not port.far.node.is_switch else lanes


def _rights_and_limits(port: Port) -> Fields:
    own = _bears_lid(port)
    yield from ((name, "0") for name in ("PartEnforceInb", "PartEnforceOutb", "FilterRawInb", "FilterRawOutb"))
    yield from ((name, "0") for name in ("MkeyViolations", "PkeyViolations", "QkeyViolations"))
    yield "GuidCap", str(GUID_CAPACITY[port.node.is_switch])
    yield "ClientReregister", "0"
    yield "McastPkeyTrapSuppressionEnabled", "0"
    yield "SubnetTimeout", "18" if own else "0"
    yield "RespTimeVal", "16" if own else "0"
    yield "LocalPhysErr", "8"
    yield "OverrunErr", "8"
    yield "MaxCreditHint", "0"
    yield "RoundTrip", "0"


def _second_mask(port: Port) -> int:
    if not _bears_lid(port):
        return 0
    return _SECOND_MASK | sum(bit for rate, bit in _SPEED_BITS.items() if rate <= port.node.best_rate)


def _names(mask: int, known: dict[int, str]) -> str:
    """A mask with a line for each of its bits."""
    return "".join([f"0x{mask:x}", *(f"\n\t\t\t\t{name}" for bit, name in known.items() if mask >> bit & 1)])


def _speeds(low: int, high: int) -> str:
    return " or ".join(f"{speed.lane} Gbps" for speed in links.SPEEDS if low <= speed.rate <= high)


def _plain(port: Port) -> str:
    return _speeds(0, min(port.node.best_rate, _FIRST_EXTENDED - 1))


def _wide(port: Port) -> str:
    return _speeds(_FIRST_EXTENDED, port.node.best_rate) or "0"


def _active(port: Port) -> str:
    return "10.0 Gbps" if port.state is not LogicalState.DOWN and port.number else "2.5 Gbps"


def _extended(port: Port) -> str:
    fast = port.state is not LogicalState.DOWN and port.generation.rate >= _FIRST_EXTENDED
    return f"{port.generation.lane} Gbps" if fast else "No Extended Speed"
