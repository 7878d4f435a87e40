"""grub-editenv of GRUB 2.12: the variables that the boot loader reads and writes, /boot/grub/grubenv."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import boot_loader
from engine.commands.linux._support.program import PLAIN, program
from engine.commands.options import Parsed
from engine.control import grub


def run(ctx: Context, parsed: Parsed) -> int:
    """list, set NAME=VALUE or unset NAME, of the usual file."""
    words = parsed.operands
    if words[:1] in ([grub.ENVIRONMENT], ["-"]):
        words = words[1:]
    verb, *rest = words or ("",)
    if verb == "list":
        for name, value in grub.environment(ctx.world, ctx.host).items():
            ctx.line(f"{name}={value}")
        return 0
    if verb not in ("set", "unset"):
        return _unknown(ctx, verb)
    boot_loader.demand_root(ctx, f"grub-editenv: error: cannot open `{grub.ENVIRONMENT}.new': Permission denied.")
    pairs = []
    for word in rest:
        name, equals, value = word.partition("=")
        if verb == "set" and not equals:
            ctx.error(f"grub-editenv: error: invalid parameter {word}.")
            return 1
        pairs.append((name, value if verb == "set" else ""))
    ctx.simulation.apply(grub.SetEnvironment(ctx.host, tuple(pairs)))
    return 0


def _unknown(ctx: Context, verb: str) -> int:
    if verb in ("create", "") or verb.startswith("/"):
        return ctx.not_modelled(f"grub-editenv {verb or 'without a command'}")
    ctx.error(f"Unknown command `{verb}'.\nUsage: grub-editenv [OPTION...] FILENAME COMMAND")
    return 1


COMMAND = program(
    "grub-editenv",
    "show and set the boot loader's variables",
    run,
    suite=PLAIN,
    synopsis="grub-editenv [FILE] list|set NAME=VALUE...|unset NAME...",
    manual="`-` stands for /boot/grub/grubenv. next_entry is the entry of the next boot alone.",
)
