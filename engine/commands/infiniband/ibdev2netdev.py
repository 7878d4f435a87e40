"""ibdev2netdev of mlnx-tools: which network interface belongs to which RDMA port, and whether that interface is up.

Format: the script of mlnx-tools, captures of hosts with ConnectX-7; devices in the order of a directory listing. What
-v takes from the card's VPD only root can read; to others it is empty. It tells of the interface: a
native InfiniBand port without IPoIB set up is (Down) here while the port itself is Active.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import Device, by_name
from engine.commands.mellanox._mft.devices import printed
from engine.commands.options import Option
from engine.control import network
from engine.world.records import LogicalState

_PORT_STATES = {
    LogicalState.DOWN: "DOWN", LogicalState.INITIALIZING: "INIT", LogicalState.ARMED: "ARMED",
    LogicalState.ACTIVE: "ACTIVE",
}  # fmt: skip

_USAGE = """\
ibdev2netdev <options>
-h, --help                print help message
-v, --verbose             print more info
"""


def run(context: Context) -> int:
    """A line for each port that has an interface."""
    words = context.arguments
    if words and words[0] in ("-h", "--help"):
        context.write(_USAGE)
        return 0
    if len(words) > 1 or (words and words[0] != "-v"):
        context.write(_USAGE)
        return 255
    for device in by_name(context):
        interface = f"{device.hca.netdev} ({_state(context, device)})"
        start = _details(context, device) if words else f"{device.name} port 1"
        context.line(f"{start} ==> {interface}")
    return 0


def _details(context: Context, device: Device) -> str:
    """PCI address, device, part, description, firmware, state of the RDMA port."""
    hca, card = device.hca, printed(device.hca)
    part, text = (card.part.partition("_")[0], card.description.rstrip(";")) if context.is_root else ("", "")
    named = f"(MT{device.part} - {part:<11}) {text:<15}"
    return f"{hca.address} {hca.name} {named} fw {hca.firmware} port 1 ({_PORT_STATES[device.state]:<6})"


def _state(context: Context, device: Device) -> str:
    interface = network.interface(context.world, context.host, device.hca.netdev)
    return "Up" if interface and interface.up and interface.carrier else "Down"


COMMAND = Command(
    "ibdev2netdev",
    "show which network interfaces belong to RDMA devices",
    run,
    synopsis="ibdev2netdev [-h] [-v]",
    options=(Option("h", "help", help="print the usage"), Option("v", "verbose", help="print more")),
    manual="Up and Down are states of the network interface (IPoIB or Ethernet), not of the RDMA "
    "port; ibstat shows that.",
    section=8,
)
