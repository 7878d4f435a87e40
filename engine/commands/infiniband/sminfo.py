"""sminfo of infiniband-diags: asks a subnet manager for its SMInfo. Format: sminfo.c of rdma-core 54.

Without a manager there nobody answers: libibmad tries three times, a second each.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.infiniband._diags.destination import destination, opened, silence
from engine.commands.infiniband._diags.devices import Device, local_device
from engine.commands.infiniband._diags.program import fail, program
from engine.commands.options import Option, Parsed
from engine.control.subnet_manager.managers import activity, manager_at

OPTIONS = (
    Option("s", "state", "<0-3>", help="(not modelled) set the manager's state"),
    Option("p", "priority", "<0-15>", help="(not modelled) set its priority"),
    Option("a", "activity", "<val>", help="(not modelled) set its activity count"),
)


async def run(context: Context, parsed: Parsed) -> int:
    """Ask the manager of the local port, or the one at a LID or at the end of a direct route."""
    if len(parsed.operands) > 1:
        return context.not_modelled("sminfo with a modifier")
    device = opened(context, parsed, local_device(context, parsed))
    text, shown, real = await _where(context, parsed, device)
    manager = manager_at(context.world, real) if real else None
    if manager is None:
        await silence(context, text)
        raise fail(context, "query")
    state, name = manager.state.value
    count = activity(context.world, manager, context.now)
    guid = f"0x{manager.guid:x}"
    told = f"activity count {count} priority {manager.priority} state {state} {name}"
    context.line(f"sminfo: sm lid {shown} sm guid {guid}, {told}")
    return 0


async def _where(context: Context, parsed: Parsed, device: Device) -> tuple[str, int, int]:
    """The address as it is written, the LID that is shown (0 for a direct route), and the LID of who is there."""
    if not parsed.operands:
        usual = device.manager_lid
        return (f"Lid {usual}" if usual else "DR path slid 0; dlid 0; 0"), usual, usual
    found = await destination(context, device, parsed, parsed.operands[0])
    return found.text, found.lid, found.node.lid if found.node else 0


COMMAND = program(
    "sminfo",
    "query InfiniBand SMInfo attribute",
    run,
    options=OPTIONS,
    without="sK",
    operands="<sm_lid|sm_dr_path> [modifier]",
    missing=("state", "priority", "activity"),
    manual="Shows LID, GUID, activity count, priority and state of a subnet manager: by default of "
    "the one that set up the\n"
    "local port. Needs root.",
)
