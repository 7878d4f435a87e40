"""Editing a file on the screen, with vi's or nano's keys. Line terminals are told what to use instead."""

from __future__ import annotations

from engine.commands.context import Context, Screen
from engine.commands.linux._support.nano_screen import Nano
from engine.commands.linux._support.text_buffer import load
from engine.commands.linux._support.vi_screen import Vi
from engine.hostfs.tree import FileError


async def edit(ctx: Context, names: list[str], *, read_only: bool = False) -> int:
    """Edit the first of the files named; `+N` before it is the line to begin at."""
    if ctx.terminal is None:
        return _no_screen(ctx)
    name = next((word for word in names if not word.startswith("+")), "")
    try:
        buffer = load(ctx, name)
    except FileError as error:
        ctx.error(f"{ctx.name}: {name}: {error.text}")
        return 1
    start = next((word[1:] for word in names if word.startswith("+")), "1")
    last = len(buffer.lines) - 1
    buffer.row = max(0, min(int(start) - 1, last)) if start.isdigit() else last
    await ctx.flush()
    screen: Screen = Nano(ctx, buffer, read_only) if ctx.name == "nano" else Vi(ctx, buffer, read_only)
    status = await ctx.terminal.show(screen)
    return _no_screen(ctx) if status is None else status


def _no_screen(ctx: Context) -> int:
    ctx.error(f"{ctx.name}: no full-screen terminal here; use sed -i or cat > FILE")
    return 1
