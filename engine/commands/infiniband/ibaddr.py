"""ibaddr of infiniband-diags: the GID and the range of LIDs of a port.

Format: ibaddr.c of rdma-core 54, and runs of the real tool.
"""

from __future__ import annotations

from ipaddress import IPv6Address

from engine.commands.context import Context
from engine.commands.infiniband._diags.destination import answer, destination, local_port, opened
from engine.commands.infiniband._diags.devices import local_device
from engine.commands.infiniband._diags.port_info import PREFIX
from engine.commands.infiniband._diags.program import program
from engine.commands.options import Option, Parsed

OPTIONS = (
    Option("g", "gid_show", help="only the GID"),
    Option("l", "lid_show", help="only the LIDs"),
    Option("L", "Lid_show", help="only the LIDs, in decimal"),
)


async def run(context: Context, parsed: Parsed) -> int:
    """Of the local port, or of another by LID, GUID or direct route."""
    device = opened(context, parsed, local_device(context, parsed))
    if parsed.operands:
        where = await destination(context, device, parsed, parsed.operands[0])
    else:
        where = local_port(context, device)
    node = await answer(context, where, "can't resolve requested address")
    lids, decimal, gid = (name in parsed for name in ("lid_show", "Lid_show", "gid_show"))
    both = not (lids or decimal or gid)
    text = f"GID {IPv6Address(PREFIX << 64 | node.port_guid)} " if gid or both else ""
    if decimal:
        text += f"LID start {node.lid} end {node.lid}"
    elif lids or both:
        text += f"LID start 0x{node.lid:x} end 0x{node.lid:x}"
    context.line(text)
    return 0


COMMAND = program(
    "ibaddr",
    "query InfiniBand address(es)",
    run,
    options=OPTIONS,
    without="KL",
    operands="[<lid|dr_path|guid>]",
    manual="Shows GID and LIDs of the local port, or of another by LID, GUID (-G) or direct route (-D). Needs root.",
    examples=("\t\t# the local port", "32\t\t# the port with LID 32", "-L 32\t# its LIDs in decimal"),
)
