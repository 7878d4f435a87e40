"""sudo 1.9.15p5 (Ubuntu 24.04): run a command as somebody else. At these sites the group sudo needs no password
(NOPASSWD).

Error texts after sudo's sources (plugins/sudoers). Uses are not written to the journal, so that looking changes
nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.commands.command import Command
from engine.commands.context import Context, Place
from engine.commands.linux._support.programs import exists
from engine.commands.linux._support.sessions import SECURE_PATH, become_login, sudo_environment
from engine.commands.options import Option, Parsed, UsageError, option_lines, parse
from engine.commands.streams import NoInput
from engine.control.accounts import Identity, accounts, identity

SYNOPSIS = "sudo [OPTION]... [VARIABLE=VALUE]... COMMAND [ARGUMENT]..."
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_BUILTINS = (
    "cd",
    "export",
    "alias",
    "source",
    "set",
    "unset",
    "umask",
    "history",
    "ulimit",
    "fg",
    "bg",
    "jobs",
    "wait",
)

OPTIONS = (
    Option("A", "askpass"),
    Option("b", "background"),
    Option("B", "bell"),
    Option("C", "close-from", "NUM"),
    Option("D", "chdir", "DIR", help="run it in DIR"),
    Option("E", "preserve-env", None, name="keep_all", help="keep the environment"),
    Option("e", "edit"),
    Option("g", "group", "GROUP"),
    Option("H", "set-home", help="set HOME to the other user's, as is usual"),
    Option("h", "host", "HOST"),
    Option("i", "login", help="a login shell as the other user, or the command in one"),
    Option("K", "remove-timestamp"),
    Option("k", "reset-timestamp", help="forget that a password was given"),
    Option("l", "list", help="what one may run"),
    Option("n", "non-interactive", help="ask nothing"),
    Option("N", "no-update"),
    Option("P", "preserve-groups"),
    Option("p", "prompt", "PROMPT"),
    Option("R", "chroot", "DIR"),
    Option("S", "stdin", help="a password from standard input"),
    Option("s", "shell", help="a shell as the other user, or the command in one"),
    Option("T", "command-timeout", "TIME"),
    Option("U", "other-user", "USER"),
    Option("u", "user", "USER", help="as USER, not as root"),
    Option("V", "version", help="print the version"),
    Option("v", "validate", help="only check"),
    Option(None, "help", help="print this text and end"),
)


@dataclass(frozen=True, slots=True)
class _Request:
    """What is to run, as whom, and which variables it gets."""

    target: Identity
    words: list[str]
    variables: dict[str, str]


async def run(ctx: Context) -> int:
    """Run a command, or a shell, as somebody else."""
    parsed = _parsed(ctx)
    if "help" in parsed:
        ctx.write(_usage())
        return 0
    if "version" in parsed:
        ctx.line("Sudo version 1.9.15p5")
        return 0
    for key in ("edit", "background", "chroot", "group", "other_user", "askpass", "command_timeout"):
        if key in parsed:
            return ctx.not_modelled(f"sudo --{key.replace('_', '-')}")
    target = _target(ctx, parsed)
    if isinstance(target, int):
        return target
    words, variables = _split(parsed.operands)
    if not words and ("reset_timestamp" in parsed or "remove_timestamp" in parsed):
        return 0
    if not words and not any(key in parsed for key in ("login", "shell", "list", "validate")):
        raise UsageError(_usage())
    if "list" in parsed:
        return _list(ctx)
    if not ctx.identity.may_sudo:
        ctx.error(f"{ctx.identity.name} is not in the sudoers file.")
        return 1
    if "validate" in parsed:
        return 0
    return await _run(ctx, parsed, _Request(target, words, variables))


def _parsed(ctx: Context) -> Parsed:
    # --preserve-env=LIST is the one long form whose short one takes no value.
    words = [word for word in ctx.arguments if not word.startswith("--preserve-env=")]
    return parse("sudo", OPTIONS, words, trailer=_usage(), permute=False)


def _usage() -> str:
    shown = [option for option in OPTIONS if option.help]
    return "\n".join([f"usage: {SYNOPSIS}", "", *option_lines(shown), ""])


def _target(ctx: Context, parsed: Parsed) -> Identity | int:
    name = parsed["user"] or "root"
    known = {account.name: account.name for account in accounts(ctx.inventory)}
    known |= {f"#{account.uid}": account.name for account in accounts(ctx.inventory)}
    if name not in known:
        ctx.error(f"sudo: unknown user {name}")
        ctx.error("sudo: error initializing audit plugin sudoers_audit")
        return 1
    return identity(ctx.inventory, known[name])


def _split(operands: list[str]) -> tuple[list[str], dict[str, str]]:
    """Assignments before the command are for its environment."""
    variables: dict[str, str] = {}
    words = list(operands)
    while words and (match := _ASSIGNMENT.fullmatch(words[0])):
        variables[match[1]] = match[2]
        words.pop(0)
    return words, variables


def _list(ctx: Context) -> int:
    name, host = ctx.identity.name, ctx.host
    if not ctx.identity.may_sudo:
        ctx.error(f"Sorry, user {name} may not run sudo on {host}.")
        return 1
    path = SECURE_PATH.replace(":", "\\:")
    ctx.line(f"Matching Defaults entries for {name} on {host}:")
    ctx.line(f"    env_reset, mail_badpass, secure_path={path}, use_pty")
    ctx.line()
    ctx.line(f"User {name} may run the following commands on {host}:")
    if ctx.is_root:
        ctx.line("    (ALL : ALL) ALL")
    else:
        ctx.line("    (ALL : ALL) NOPASSWD: ALL")
    return 0


async def _run(ctx: Context, parsed: Parsed, request: _Request) -> int:
    login = "login" in parsed
    if login or "shell" in parsed:
        return await _shell(ctx, parsed, request, _place(ctx, parsed, request, login))
    name = request.words[0]
    if name in _BUILTINS and not exists(ctx, name, SECURE_PATH):
        ctx.error(f'sudo: "{name}" is a shell built-in command, it cannot be run directly.')
        ctx.error("sudo: the -s option may be used to run a privileged shell.")
        ctx.error("sudo: the -D option may be used to run a command in a specific directory.")
        return 1
    if not exists(ctx, name, SECURE_PATH):
        ctx.error(f"sudo: {name}: command not found")
        return 1
    return await ctx.runner.run(request.words, _place(ctx, parsed, request, login))


def _place(ctx: Context, parsed: Parsed, request: _Request, login: bool) -> Place:
    directory = parsed["chdir"] or ctx.directory
    if login:
        place = become_login(ctx, request.target)
        variables = {**place.environment, **request.variables, "SUDO_USER": ctx.identity.name}
        return Place(ctx.host, request.target, variables, place.directory, login=True)
    text = " ".join(request.words) or request.target.shell
    keep = "keep_all" in parsed
    variables = sudo_environment(ctx.identity, request.target, ctx.environment, text, keep=keep)
    return Place(ctx.host, request.target, {**variables, **request.variables}, directory)


async def _shell(ctx: Context, parsed: Parsed, request: _Request, place: Place) -> int:
    """A shell of the other user: with the words as its command, else at the terminal or reading standard input."""
    if request.words:
        return await ctx.runner.script(" ".join(_escaped(word) for word in request.words), place)
    script = await ctx.stdin.read() if ctx.stdin.attached else b""
    if ctx.logins is not None and not script:
        await ctx.flush()
        return await ctx.logins.login(place)
    return await ctx.runner.script(script.decode("utf-8", "surrogateescape"), place, stdin=NoInput())


def _escaped(word: str) -> str:
    """A word for `sh -c` as sudo escapes it: everything but letters, digits, _ - and $."""
    return re.sub(r"([^\w$/.,=:@%+-])", r"\\\1", word)


COMMAND = Command(
    "sudo",
    "run a command as root or another user",
    run,
    SYNOPSIS,
    tuple(option for option in OPTIONS if option.help),
    """Members of the group sudo may run everything as anybody, at these sites without giving a password. The
environment is reset, but for a few variables; HOME becomes the other user's. -i gives a login shell, -s a shell in
the present directory.""",
    section=8,
)
