"""`dcgmi introspect`: what the host engine itself takes of the machine. Texts: dcgmi/Introspect.cpp of DCGM 4.4.2; what
is said where --hostengine is missing is a guess. Use of a processor is that of the daemon's process.
"""

from __future__ import annotations

from engine.commands.dcgm._dcgmi.arguments import HOST, Argument, Parsed, Subsystem, refusal
from engine.commands.dcgm._dcgmi.client import OK, Client, Return
from engine.commands.dcgm._dcgmi.output import fitted
from engine.control import processes
from engine.control.dcgm import daemon, modules

SUBSYSTEM = Subsystem(
    "introspect",
    "shows what the host engine takes of memory and processors.",
    (HOST, Argument("H", "hostengine", None, "of the host engine's process")),
    (Argument("s", "show", None, "show it"),),
)
_WIDTH, _NAME, _DATA = 76, 18, 55


def check(parsed: Parsed) -> None:
    """Raises Ended where nothing is named."""
    if "hostengine" not in parsed:
        raise refusal("--show must be given with --hostengine", "show")


def run(client: Client, parsed: Parsed) -> int:
    """Do what is asked."""
    if not client.need(modules.INTROSPECTION):
        raise Return.MODULE_NOT_LOADED.ends(f"Error: {Return.MODULE_NOT_LOADED.text}.\n")
    process = processes.find(client.world, client.host, daemon.pid(client.world, client.host))
    kib, permille = (process.resident_kib, process.cpu_permille) if process else (0, 0)
    client.ctx.write(_title("Introspection Information") + "\n" + _title("Hostengine Process"))
    for name, text in (("Memory", f"{kib:.1f} KB"), ("CPU Utilization", f"{permille / 10:.2f} %")):
        client.ctx.line(f"| {fitted(name, _NAME)}| {fitted(text, _DATA)}|")
    client.ctx.line(f"+{'-' * 19}+{'-' * 56}+")
    return OK


def _title(text: str) -> str:
    return f"+{'-' * _WIDTH}+\n| {fitted(text, _WIDTH - 1)}|\n+{'=' * _WIDTH}+\n"
