"""sosreport of sos 4: the old name of `sos report`."""

from __future__ import annotations

from dataclasses import replace

from engine.commands.context import Context
from engine.commands.linux import sos


async def run(ctx: Context) -> int:
    """Say that it is the old name, and collect."""
    ctx.line(
        "Please note the 'sosreport' command has been deprecated in favor of the new 'sos' command, E.G. 'sos report'."
    )
    ctx.line("Redirecting to 'sos report " + " ".join(ctx.arguments) + "'")
    return await sos.report(ctx, ctx.arguments)


COMMAND = replace(sos.COMMAND, name="sosreport", run=run, synopsis="sosreport [OPTION]...")
