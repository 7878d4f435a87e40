"""ibv_devinfo of libibverbs: attributes of the RDMA devices and their ports. Format: devinfo.c of rdma-core 54, capture
of a ConnectX-7.

The active MTU is 4096 on InfiniBand; on Ethernet it is the largest of 256 to 4096 that fits into the interface's MTU
with headers, and 1024 when down (capture).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import Device, devices
from engine.commands.options import Option, Parsed, UsageError, parse
from engine.control.containers.inside import sees_infiniband
from engine.physics import host_interfaces, links
from engine.world.records import LogicalState

OPTIONS = (
    Option("d", "ib-dev", "dev", help="only this device"),
    Option("i", "ib-port", "port", help="only this port"),
    Option("l", "list", help="only the names"),
    Option("v", "verbose", help="(not modelled) every attribute"),
)
_FAILED = 255
_MTUS = ((4096, 5), (2048, 4), (1024, 3), (512, 2), (256, 1))
_LARGEST_MTU = _MTUS[0]
_STATES = {
    LogicalState.DOWN: "PORT_DOWN",
    LogicalState.INITIALIZING: "PORT_INIT",
    LogicalState.ARMED: "PORT_ARMED",
    LogicalState.ACTIVE: "PORT_ACTIVE",
}


def _usage() -> str:
    rows = [
        f"  -{o.short}, --{o.long + (f'=<{o.argument}>' if o.argument else ''):<18} {o.help}\n"
        for o in OPTIONS
        if o.long
    ]
    return "Usage: ibv_devinfo             print the attributes of RDMA devices\n\nOptions:\n" + "".join(rows)


def run(context: Context) -> int:
    """Show the devices that were asked for."""
    if context.arguments in (("--help",), ("-h",)):
        context.write(_usage())
        return 0
    try:
        parsed = parse("ibv_devinfo", OPTIONS, context.arguments, status=_FAILED)
    except UsageError as error:
        context.stderr.write(error.text.encode())
        context.write(_usage())
        return _FAILED
    if "verbose" in parsed:
        return context.not_modelled("ibv_devinfo --verbose")
    reachable = sees_infiniband(context.world, context.host, context.environment)
    found = devices(context) if reachable else []
    if "list" in parsed:
        names = [f"\t{device.name}" for device in found]
        context.write("\n".join([f"{len(found)} HCA{'s' if len(found) != 1 else ''} found:", *names, "", ""]))
        return 0
    return _show(context, parsed, found)


def _show(context: Context, parsed: Parsed, found: list[Device]) -> int:
    wanted, port = parsed["ib_dev"], _port_number(parsed["ib_port"])
    if port is not None and port <= 0:
        context.write(_usage())
        return 1
    chosen = [device for device in found if wanted in (None, device.name)]
    if not chosen:
        context.error(f"IB device '{wanted}' wasn't found" if wanted else "No IB devices found")
        return _FAILED
    if port is not None and port > 1:
        context.error("Invalid port requested for device")
        return _FAILED
    for device in chosen:
        for text in _lines(context, device):
            context.line(text)
    return 0


def _port_number(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return int(text, 0)
    except ValueError:
        return 0


def _lines(context: Context, device: Device) -> Iterator[str]:
    hca = device.hca
    yield f"hca_id:\t{hca.name}"
    yield "\ttransport:\t\t\tInfiniBand (0)"
    yield f"\tfw_ver:\t\t\t\t{hca.firmware}"
    yield f"\tnode_guid:\t\t\t{_guid(hca.guid)}"
    yield f"\tsys_image_guid:\t\t\t{_guid(device.system_guid)}"
    yield f"\tvendor_id:\t\t\t0x{device.vendor:04x}"
    yield f"\tvendor_part_id:\t\t\t{device.part}"
    yield "\thw_ver:\t\t\t\t0x0"
    yield f"\tboard_id:\t\t\t{hca.board_id}"
    yield "\tphys_port_cnt:\t\t\t1"
    yield "\t\tport:\t1"
    active, number = _active_mtu(context, device)
    yield f"\t\t\tstate:\t\t\t{_STATES[device.state]} ({device.state.value[0]})"
    yield f"\t\t\tmax_mtu:\t\t{_LARGEST_MTU[0]} ({_LARGEST_MTU[1]})"
    yield f"\t\t\tactive_mtu:\t\t{active} ({number})"
    yield f"\t\t\tsm_lid:\t\t\t{device.manager_lid}"
    yield f"\t\t\tport_lid:\t\t{device.lid}"
    yield "\t\t\tport_lmc:\t\t0x00"
    yield f"\t\t\tlink_layer:\t\t{hca.link_layer}"
    yield ""


def _active_mtu(context: Context, device: Device) -> tuple[int, int]:
    if not device.ethernet:
        running = links.mtu(context.world, device.hca.port)
        return next(known for known in _MTUS if known[0] <= running)
    size = host_interfaces.roce_payload(host_interfaces.port_mtu(context.world, device.hca))
    return next(known for known in _MTUS if known[0] == size)


def _guid(guid: int) -> str:
    text = f"{guid:016x}"
    return ":".join(text[place : place + 4] for place in range(0, 16, 4))


COMMAND = Command(
    "ibv_devinfo",
    "query RDMA devices",
    run,
    synopsis="ibv_devinfo [-d device] [-i port] [-l]",
    options=OPTIONS,
    manual="Shows firmware, GUIDs, board and ports of RDMA devices as programs find them through "
    "libibverbs. Needs no root.",
)
