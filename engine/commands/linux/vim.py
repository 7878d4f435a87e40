"""vim (Vim 9.1): edits a file on the screen, with the commonest keys (see _support/vi_screen.py)."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.editing import edit
from engine.commands.linux._support.program import Suite, program
from engine.commands.options import Option, Parsed

_SUITE = Suite("VIM - Vi IMproved 9.1", trailer='More info with: "vim -h"')


async def run(ctx: Context, parsed: Parsed) -> int:
    """Edit a file."""
    return await edit(ctx, parsed.operands, read_only="read_only" in parsed)


COMMAND = program(
    "vim", "edit a file on the screen", run, suite=_SUITE, synopsis="vim [OPTION]... [FILE]",
    options=(Option("R", None, name="read_only", help="only read"),),
    manual="""
    i a o O begin to insert, Escape ends it. h j k l, w b e, 0 $ and G move; dd yy p delete, copy and put lines; x
    deletes a character, u undoes. /PATTERN searches, n goes on. :w writes, :q leaves, :wq does both, :q! leaves
    without writing.

    Where there is no full-screen terminal, use `sed -i` or `cat > FILE`.
    """,
)  # fmt: skip
