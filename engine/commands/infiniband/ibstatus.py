"""ibstatus of infiniband-diags: the ports of this host's RDMA devices as sysfs words them. Modelled on the script of
rdma-core 54.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import Device, by_name
from engine.commands.options import Option
from engine.physics import links
from engine.world.records import LogicalState

_FATAL = 255
_STATES = {
    LogicalState.DOWN: "DOWN",
    LogicalState.INITIALIZING: "INIT",
    LogicalState.ARMED: "ARMED",
    LogicalState.ACTIVE: "ACTIVE",
}
_SUBNET = 0xFE80_0000_0000_0000
_USAGE = """\
Usage:  ibstatus [-h] [devname[:portnum]]
	-h:	this help screen
	Without a device, the ports of all devices are shown.
"""


def run(context: Context) -> int:
    """Show all ports, or those of the named devices."""
    words = context.arguments
    if words and words[0] in ("-h", "--help"):
        context.write(_USAGE)
        return _FATAL
    known = by_name(context)
    if not words and not known:
        context.line("Fatal error:  No devices")
        return _FATAL
    chosen = [word.partition(":") for word in words] or [(device.name, "", "") for device in known]
    for name, _, port in chosen:
        device = next((found for found in known if found.name == name), None)
        if device is None:
            folder = f"/sys/class/infiniband/{name}/ports"
            context.line(f"Fatal error:  device '{name}': sys files not found ({folder})")
            return _FATAL
        for text in _port(device, port or "1"):
            context.line(text)
    return 0


def _port(device: Device, port: str) -> Iterator[str]:
    known = port == "1"
    values = dict(_values(device)) if known else {}
    yield f"Infiniband device '{device.name}' port {port} status:"
    for label in (
        "default gid:\t",
        "base lid:\t",
        "sm lid:\t\t",
        "state:\t\t",
        "phys state:\t",
        "rate:\t\t",
        "link_layer:\t",
    ):
        name = label.strip().rstrip(":")
        yield f"\t{label} {values.get(name, 'IB' if name == 'link_layer' else 'unknown')}"
    yield ""


def _values(device: Device) -> Iterator[tuple[str, str]]:
    gid = f"{_SUBNET << 64 | device.port_guid:032x}"
    state, physical = device.state, device.physical
    yield "default gid", ":".join(gid[place : place + 4] for place in range(0, 32, 4))
    yield "base lid", f"0x{device.lid:x}"
    yield "sm lid", f"0x{device.manager_lid:x}"
    yield "state", f"{state.value[0]}: {_STATES[state]}"
    yield "phys state", f"{physical.value[0]}: {physical.value[1]}"
    lanes, generation = links.lanes(device.world, device.hca.port), links.generation(device.world, device.hca.port)
    yield "rate", f"{device.rate} Gb/sec ({lanes}X {generation.name})"
    yield "link_layer", device.hca.link_layer


COMMAND = Command(
    "ibstatus",
    "query basic status of InfiniBand device(s)",
    run,
    synopsis="ibstatus [-h] [devname[:port]]...",
    options=(Option("h", help="print the usage"),),
    manual="Shows GID, LIDs, state, physical state and rate of ports as the kernel words them. Needs no root.",
    path="/usr/sbin",
    section=8,
)
