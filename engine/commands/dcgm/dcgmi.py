"""dcgmi 4.4.2, the command line of NVIDIA's Data Center GPU Manager; the site's version says how it prints.

Sources: dcgmi/*.cpp of NVIDIA/DCGM v4.4.2, compared with captures of 3.3 and 4.x. Each subsystem is a module of
`_dcgmi` with its command line (SUBSYSTEM), what must hold between options (check), and what it does (run).
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Sequence

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.dcgm._dcgmi.arguments import Ended, parse
from engine.commands.options import Option

_PACKAGE = "engine.commands.dcgm._dcgmi."
SUBSYSTEMS = {
    "topo": ("topo", "how GPUs are connected"),
    "stats": ("stats", "what GPUs did during a job"),
    "diag": ("diag", "diagnostics of the node and its GPUs"),
    "policy": ("policy", "violations and what follows"),
    "health": ("health", "health watches"),
    "config": ("config", "what is set on GPUs"),
    "group": ("group", "groups of GPUs"),
    "fieldgroup": ("fieldgroup", "groups of fields"),
    "discovery": ("discovery", "the GPUs of this host"),
    "introspect": ("introspect", "what the host engine takes"),
    "nvlink": ("nvlink", "states and errors of NVLinks"),
    "dmon": ("dmon", "values of fields, sample by sample"),
    "modules": ("modules", "the host engine's modules"),
    "profile": ("profile", "profiling metrics"),
    "set": ("settings", "settings of the host engine"),
}
"""Subsystems: the module of each, and what it is about."""
_OTHERS = ("mndiag", "test")
_BAD = 255


async def run(ctx: Context) -> int:
    """Run a subsystem."""
    words = ctx.arguments
    try:
        if words[:1] in (("-v",), ("--vv",)):
            from engine.commands.dcgm._dcgmi import version

            return await version.run(ctx, words[1:])
        if words and words[0] in SUBSYSTEMS:
            return await _subsystem(ctx, words[0], words[1:])
        if words and words[0] in _OTHERS:
            return ctx.not_modelled(f"dcgmi {words[0]}")
        return _usage(ctx, words)
    except Ended as ended:
        ctx.write(ended.out)
        if ended.error:
            await ctx.flush()
            ctx.error(ended.error.removesuffix("\n"))
        return ended.status


async def _subsystem(ctx: Context, name: str, words: Sequence[str]) -> int:
    from engine.commands.dcgm._dcgmi.client import connect

    module = importlib.import_module(_PACKAGE + SUBSYSTEMS[name][0])
    parsed = parse(module.SUBSYSTEM, words)
    module.check(parsed)
    if name == "diag":
        status: int = await module.run(ctx, parsed)
        return status
    client = await connect(ctx, parsed)
    result = module.run(client, parsed)
    status = await result if inspect.isawaitable(result) else result
    return status


def _usage(ctx: Context, words: Sequence[str]) -> int:
    """The list of subsystems: asked for, or after a subsystem that there is not."""
    asked = not words or words[0] in ("-h", "--help")
    if words and words[0].startswith("-") and not asked:
        lines = [f"PARSE ERROR: Argument: {words[0]}", "             Couldn't find match for argument", "", "Usage: "]
        lines += ["   dcgmi -v", "   dcgmi subsystem", "", "", "For complete USAGE and HELP type: "]
        raise Ended(1, error="\n".join([*lines, "   dcgmi --help", "", ""]))
    if not asked:
        ctx.write("ERROR: Invalid subsystem.\n\n")
    ctx.write("\n Usage: dcgmi\n   dcgmi subsystem\n   dcgmi -v\n\nFlags:\n")
    ctx.write("  -v    vv           the version\n        subsystem    one of these\n\n")
    for name, (_, text) in SUBSYSTEMS.items():
        ctx.line(f"    --{name:<16}{text} [dcgmi {name} -h for more info]")
    ctx.write("\n NVIDIA Datacenter GPU Management Interface\n")
    return 0 if asked else _BAD


def _complete(ctx: Context, words: Sequence[str]) -> Sequence[str]:
    """Subsystems, and then their options."""
    if len(words) <= 1:
        return sorted(SUBSYSTEMS)
    if words[0] in SUBSYSTEMS and words[-1].startswith("-"):
        module = importlib.import_module(_PACKAGE + SUBSYSTEMS[words[0]][0])
        return [f"--{each.long}" for each in module.SUBSYSTEM.all]
    return []


COMMAND = Command(
    name="dcgmi",
    summary="manage and monitor GPUs through DCGM's host engine",
    synopsis="dcgmi SUBSYSTEM [OPTION]... | dcgmi -v",
    options=(Option("v", "vv", help="print the version"), Option("h", "help", help="print the subsystems")),
    manual="""Asks the host engine of this node (the service nvidia-dcgm) for what it knows of the GPUs, or tells it
what to watch. `dcgmi SUBSYSTEM -h` lists the options of a subsystem:

discovery shows GPUs and NVSwitches (-l), dmon values of fields (-e 150,155,203), health watches (-s a) and checks
(-c), diag runs diagnostics (-r 1 takes seconds, -r 2 two minutes, -r 3 a quarter of an hour, -r 4 longer) and puts load
on the GPUs, nvlink shows links (-s), topo how GPUs are connected, stats what they did during a job, policy violations,
group and fieldgroup keep lists for the others, modules, profile, config and set look after the host engine itself.

Groups, watches, policies and jobs are gone when the host engine restarts.

EXIT STATUS

       0    success
       1    the command line could not be read
       254  options do not fit together
       235  there is no connection to the host engine
       226  a diagnostic failed
       205  a diagnostic found a GPU that should be drained

EXAMPLES

       dcgmi discovery -l
       dcgmi dmon -e 150,155,203,204,1004 -c 5
       dcgmi health -s a; dcgmi health -c
       dcgmi diag -r 2
       dcgmi nvlink -s
""",
    run=run,
    complete=_complete,
)
