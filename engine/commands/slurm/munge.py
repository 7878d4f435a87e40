"""munge of MUNGE 0.5.15: makes a credential of what it is given.

Source: dun/munge src/munge/munge.c. Errors begin with `munge: Error:`.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.linux._support.program import program
from engine.commands.options import Option, Parsed
from engine.commands.slurm._support.munge_client import SUITE, gid_of, number_of, reach, refuse, uid_of
from engine.control import host_clock, host_names, munge
from engine.hostfs.tree import FileError
from engine.kernel.units import SECOND

_GAPS = ("cipher", "list_ciphers", "mac", "list_macs", "zip", "list_zips", "socket", "license", "uid", "gid")


async def run(ctx: Context, parsed: Parsed) -> int:
    """Encode the payload of standard input, a file or a word."""
    for gap in _GAPS:
        if gap in parsed:
            return ctx.not_modelled(f"munge --{gap.replace('_', '-')}")
    if parsed.operands:
        return refuse(ctx, f'Unrecognized parameter "{parsed.operands[0]}"')
    lifetime = number_of(parsed["ttl"]) if "ttl" in parsed else munge.LIFETIME
    if lifetime is None:
        return refuse(ctx, f'Invalid time-to-live "{parsed["ttl"]}"')
    if not reach(ctx):
        return munge_status(ctx)
    try:
        payload = await _payload(ctx, parsed)
    except FileError as error:
        return refuse(ctx, f'Failed to read from "{parsed["input"]}": {error.text}')
    who = ctx.identity
    credential = munge.Credential(
        ctx.host,
        host_names.resolve(ctx.world, ctx.host) or "0.0.0.0",
        host_clock.epoch(ctx.world, ctx.host, ctx.now) // SECOND,
        min(lifetime, 3600) or munge.LIFETIME,
        who.uid,
        who.gid,
        payload,
        uid_of(ctx, parsed["restrict_uid"]),
        gid_of(ctx, parsed["restrict_gid"]),
    )
    text = munge.encode(ctx.world, ctx.host, credential) + "\n"
    if "output" in parsed and parsed["output"] != "-":
        ctx.files.write(paths.absolute(ctx, parsed["output"]), text.encode())
    else:
        ctx.write(text)
    return 0


def munge_status(ctx: Context) -> int:
    """munged does not answer (EMUNGE_SOCKET)."""
    return refuse(ctx, 'Failed to access "/run/munge/munge.socket.2": No such file or directory', 6)


async def _payload(ctx: Context, parsed: Parsed) -> bytes:
    if "no_input" in parsed:
        return b""
    if "string" in parsed:
        return str(parsed["string"]).encode("utf-8", "surrogateescape")
    if "input" in parsed and parsed["input"] != "-":
        return paths.read(ctx, parsed["input"])
    return await ctx.stdin.read()


OPTIONS = (
    Option("L", "license", help="show the licence"),
    Option("n", "no-input", help="no payload"),
    Option("s", "string", "STR", help="take the payload from the line"),
    Option("i", "input", "PATH", help="take the payload from a file"),
    Option("o", "output", "PATH", help="write the credential to a file"),
    Option("c", "cipher", "STR", help="the cipher"),
    Option("C", "list-ciphers", help="list the ciphers"),
    Option("m", "mac", "STR", help="the message authentication code"),
    Option("M", "list-macs", help="list the message authentication codes"),
    Option("z", "zip", "STR", help="the compression"),
    Option("Z", "list-zips", help="list the compressions"),
    Option("u", "restrict-uid", "UID", help="who alone may decode it"),
    Option("U", "uid", "UID", help="in whose name"),
    Option("g", "restrict-gid", "GID", help="which group alone may decode it"),
    Option("G", "gid", "GID", help="in which group's name"),
    Option("t", "ttl", "SECS", help="for how long it is good; 0: as long as usual, -1: as long as possible"),
    Option("S", "socket", "PATH", help="munged's socket"),
)
COMMAND = program(
    "munge", "make a credential", run, suite=SUITE, options=OPTIONS, synopsis="munge [OPTIONS]",
    manual="""Prints a credential that munged of this host has made. `munge -n | ssh HOST unmunge` tells whether another
    host takes it: both must have loaded one key, and their clocks must agree to within five minutes.""",
)  # fmt: skip
