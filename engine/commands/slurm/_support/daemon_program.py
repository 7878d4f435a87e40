"""The daemons of Slurm as programs that somebody types: their version, and what else they tell without being started.
systemd starts them.

Source: SchedMD/slurm 24.11 src/slurmd/slurmd/slurmd.c (-V, -C) and src/slurmctld/controller.c.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.options import Option, UsageError, option_lines, parse
from engine.control.slurm.version import version_line

Answer = Callable[[Context], int]

_OPTIONS = (
    Option("c", None, help="forget what was saved", name="clear"),
    Option("C", None, help="print what slurm.conf could say of this host", name="configuration"),
    Option("D", None, help="stay in the foreground", name="foreground"),
    Option("f", None, "FILE", help="another slurm.conf", name="file"),
    Option("G", None, help="print the GPUs that are found", name="gres"),
    Option("h", None, help="show this help", name="help"),
    Option("N", None, "NODE", help="another node's name", name="node"),
    Option("v", None, help="say more", name="verbose"),
    Option("V", None, help="print the version", name="version"),
)


def daemon_program(name: str, summary: str, answers: Mapping[str, Answer]) -> Command:
    """The command of a daemon; `answers` gives what its options print."""

    def run(ctx: Context) -> int:
        try:
            parsed = parse(name, _OPTIONS, ctx.arguments)
        except UsageError as refused:
            ctx.error(refused.text.rstrip("\n"))
            return refused.status
        if "help" in parsed:
            ctx.line(f"Usage: {name} [OPTIONS]")
            for line in option_lines(_OPTIONS):
                ctx.line(line)
            return 0
        if "version" in parsed:
            ctx.line(version_line(ctx.inventory))
            return 0
        chosen = next((key for key, _ in parsed.given if key in answers), None)
        if chosen is not None:
            return answers[chosen](ctx)
        return ctx.not_modelled(f"{name} started by hand (use systemctl start {name})")

    return Command(name, summary, run, f"{name} [OPTIONS]", _OPTIONS, summary, "/usr/sbin", 8)
