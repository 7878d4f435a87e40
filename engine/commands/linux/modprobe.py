"""modprobe of kmod 31: load a module with what it needs, or remove it with what only it needed."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import KMOD, program
from engine.commands.options import Option, Parsed
from engine.control import kernel_image, modules
from engine.control.module_table import module_specs
from engine.kernel.units import SECOND

_LOADING = 2 * SECOND
"""How long the NVIDIA driver takes to come up, about (a guess); other modules are there at once."""


async def run(ctx: Context, parsed: Parsed) -> int:
    """Load or remove the modules."""
    if "showconfig" in parsed or "resolve_alias" in parsed:
        return ctx.not_modelled("modprobe's configuration and aliases")
    if not parsed.operands:
        ctx.error("modprobe: ERROR: missing parameters. See -h.")
        return 1
    if "remove" in parsed:
        statuses = [_remove(ctx, parsed, name) for name in parsed.operands]
        return max(statuses)
    # Without -a, the words after the first are the module's parameters.
    names = parsed.operands if "all" in parsed else parsed.operands[:1]
    return max([await _load(ctx, parsed, name) for name in names])


async def _load(ctx: Context, parsed: Parsed, name: str) -> int:
    if not modules.exists(ctx.world, ctx.host, name):
        if "quiet" not in parsed:
            where = f"/lib/modules/{kernel_image.running(ctx.world, ctx.host)}"
            ctx.error(f"modprobe: FATAL: Module {name} not found in directory {where}")
        return 1
    missing = [each for each in _chain(name) if not modules.is_loaded(ctx.world, ctx.host, each)]
    if "show_depends" in parsed:
        missing = _chain(name)
    if ("verbose" in parsed or "show_depends" in parsed) and (
        ctx.is_root or "dry_run" in parsed or "show_depends" in parsed
    ):
        for each in missing:
            ctx.line(f"insmod {modules.module_path(ctx.world, ctx.host, each)} ")
    if "dry_run" in parsed or "show_depends" in parsed or not missing:
        if not missing and "first_time" in parsed:
            ctx.error(f"modprobe: ERROR: could not insert '{modules.canonical(name)}': Module already in kernel")
            return 1
        return 0
    if not ctx.is_root:
        ctx.error(f"modprobe: ERROR: could not insert '{modules.canonical(name)}': Operation not permitted")
        return 1
    refusal: str | None = ctx.simulation.apply(modules.LoadModule(ctx.host, name))
    if refusal:
        for line in refusal.splitlines():
            ctx.error(f"modprobe: {'FATAL' if refusal.startswith('Module ') else 'ERROR'}: {line}")
        return 1
    if "nvidia" in missing:
        await ctx.sleep(_LOADING)
    return 0


def _chain(name: str) -> list[str]:
    """A module after everything that it uses."""
    order: dict[str, None] = {}
    for used in module_specs()[modules.canonical(name)].uses:
        order |= dict.fromkeys(_chain(used))
    return [*order, modules.canonical(name)]


def _remove(ctx: Context, parsed: Parsed, name: str) -> int:
    module = modules.canonical(name)
    if not modules.exists(ctx.world, ctx.host, module):
        ctx.error(f"modprobe: FATAL: Module {name} not found.")
        return 1
    line = next((line for line in modules.loaded(ctx.world, ctx.host) if line.name == module), None)
    if line is None:
        if "first_time" in parsed:
            ctx.error(f"modprobe: FATAL: Module {name} is not in kernel.")
            return 1
        return 0
    if line.refs:
        ctx.error(f"modprobe: FATAL: Module {name} is in use.")
        return 1
    if "verbose" in parsed:
        ctx.line(f"rmmod {module}")
    if "dry_run" in parsed:
        return 0
    if not ctx.is_root:
        ctx.error(f"modprobe: ERROR: could not remove '{module}': Operation not permitted")
        return 1
    refusal: str | None = ctx.simulation.apply(modules.UnloadModule(ctx.host, module))
    if refusal:
        ctx.error(f"modprobe: FATAL: {refusal}.")
        return 1
    for used in reversed(module_specs()[module].uses):
        needed = next((line for line in modules.loaded(ctx.world, ctx.host) if line.name == used), None)
        if needed is not None and not needed.refs:
            _remove(ctx, parsed, used)
    return 0


COMMAND = program(
    "modprobe",
    "load and remove kernel modules",
    run,
    suite=KMOD,
    synopsis="modprobe [OPTION]... MODULE [PARAMETER=VALUE]...",
    options=(
        Option("a", "all", help="all words are modules"),
        Option("r", "remove", help="remove instead"),
        Option(None, "remove-dependencies", name="remove", help="remove with what it needs"),
        Option("R", "resolve-alias", help="what an alias stands for"),
        Option(None, "first-time", help="fail if there is nothing to do"),
        Option("i", "ignore-install", help="ignore install commands"),
        Option("b", "use-blacklist", help="respect blacklists for names too"),
        Option("f", "force", help="whatever stands against it"),
        Option("D", "show-depends", help="only show what would be loaded"),
        Option("c", "showconfig", help="show the configuration"),
        Option("n", "dry-run", help="do nothing"),
        Option(None, "show", name="dry_run", help="the same"),
        Option("q", "quiet", help="no error if there is no such module"),
        Option("v", "verbose", help="say what is done"),
        Option("s", "syslog", help="errors to the log"),
        Option("w", "wait", "MSEC", help="wait until it is free"),
        Option("d", "dirname", "DIR", help="below another root"),
        Option("S", "set-version", "VERSION", help="for another kernel"),
        Option("C", "config", "FILE", help="with another configuration"),
    ),
    path="/usr/sbin",
    section=8,
    complete=lambda ctx, _: [spec.name for spec in module_specs().values() if spec.on(ctx.node)],
    manual="""
    Loading takes the module's file as it is installed now. A module that others or programs hold cannot be removed:
    see lsmod and `fuser -v /dev/nvidia*`. Needs root.
    """,
)
