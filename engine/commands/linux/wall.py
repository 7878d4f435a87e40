"""wall of util-linux 2.39.3: a message to everybody who is logged in on this host. Others' screens are not shown.

Form after util-linux's term-utils/wall.c: a banner of 79 columns, lines wrapped there.
"""

from __future__ import annotations

import textwrap

from engine.commands.context import Context
from engine.commands.linux._support import clock, paths
from engine.commands.linux._support.program import UTIL_LINUX, program
from engine.commands.options import Option, Parsed, UsageError
from engine.hostfs.tree import FileError

_WIDTH = 79
_LONGEST = 300
"""Seconds that --timeout may ask for."""


async def run(ctx: Context, parsed: Parsed) -> int:
    """Send the message; the sender's own terminal gets it too."""
    if "timeout" in parsed and not (parsed["timeout"].isdigit() and 0 < int(parsed["timeout"]) <= _LONGEST):
        raise UsageError(f"wall: invalid timeout argument: {parsed['timeout']}\n")
    if "nobanner" in parsed and not ctx.is_root:
        ctx.error("wall: --nobanner is available only for root")
    words = parsed.operands
    if len(words) == 1 and words[0].startswith("/"):
        if not ctx.is_root:
            ctx.error(f"wall: will not read {words[0]} - use stdin.")
            return 1
        try:
            text = paths.read(ctx, words[0]).decode("utf-8", "replace")
        except FileError as error:
            ctx.error(f"wall: cannot open {words[0]}: {error.text}")
            return 1
    else:
        text = " ".join(words) if words else (await ctx.stdin.read()).decode("utf-8", "replace")
    if ctx.terminal is not None:
        ctx.write(_shown(ctx, parsed, text))
    return 0


def _shown(ctx: Context, parsed: Parsed, text: str) -> str:
    banner = [] if "nobanner" in parsed and ctx.is_root else ["", _banner(ctx), ""]
    lines = [piece for line in text.splitlines() for piece in textwrap.wrap(line, _WIDTH) or [""]]
    return "\n".join([*banner, *lines, "", ""])


def _banner(ctx: Context) -> str:
    user = ctx.environment.get("SUDO_USER") or ctx.identity.name
    terminal = ctx.environment.get("SSH_TTY", "/dev/pts/0").removeprefix("/dev/")
    when = clock.shown(ctx, ctx.epoch, "%a %b %e %H:%M:%S %Y")
    return f"Broadcast message from {user}@{ctx.host} ({terminal}) ({when}):"


COMMAND = program(
    "wall",
    "write a message to all users",
    run,
    suite=UTIL_LINUX,
    synopsis="wall [OPTION]... [FILE|MESSAGE]",
    options=(
        Option("g", "group", "GROUP", help="only to members of GROUP"),
        Option("n", "nobanner", help="without the banner (root only)"),
        Option("t", "timeout", "SECONDS", help="give up on a terminal after so long"),
    ),
    manual="Nobody's screen but the sender's is shown in breakfix.",
)
