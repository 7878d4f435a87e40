"""remunge of MUNGE 0.5.15: makes credentials for a second and says how many. The rate is a guess for two sockets of a
DGX.

Source: dun/munge src/munge/remunge.c.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import clock
from engine.commands.linux._support.program import program
from engine.commands.options import Option, Parsed
from engine.commands.slurm._support.munge_client import SUITE, reach
from engine.commands.slurm.munge import munge_status
from engine.kernel.random import hash64
from engine.kernel.units import SECOND

_RATE = 4_600  # credentials a second of one thread


async def run(ctx: Context, parsed: Parsed) -> int:
    """Make credentials for a second, and decode them if asked to."""
    for key, _ in parsed.given:
        if key not in ("decode", "quiet"):
            return ctx.not_modelled(f"remunge --{key.replace('_', '-')}")
    if not reach(ctx):
        return munge_status(ctx)
    decodes = "decode" in parsed

    def say(text: str) -> None:
        if "quiet" not in parsed:
            ctx.line(f"{clock.shown(ctx, ctx.epoch, '%Y-%m-%d %H:%M:%S')} {text}")

    say(f"Spawning 1 thread for {'encoding/decoding' if decodes else 'encoding'}")
    say("Processing credentials for 1 second")
    await ctx.flush()
    rate = (_RATE + hash64(ctx.world.seed, ctx.host, ctx.now) % 400) // (2 if decodes else 1)
    await ctx.clock.sleep(SECOND)
    say(f"Processed {rate} credentials in 1.000s ({rate} creds/sec)")
    return 0


OPTIONS = (
    Option("q", "quiet", help="say nothing"),
    Option("d", "decode", help="decode what was encoded"),
    Option("D", "duration", "TIME", help="for how long"),
    Option("N", "num-creds", "INT", help="how many"),
    Option("T", "num-threads", "INT", help="by how many threads"),
)
COMMAND = program(
    "remunge", "measure how fast munged is", run, suite=SUITE, options=OPTIONS, synopsis="remunge [OPTIONS]",
    manual="Makes credentials for one second and prints how many.",
)  # fmt: skip
