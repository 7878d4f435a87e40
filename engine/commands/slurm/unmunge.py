"""unmunge of MUNGE 0.5.15: says whether a credential is good, and what it carries. The exit status is munged's number.

Source: dun/munge src/munge/unmunge.c.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import clock, paths
from engine.commands.linux._support.program import program
from engine.commands.options import Option, Parsed
from engine.commands.slurm._support.munge_client import SUITE, reach, refuse
from engine.commands.slurm.munge import munge_status
from engine.control import host_clock, munge
from engine.control.accounts import group_name, user_name
from engine.hostfs.tree import FileError
from engine.kernel.units import SECOND

_READABLE = (munge.SUCCESS, munge.EXPIRED, munge.REWOUND, munge.REPLAYED)
_KEYS = (
    "STATUS", "ENCODE_HOST", "ENCODE_TIME", "DECODE_TIME", "TTL", "CIPHER", "MAC", "ZIP", "UID", "GID",
    "UID_RESTRICTION", "GID_RESTRICTION", "LENGTH",
)  # fmt: skip


async def run(ctx: Context, parsed: Parsed) -> int:
    """Decode one credential."""
    for gap in ("socket", "license", "metadata"):
        if gap in parsed:
            return ctx.not_modelled(f"unmunge --{gap}")
    if "list_keys" in parsed:
        ctx.write("Metadata keys:\n\n" + "".join(f"  {key}\n" for key in _KEYS) + "\n")
        return 0
    if parsed.operands:
        return refuse(ctx, f'Unrecognized parameter "{parsed.operands[0]}"')
    try:
        data = paths.read(ctx, parsed["input"]) if parsed["input"] not in (None, "-") else await ctx.stdin.read()
    except FileError as error:
        return refuse(ctx, f'Failed to read from "{parsed["input"]}": {error.text}')
    if not reach(ctx):
        return munge_status(ctx)
    text, who = data.decode("utf-8", "replace"), ctx.identity
    status, found = munge.decode(ctx.world, ctx.host, text, who.uid, who.gid, ctx.now)
    ctx.simulation.apply(munge.Decoded(ctx.host, text, "" if status == munge.SUCCESS else status[1]))
    if found is None or status not in _READABLE:
        return refuse(ctx, status[1], status[0])
    ignored = ("ignore_ttl" in parsed) or ("ignore_replay" in parsed and status == munge.REPLAYED)
    _show(ctx, parsed, munge.SUCCESS if ignored else status, found)
    return 0 if ignored else status[0]


def _show(ctx: Context, parsed: Parsed, status: munge.Status, found: munge.Credential) -> None:
    wanted = parsed["keys"].upper().replace(",", " ").split() if "keys" in parsed else _KEYS
    plain = "numeric" in parsed
    values = {
        "STATUS": _named(status[1], status[0], plain),
        "ENCODE_HOST": found.address if plain else f"{found.host} ({found.address})",
        "ENCODE_TIME": _time(ctx, found.time, plain),
        "DECODE_TIME": _time(ctx, host_clock.epoch(ctx.world, ctx.host, ctx.now) // SECOND, plain),
        "TTL": str(found.lifetime),
        "CIPHER": _named("aes128", 4, plain),
        "MAC": _named("sha256", 5, plain),
        "ZIP": _named("none", 0, plain),
        "UID": _named(user_name(ctx.inventory, found.uid), found.uid, plain),
        "GID": _named(group_name(ctx.inventory, found.gid), found.gid, plain),
        "LENGTH": str(len(found.payload)),
    }
    if found.for_uid is not None:
        values["UID_RESTRICTION"] = _named(user_name(ctx.inventory, found.for_uid), found.for_uid, plain)
    if found.for_gid is not None:
        values["GID_RESTRICTION"] = _named(group_name(ctx.inventory, found.for_gid), found.for_gid, plain)
    for key in _KEYS:
        if key in wanted and key in values:
            ctx.line(f"{key + ':':<17}{values[key]}")
    ctx.line()
    if "no_output" not in parsed:
        ctx.write(found.payload)


def _named(name: str, number: int, plain: bool) -> str:
    return str(number) if plain else f"{name} ({number})"


def _time(ctx: Context, seconds: int, plain: bool) -> str:
    return str(seconds) if plain else f"{clock.shown(ctx, seconds * SECOND, '%Y-%m-%d %H:%M:%S %z')} ({seconds})"


OPTIONS = (
    Option("L", "license", help="show the licence"),
    Option("i", "input", "PATH", help="take the credential from a file"),
    Option("n", "no-output", help="do not print the payload"),
    Option("m", "metadata", "PATH", help="write what it says of itself to a file"),
    Option("o", "output", "PATH", help="write the payload to a file"),
    Option("k", "keys", "STR", help="which facts to print"),
    Option("K", "list-keys", help="list the facts"),
    Option("N", "numeric", help="numbers alone"),
    Option("S", "socket", "PATH", help="munged's socket"),
    Option(None, "ignore-ttl", help="take expired, rewound and replayed ones as good"),
    Option(None, "ignore-replay", help="take replayed ones as good"),
)
COMMAND = program(
    "unmunge", "say whether a credential is good", run, suite=SUITE, options=OPTIONS, synopsis="unmunge [OPTIONS]",
    manual="""Invalid credential: the key that munged has loaded is another one than the sender's. Expired or Rewound
    credential: the clocks of the two hosts differ by more than five minutes.""",
)  # fmt: skip
