"""A login on a managed switch over ssh: commands on the line of ssh, from standard input, or typed one after another.

Where a terminal cannot ask for lines (plain mode), the commands stand on ssh's line, with `;` between them, which the
real one does not take. Guess: operators log in as `admin` with a key; the switches of these sites know no other
account. InfiniBand switches run MLNX-OS.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands._switch_os import words
from engine.commands._switch_os.mlnx_os import COMMANDS, GREETING, Shell
from engine.commands.context import Context
from engine.control.subnet_manager.on_switches import is_managed

_OPERATORS, ACCOUNT, REFUSED = "operators", "admin", 255


def entered(ctx: Context, switch: str, user: str) -> str | None:
    """What ssh says where the learner cannot log in on a switch as `user`, or None if that goes well."""
    if not is_managed(ctx.inventory.switches[switch]):
        return f"ssh: connect to host {switch} port 22: Connection refused"
    groups = next((each.groups for each in ctx.inventory.users if each.name == ctx.identity.name), ())
    if user != ACCOUNT or (_OPERATORS not in groups and not ctx.is_root):
        return f"{user}@{switch}: Permission denied (publickey,password)."
    return None


async def run(ctx: Context, switch: str, typed: Sequence[str]) -> int:
    """A session; returns the status of ssh."""
    shell = Shell(ctx, switch)
    if typed:
        for line in _lines(" ".join(typed)):
            await _one(shell, line)
        return 0
    if ctx.stdin.attached or ctx.terminal is None:
        for line in (await ctx.stdin.read()).decode("utf-8", "surrogateescape").splitlines():
            await _one(shell, line)
        return 0
    for line in GREETING:
        ctx.line(line)
    told = 0
    while not shell.over:
        await ctx.flush()
        given = await ctx.terminal.ask(shell.prompt)
        if given is None:
            break
        told += 1
        await _one(shell, given)
    if not told:
        ctx.error(f'breakfix: lines can be given to ssh as well: ssh {ACCOUNT}@{switch} "enable; show ib sm"')
    ctx.error(f"Connection to {switch} closed.")
    return 0


def _lines(text: str) -> list[str]:
    """`show version`, several commands between quotation marks after the word `cli`, or several lines."""
    head, _, rest = text.strip().partition(" ")
    if head == "cli":
        return [part for part in rest.split('"') if part.strip() and not part.strip().startswith("-")]
    return [part for line in text.splitlines() for part in line.split(";")]


async def _one(shell: Shell, line: str) -> None:
    if not line.strip() or shell.over:
        return
    ctx = shell.ctx
    if line.rstrip().endswith("?"):
        for word, text in words.follow(COMMANDS, shell.mode, line.rstrip()[:-1]):
            ctx.line(f"{word:<22} {text}")
        return
    try:
        entry, values = words.find(COMMANDS, shell.mode, line)
    except words.Unclear as problem:
        ctx.line(str(problem))
        return
    done = entry.act(shell, values)
    if done is not None:
        await done
