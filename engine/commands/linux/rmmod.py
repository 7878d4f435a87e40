"""rmmod of kmod 31. The line of libkmod in a refusal for want of rights bears the number that Ubuntu 24.04's package
has (a guess).
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import KMOD, program
from engine.commands.options import Option, Parsed
from engine.control import modules


def run(ctx: Context, parsed: Parsed) -> int:
    """Remove the modules."""
    if not parsed.operands:
        ctx.error("rmmod: ERROR: missing module name.")
        return 1
    return max([_remove(ctx, parsed, name.rpartition("/")[2].removesuffix(".ko")) for name in parsed.operands])


def _remove(ctx: Context, parsed: Parsed, name: str) -> int:
    module = modules.canonical(name)
    if not ctx.is_root:
        line = next((line for line in modules.loaded(ctx.world, ctx.host) if line.name == module), None)
        if line is not None and not line.refs:
            place = "../libkmod/libkmod-module.c:856 kmod_module_remove_module()"
            ctx.error(f"rmmod: ERROR: {place} could not remove '{module}': Operation not permitted")
            ctx.error(f"rmmod: ERROR: could not remove module {name}: Operation not permitted")
            return 1
        if line is not None:
            users = f" by: {' '.join(line.used_by)}" if line.used_by else ""
            ctx.error(f"rmmod: ERROR: Module {module} is in use{users}")
        else:
            ctx.error(f"rmmod: ERROR: Module {module} is not currently loaded")
        return 1
    if "verbose" in parsed:
        ctx.line(f"rmmod {module}, wait=no{' force' if 'force' in parsed else ''}")
    refusal: str | None = ctx.simulation.apply(modules.UnloadModule(ctx.host, name, "force" in parsed))
    if refusal:
        ctx.error(f"rmmod: ERROR: {refusal}")
        return 1
    return 0


COMMAND = program(
    "rmmod",
    "remove a kernel module",
    run,
    suite=KMOD,
    synopsis="rmmod [OPTION]... MODULE...",
    options=(
        Option("f", "force", help="even if it is in use, where the kernel allows that"),
        Option("s", "syslog", help="errors to the log"),
        Option("v", "verbose", help="say what is done"),
    ),
    path="/usr/sbin",
    section=8,
    complete=lambda ctx, _: [module.name for module in modules.loaded(ctx.world, ctx.host)],
    manual="Removes modules one by one; `modprobe -r` looks after what they needed too.",
)
