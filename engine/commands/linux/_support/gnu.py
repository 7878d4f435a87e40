"""The error lines that GNU programs share: missing and extra operands, file errors."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.words import name, word
from engine.commands.options import UsageError
from engine.hostfs.tree import FileError


def refuse(ctx: Context, text: str, status: int = 1) -> UsageError:
    """`text` and the line that names --help."""
    return UsageError(f"{ctx.name}: {text}\nTry '{ctx.name} --help' for more information.\n", status)


def missing_operand(ctx: Context, after: str | None = None, status: int = 1) -> UsageError:
    """Too few words; `after` is the last one there was."""
    text = "missing operand" if after is None else f"missing operand after {word(ctx.environment, after)}"
    return refuse(ctx, text, status)


def extra_operand(ctx: Context, text: str, status: int = 1) -> UsageError:
    """A word too many."""
    return refuse(ctx, f"extra operand {word(ctx.environment, text)}", status)


def file_error(ctx: Context, what: str, path: str, error: FileError) -> None:
    """`ls: cannot access 'x': No such file or directory`."""
    ctx.error(f"{ctx.name}: {what} {name(path)}: {error.text}")
