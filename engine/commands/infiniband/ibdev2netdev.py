"""ibdev2netdev of mlnx-tools: which network interface belongs to which RDMA port, and whether that interface is up.

Format: captures of hosts with ConnectX-7; devices in the order of a directory listing. It tells of the interface: a
native InfiniBand port without IPoIB set up is (Down) here while the port itself is Active.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import Device, by_name
from engine.commands.options import Option
from engine.control import network

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
    if words and words[0] in ("-v", "--verbose"):
        return context.not_modelled("ibdev2netdev -v")
    if len(words) > 1:
        context.write(_USAGE)
        return 255
    for device in by_name(context):
        context.line(f"{device.name} port 1 ==> {device.hca.netdev} ({_state(context, device)})")
    return 0


def _state(context: Context, device: Device) -> str:
    interface = network.interface(context.world, context.host, device.hca.netdev)
    return "Up" if interface and interface.up and interface.carrier else "Down"


COMMAND = Command(
    "ibdev2netdev",
    "show which network interfaces belong to RDMA devices",
    run,
    synopsis="ibdev2netdev [-h] [-v]",
    options=(Option("h", "help", help="print the usage"), Option("v", "verbose", help="(not modelled) print more")),
    manual="Up and Down are states of the network interface (IPoIB or Ethernet), not of the RDMA "
    "port; ibstat shows that.",
    section=8,
)
