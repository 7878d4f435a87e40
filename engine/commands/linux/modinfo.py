"""modinfo of kmod 31: what a module's file on disk says, which need not be what is loaded."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import KMOD, program
from engine.commands.options import Option, Parsed
from engine.control import modules
from engine.control.module_table import module_specs

_WIDTH = 15


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the fields of each module."""
    if not parsed.operands:
        ctx.error("modinfo: ERROR: missing module or filename.")
        return 1
    wanted = _field(parsed)
    end = "\0" if "null" in parsed else "\n"
    status = 0
    for name in parsed.operands:
        plain = name.rpartition("/")[2].removesuffix(".zst").removesuffix(".ko")
        fields = modules.module_info(ctx.world, ctx.host, plain)
        if fields is None:
            ctx.error(f"modinfo: ERROR: Module {name} not found.")
            status = 1
            continue
        for key, value in fields:
            if wanted is None:
                ctx.write(f"{key}={value}{end}" if "null" in parsed else f"{key}:{'':<{_WIDTH - len(key)}}{value}{end}")
            elif key == wanted:
                ctx.write(value + end)
    return status


def _field(parsed: Parsed) -> str | None:
    shortcuts = {"author": "author", "description": "description", "license": "license", "parameters": "parm",
                 "filename": "filename"}  # fmt: skip
    for key, value in reversed(parsed.given):
        if key == "field":
            return str(value)
        if key in shortcuts:
            return shortcuts[key]
    return None


COMMAND = program(
    "modinfo",
    "show what a kernel module's file says",
    run,
    suite=KMOD,
    synopsis="modinfo [OPTION]... MODULE...",
    options=(
        Option("a", "author", help="only the author"),
        Option("d", "description", help="only the description"),
        Option("l", "license", help="only the license"),
        Option("p", "parameters", help="only the parameters"),
        Option("n", "filename", help="only the file's name"),
        Option("0", "null", help="end values with NUL"),
        Option("k", "set-version", "VERSION", help="for another kernel"),
        Option("b", "basedir", "DIR", help="below another root"),
        Option("F", "field", "FIELD", help="only this field"),
    ),
    path="/usr/sbin",
    section=8,
    complete=lambda ctx, _: [spec.name for spec in module_specs().values() if spec.on(ctx.node)],
    manual="""
    Reads the file that modprobe would load. After an upgrade without a reboot it is newer than what is loaded: compare
    with /sys/module/nvidia/version.
    """,
)
