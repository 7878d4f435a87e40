"""A command's own usage text, where a program prints it for a wrong line that the option parser does not catch."""

from __future__ import annotations

from engine.commands.command import load_command
from engine.commands.context import Context
from engine.commands.linux._support.program import PLAIN, Program
from engine.commands.options import Parsed, UsageError


def usage(ctx: Context) -> str:
    """What --help prints."""
    command = load_command(ctx.name)
    return Program(command.name, command.summary, _nothing, PLAIN, command.synopsis, command.options, True, 1).usage()


def usage_error(ctx: Context, text: str = "", status: int = 1) -> UsageError:
    """`NAME: text` and a blank line if there is a text, then the usage."""
    return UsageError((f"{ctx.name}: {text}\n\n" if text else "") + usage(ctx), status)


def try_help(ctx: Context, text: str, status: int = 1, quotes: str = "''") -> UsageError:
    """`NAME: text` and the line that names --help; procps and gzip quote it as `...'."""
    return UsageError(
        f"{ctx.name}: {text}\nTry {quotes[0]}{ctx.name} --help{quotes[1]} for more information.\n", status
    )


def _nothing(_ctx: Context, _parsed: Parsed) -> int:
    return 0
