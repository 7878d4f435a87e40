"""su of util-linux 2.39.3: become somebody else. Nobody here has a password, so only root can."""

from __future__ import annotations

from dataclasses import replace

from engine.commands.context import Context, Place
from engine.commands.linux._support.program import UTIL_LINUX, program
from engine.commands.linux._support.sessions import become_login, su_environment
from engine.commands.options import Option, Parsed
from engine.commands.streams import NoInput
from engine.control.accounts import Identity, accounts, identity
from engine.kernel.errors import BreakfixError
from engine.kernel.units import SECOND


async def run(ctx: Context, parsed: Parsed) -> int:
    """A shell, or one command, as another user."""
    words = list(parsed.operands)
    login = "login" in parsed
    if words[:1] == ["-"]:
        login = True
        words.pop(0)
    name = words.pop(0) if words else "root"
    try:
        target = identity(ctx.inventory, name)
    except BreakfixError:
        ctx.error(f"su: user {name} does not exist or the user entry does not contain all the required fields")
        return 1
    if not ctx.is_root:
        return await _refused(ctx)
    if target.shell != "/bin/bash" and "shell" not in parsed:
        ctx.line("This account is currently not available.")
        return 1
    command = parsed["command"] or parsed["session_command"]
    return await _become(ctx, _place(ctx, parsed, target, login), command)


async def _refused(ctx: Context) -> int:
    """Ask for a password that does not exist."""
    if ctx.terminal is not None:
        await ctx.flush()
        await ctx.terminal.ask("Password: ", hidden=True)
    await ctx.sleep(2 * SECOND)
    ctx.error("su: Authentication failure")
    return 1


def _place(ctx: Context, parsed: Parsed, target: Identity, login: bool) -> Place:
    if login:
        return become_login(ctx, target)
    if "preserve_environment" in parsed:
        return ctx.elsewhere(identity=target)
    return ctx.elsewhere(identity=target, environment=su_environment(ctx, target))


async def _become(ctx: Context, place: Place, command: str | None) -> int:
    if command is not None:
        return await ctx.runner.script(command, place)
    script = await ctx.stdin.read() if ctx.stdin.attached else b""
    if ctx.logins is not None and not script:
        await ctx.flush()
        return await ctx.logins.login(place)
    text = script.decode("utf-8", "surrogateescape")
    return await ctx.runner.script(text, replace(place), stdin=NoInput())


COMMAND = program(
    "su",
    "become another user",
    run,
    suite=UTIL_LINUX,
    synopsis="su [OPTION]... [-] [USER]",
    options=(
        Option("c", "command", "COMMAND", help="run COMMAND, not a shell"),
        Option(None, "session-command", "COMMAND", help="the same in the present session"),
        Option("l", "login", help="a login shell; - means the same"),
        Option("m", "preserve-environment", help="keep the environment"),
        Option("p", None, name="preserve_environment", help="the same"),
        Option("s", "shell", "SHELL", help="run SHELL if it may be run"),
        Option("f", "fast", help="for csh"),
        Option("g", "group", "GROUP", help="the group to have"),
        Option("P", "pty", help="with a terminal of its own"),
    ),
    complete=lambda ctx, _: [account.name for account in accounts(ctx.inventory)],
    manual="Without USER it is root. Nobody here has a password: only root can become somebody else. Use sudo -i.",
)
