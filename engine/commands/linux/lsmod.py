"""lsmod of kmod 31: the kernel modules in memory."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import KMOD, program
from engine.commands.options import Parsed
from engine.control import modules


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the table, the newest module first."""
    if parsed.operands:
        ctx.error("Usage: lsmod")
        return 1
    ctx.line("Module                  Size  Used by")
    for module in modules.loaded(ctx.world, ctx.host):
        users = f" {','.join(module.used_by)}" if module.used_by else ""
        ctx.line(f"{module.name:<19} {module.size:>8}  {module.refs}{users}")
    return 0


COMMAND = program(
    "lsmod",
    "show the kernel modules in memory",
    run,
    suite=KMOD,
    path="/usr/sbin",
    section=8,
    manual="The number under `Used by` counts modules and programs that hold it; a module can be removed when it is 0.",
)
