"""Whether a program is installed, found as execvp(3) finds it."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import paths


def exists(ctx: Context, name: str, search: str | None = None) -> bool:
    """Whether `name` can be run; `search` is a PATH, the caller's own if not given."""
    if "/" in name:
        return paths.tree(ctx).exists(paths.absolute(ctx, name))
    if ctx.runner.has(name, ctx.host):
        return True
    directories = (search or ctx.environment.get("PATH", "/usr/bin:/usr/sbin")).split(":")
    return any(paths.tree(ctx).exists(paths.absolute(ctx, f"{directory or '.'}/{name}")) for directory in directories)
