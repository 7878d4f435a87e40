"""ibstat of infiniband-diags: the RDMA devices of this host and the states of their ports.

Format: ibstat.c of rdma-core 54; captures of ConnectX-7 ports (up, down, RoCE, without a subnet manager). It reads
sysfs and needs no root.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import Device, by_name
from engine.commands.infiniband._diags.program import panic, program, warn
from engine.commands.options import Option, Parsed

OPTIONS = (
    Option("l", "list_of_cas", help="list the names of all devices"),
    Option("s", "short", help="without the ports"),
    Option("p", "port_list", help="list the GUIDs of the ports"),
)
_HARDWARE_VERSION = "0"


def run(context: Context, parsed: Parsed) -> int:
    """Show one device or all."""
    known = by_name(context)
    if parsed.operands:
        known = [device for device in known if device.name == parsed.operands[0]]
        if not known:
            raise panic(context, f"'{parsed.operands[0]}' IB device can't be found: Success")
    port = _port_number(parsed.operands[1]) if len(parsed.operands) > 1 else None
    status = 0
    for device in known:
        if "port_list" in parsed:
            context.line(f"0x{device.port_guid:016x}")
        elif "list_of_cas" in parsed:
            context.line(device.name)
        else:
            status = _show(context, device, port, "short" in parsed) or status
    return status


def _show(context: Context, device: Device, port: int | None, short: bool) -> int:
    if port is not None and not short:
        if port != 1:
            warn(context, "ca_stat", f"CA: '{device.name}' has no port number {port} - max (1)")
            warn(context, "main", f"stat of IB device '{device.name}' failed")
            return 0
        context.line(f"CA: '{device.name}'")
        lines = ["Port 1:", *_port(device)]
    else:
        ports = [] if short else ["\tPort 1:", *(f"\t\t{text}" for text in _port(device))]
        lines = [*_adapter(device), *ports]
    for text in lines:
        context.line(text)
    return 0


def _adapter(device: Device) -> Iterator[str]:
    hca = device.hca
    yield f"CA '{hca.name}'"
    yield f"\tCA type: {hca.model}"
    yield "\tNumber of ports: 1"
    yield f"\tFirmware version: {hca.firmware}"
    yield f"\tHardware version: {_HARDWARE_VERSION}"
    yield f"\tNode GUID: 0x{hca.guid:016x}"
    yield f"\tSystem image GUID: 0x{device.system_guid:016x}"


def _port(device: Device) -> Iterator[str]:
    yield f"State: {device.state.value[1]}"
    yield f"Physical state: {device.physical.value[1]}"
    yield f"Rate: {device.rate}"
    yield f"Base lid: {device.lid}"
    yield "LMC: 0"
    yield f"SM lid: {device.manager_lid}"
    yield f"Capability mask: 0x{device.capabilities:08x}"
    yield f"Port GUID: 0x{device.port_guid:016x}"
    yield f"Link layer: {device.hca.link_layer}"


def _port_number(text: str) -> int:
    """As strtol(3) reads it: nonsense is 0."""
    try:
        return int(text, 0)
    except ValueError:
        return 0


COMMAND = program(
    "ibstat",
    "query basic status of InfiniBand device(s)",
    run,
    options=OPTIONS,
    without="CDeGKLPsty",
    operands="<ca_name> [portnum]",
    manual="State is the logical state: Down, Initializing (no subnet manager has set the port up), Armed, Active.\n"
    "Physical state is the link's: Polling (looking for a partner), Disabled, LinkUp. Rate is in "
    "Gb/s; a port without a\n"
    "link shows the lowest one.",
)
