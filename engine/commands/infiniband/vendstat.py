"""vendstat of infiniband-diags: asks a device of Mellanox for its hardware and firmware.

Format: vendstat.c of rdma-core 54, which takes the firmware's version of newer devices from the older field. Guesses:
build number, date and versions of the tables and of the software, which are 0 here.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.infiniband._diags.destination import destination, local_port, opened, silence
from engine.commands.infiniband._diags.devices import local_device
from engine.commands.infiniband._diags.discovery import device as device_of
from engine.commands.infiniband._diags.node_info import REVISION
from engine.commands.infiniband._diags.program import fail, program
from engine.commands.options import Option, Parsed
from engine.kernel.units import SECOND
from engine.world.inventory import Hca

OPTIONS = (
    Option("N", help="show hardware and firmware"),
    Option("w", help="(not modelled) ticks of waiting of an InfiniScale III"),
    Option("i", help="(not modelled) groups of counters"),
    Option("c", argument="<num,num>", help="(not modelled) set groups of counters"),
    Option("R", "Read", "<addr,mask>", help="(not modelled) read the configuration space"),
    Option("W", "Write", "<addr,val,mask>", help="(not modelled) write the configuration space"),
)


async def run(context: Context, parsed: Parsed) -> int:
    """`vendstat -N LID`."""
    device = opened(context, parsed, local_device(context, parsed))
    if parsed.operands:
        where = await destination(context, device, parsed, parsed.operands[0])
    else:
        where = local_port(context, device)
    if "N" not in parsed:
        raise fail(context, "at least one of -N and -w must be specified")
    if where.node is None:
        await silence(context, where.text, "mad_rpc_rmpp")
        context.error("vendstat: method 1, attribute 1 failure")
        raise fail(context, "classportinfo query")
    found = device_of(context.world, where.node)
    version = [int(part) for part in found.firmware.split(".")]
    hosted = isinstance(found, Hca) and found.node in context.inventory.node_index
    up = (context.now - context.world.nodes[found.node].booted_at) // SECOND if isinstance(found, Hca) and hosted else 0
    context.line(f"hw_dev_rev:  0x{REVISION[where.node.is_switch]:04x}")
    context.line(f"hw_dev_id:   0x{where.node.part:04x}")
    context.line(f"hw_uptime:   0x{up:08x}")
    context.line("fw_version:  " + ".".join(f"{part & 0xFF:02d}" for part in version))
    context.line("fw_build_id: 0x0000")
    context.line("fw_date:     00/00/0000")
    context.line(f"fw_psid:     '{found.board_id if isinstance(found, Hca) else ''}'")
    context.line("fw_ini_ver:  0")
    context.line("sw_version:  00.00.00")
    return 0


COMMAND = program(
    "vendstat",
    "query InfiniBand vendor specific functions",
    run,
    options=OPTIONS,
    without="DKy",
    operands="<lid|guid> [port]",
    missing=("w", "i", "c", "Read", "Write"),
    manual="-N shows hardware and firmware of a device by LID or, with -G, port GUID. Needs root.",
    examples=("-N 6\t\t# hardware and firmware",),
)
