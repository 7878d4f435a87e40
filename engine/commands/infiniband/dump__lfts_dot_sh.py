"""dump_lfts.sh of infiniband-diags, a script: what dump_fts prints, and that it has taken its place (rdma-core 54)."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.infiniband import dump__fts
from engine.commands.infiniband._diags.program import program
from engine.commands.options import Parsed


def run(context: Context, parsed: Parsed) -> int:
    """All tables, and the warning."""
    status = dump__fts.run(context, parsed)
    for line in ("", "*** WARNING ***: this command has been replaced by dump_fts", "", ""):
        context.line(line)
    return status


COMMAND = program(
    "dump_lfts.sh",
    "dump InfiniBand forwarding tables",
    run,
    options=dump__fts.OPTIONS,
    without="DGLKs",
    missing=("Multicast",),
    manual="Shows the forwarding tables of every switch of the fabric; dump_fts has replaced it. Needs root.",
)
