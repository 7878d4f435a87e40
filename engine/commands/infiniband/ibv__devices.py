"""ibv_devices of libibverbs: names and node GUIDs of the RDMA devices. Format: device_list.c of rdma-core 54."""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import devices
from engine.control.containers.inside import sees_infiniband


def run(context: Context) -> int:
    """Print the table; arguments are not looked at."""
    context.line(f"    {'device':<16}\t   node GUID")
    context.line(f"    {'------':<16}\t----------------")
    reachable = sees_infiniband(context.world, context.host, context.environment)
    for device in devices(context) if reachable else ():
        context.line(f"    {device.name:<16}\t{device.hca.guid:016x}")
    return 0


COMMAND = Command(
    "ibv_devices",
    "list RDMA devices",
    run,
    synopsis="ibv_devices",
    manual="Lists the RDMA devices that can be used from user space. Takes no options.",
)
