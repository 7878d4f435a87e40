"""ibsysstat of infiniband-diags: asks a program `ibsysstat -S` on another host for its name or processors.

Format: ibsysstat.c of rdma-core 54. Without an answer it gives up after a second.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.infiniband._diags.destination import destination, opened
from engine.commands.infiniband._diags.devices import local_device
from engine.commands.infiniband._diags.program import USAGE, fail, program
from engine.commands.infiniband._diags.servers import answers, serve
from engine.commands.options import Option, Parsed, UsageError
from engine.kernel.units import SECOND

OPTIONS = (Option("o", "oui", "<val>", help="use this OUI"), Option("S", "Server", help="answer others"))
_QUESTIONS = ("ping", "host", "cpu")


async def run(context: Context, parsed: Parsed) -> int:
    """`ibsysstat LID [ping|host|cpu]`."""
    question = parsed.operands[1] if len(parsed.operands) > 1 else "ping"
    if question not in _QUESTIONS or not (parsed.operands or "Server" in parsed):
        raise UsageError("\nUsage: ibsysstat [options] <dest lid|guid> [<op>]\n\n", USAGE)
    device = opened(context, parsed, local_device(context, parsed))
    if "Server" in parsed:
        return await serve(context, device)
    where = await destination(context, device, parsed, parsed.operands[0])
    host = answers(context.world, "ibsysstat", where.node) if where.node else None
    if host is None:
        await context.sleep(SECOND)
        raise fail(context, f"ibsystat to {where.text}: Connection timed out")
    if question == "cpu":
        return context.not_modelled("ibsysstat cpu")
    context.line("sysstat ping succeeded" if question == "ping" else host)
    return 0


COMMAND = program(
    "ibsysstat",
    "system status on an InfiniBand address",
    run,
    options=OPTIONS,
    without="DKy",
    operands="<dest lid|guid> [<op>]",
    manual="Asks `ibsysstat -S`, which has to run on that host: ping, host or cpu. Needs root on both.",
)
