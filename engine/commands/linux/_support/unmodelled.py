"""Programs that an Ubuntu or DGX host has and breakfix does not model: each says so."""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.options import Option

_HELP = Option(None, "help", help="print this text")


def unmodelled(name: str, summary: str, hint: str = "", path: str = "/usr/bin", section: int = 1) -> Command:
    """The command `name`, which is there but does nothing; `hint` names what to use."""

    def run(ctx: Context) -> int:
        if "--help" in ctx.arguments:
            ctx.line(f"{name}: {summary}. breakfix does not model it." + (f" {hint}" if hint else ""))
            return 0
        return ctx.not_modelled(name + (f" ({hint[:1].lower()}{hint[1:].rstrip('.')})" if hint else ""))

    manual = "This program is on the host, but breakfix does not model it." + (f" {hint}" if hint else "")
    return Command(name, summary, run, f"{name} [ARGUMENT]...", (_HELP,), manual, path, section)
