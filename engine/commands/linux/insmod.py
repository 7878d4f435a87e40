"""insmod of kmod 31: loading a module's file by its path is not modelled, since modprobe does it here."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import KMOD, program
from engine.commands.options import Parsed


def run(ctx: Context, parsed: Parsed) -> int:
    """Say that it is not modelled."""
    if not parsed.operands:
        ctx.error("insmod: ERROR: missing filename.")
        return 1
    return ctx.not_modelled("insmod; use modprobe")


COMMAND = program(
    "insmod", "load a kernel module's file", run, suite=KMOD, synopsis="insmod FILE [PARAMETER=VALUE]...",
    path="/usr/sbin", section=8, manual="Not modelled; use modprobe.",
)  # fmt: skip
