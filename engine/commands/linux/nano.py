"""nano 7.2: edits a file on the screen (see _support/nano_screen.py)."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.editing import edit
from engine.commands.linux._support.program import Suite, program
from engine.commands.options import Option, Parsed

_SUITE = Suite("GNU nano, version 7.2", trailer="Type 'nano -h' for a list of available options.")


async def run(ctx: Context, parsed: Parsed) -> int:
    """Edit a file."""
    return await edit(ctx, parsed.operands, read_only="read_only" in parsed)


COMMAND = program(
    "nano", "edit a file on the screen", run, suite=_SUITE, synopsis="nano [OPTION]... [FILE]",
    options=(Option("v", "view", name="read_only", help="only read"),),
    manual="""
    Type to insert. ^O writes the file, ^X leaves, ^W searches, ^K cuts a line, ^U pastes it, ^C shows the place.

    Where there is no full-screen terminal, use `sed -i` or `cat > FILE`.
    """,
)  # fmt: skip
