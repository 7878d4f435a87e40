"""sminfo of infiniband-diags: asks a subnet manager for its SMInfo. Format: sminfo.c of rdma-core 54.

Without a manager at the LID nobody answers: libibmad tries three times, a second each.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import local_device
from engine.commands.infiniband._diags.program import fail, program, warn
from engine.commands.options import Option, Parsed
from engine.control.subnet_manager.managers import activity, manager_at
from engine.kernel.units import SECOND

OPTIONS = (
    Option("s", "state", "0-3", help="(not modelled) set the manager's state"),
    Option("p", "priority", "0-15", help="(not modelled) set its priority"),
    Option("a", "activity", "val", help="(not modelled) set its activity count"),
)
_WAITED = 3 * SECOND


async def run(context: Context, parsed: Parsed) -> int:
    """Ask the manager of the local port, or the one at a LID."""
    if len(parsed.operands) > 1:
        return context.not_modelled("sminfo with a modifier")
    device = local_device(context, parsed)
    if device is None:
        raise fail(context, f"Failed to open '{parsed['Ca'] or '(null)'}' port '{parsed['Port'] or 0}'")
    number = _destination(context, parsed, device.manager_lid)
    manager = manager_at(context.world, number) if number else None
    if manager is None:
        await context.sleep(_WAITED)
        route = f"Lid {number}" if number else "DR path slid 0; dlid 0; 0"
        warn(context, "mad_rpc", f"_do_madrpc failed; dport ({route})")
        raise fail(context, "query")
    state, name = manager.state.value
    count = activity(context.world, manager, context.now)
    guid = f"0x{manager.hca.port_guid:x}"
    told = f"activity count {count} priority {manager.priority} state {state} {name}"
    context.line(f"sminfo: sm lid {number} sm guid {guid}, {told}")
    return 0


def _destination(context: Context, parsed: Parsed, usual: int) -> int:
    if not parsed.operands:
        return usual
    try:
        return int(parsed.operands[0], 0)
    except ValueError:
        raise fail(context, f"can't resolve destination port {parsed.operands[0]}") from None


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
