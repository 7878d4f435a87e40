"""depmod of kmod 31: the lists of modules are worked out whenever somebody looks, so that there is nothing to do."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import KMOD, program
from engine.commands.options import Option, Parsed
from engine.control import kernels


def run(ctx: Context, parsed: Parsed) -> int:
    """Refuse kernels that are not there, and those who may not."""
    for release in parsed.operands:
        if release not in kernels.installed(ctx.world, ctx.host):
            ctx.error(f"depmod: ERROR: could not open directory /lib/modules/{release}: No such file or directory")
            ctx.error("depmod: FATAL: could not search modules: No such file or directory")
            return 1
    if not ctx.is_root:
        release = (parsed.operands or [kernels.running(ctx.world, ctx.host)])[0]
        ctx.error(f"depmod: ERROR: openat(/lib/modules/{release}, modules.dep.tmp, 1101, 644): Permission denied")
        return 1
    return 0


COMMAND = program(
    "depmod",
    "write the lists of kernel modules",
    run,
    suite=KMOD,
    options=(
        Option("a", "all", help="look at all modules"),
        Option("A", "quick", help="only if a module is newer than the lists"),
        Option("n", "dry-run", help="(nothing is written in any case)"),
    ),
    path="/usr/sbin",
    section=8,
    manual="Nothing to do here: modprobe sees what is installed.",
)
