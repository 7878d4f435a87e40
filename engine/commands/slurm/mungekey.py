"""mungekey of MUNGE 0.5.15: makes a key file. munged takes it at its next start; every host needs the same.

Source: dun/munge src/mungekey (conf.c, key.c); 1024 bits unless told otherwise.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.linux._support.program import program
from engine.commands.options import Option, Parsed
from engine.commands.slurm._support.munge_client import SUITE, refuse
from engine.control import munge
from engine.hostfs.tree import FileError

_LEAST, _MOST, _USUAL = 256, 8192, 1024


def run(ctx: Context, parsed: Parsed) -> int:
    """Make the key, if there is none or it may be replaced."""
    if "license" in parsed:
        return ctx.not_modelled("mungekey --license")
    bits, path = parsed["bits"] or str(_USUAL), parsed["keyfile"] or munge.KEY_FILE
    if not bits.isdigit() or not _LEAST <= int(bits) <= _MOST:
        return refuse(ctx, f'Option "-b" has invalid value "{bits}" (range is {_LEAST}-{_MOST})')
    if "create" not in parsed:
        return refuse(ctx, "No operation specified")  # a guess at the words
    try:
        if ctx.files.exists(path):
            if "force" not in parsed:
                return refuse(ctx, f'Failed to create "{path}": File exists')
            ctx.files.remove(path, False)
        stream = ctx.simulation.stream(f"munge key/{ctx.host}/{ctx.now}")
        ctx.files.write(paths.absolute(ctx, path), bytes(stream.integer(0, 255) for _ in range(int(bits) // 8)))
        ctx.files.set_mode(path, 0o600)
    except FileError as error:
        return refuse(ctx, f'Failed to create "{path}": {error.text}')
    if "verbose" in parsed:
        ctx.error(f'mungekey: Info: Created "{path}" with {bits}-bit key')
    return 0


OPTIONS = (
    Option("c", "create", help="make a key file"),
    Option("b", "bits", "INT", help="how many bits"),
    Option("f", "force", help="replace the file if there is one"),
    Option("k", "keyfile", "PATH", help="another file"),
    Option("L", "license", help="show the licence"),
    Option("v", "verbose", help="say what was done"),
)
COMMAND = program(
    "mungekey", "make a key for munged", run, suite=SUITE, options=OPTIONS, synopsis="mungekey [OPTIONS]",
    path="/usr/sbin", section=8,
    manual="""All hosts of a cluster have one key, in /etc/munge/munge.key, owned by munge with mode 0400 or 0600.
    munged reads it when it starts, and at no other time.""",
)  # fmt: skip
