"""ibping of infiniband-diags: asks a program `ibping -S` on another host for an answer, once a second.

Format: ibping.c of rdma-core 54. It divides nanoseconds by 10,000 and takes what comes for microseconds, so that a
round trip of 54 us reads 0.005 ms. How long a round trip takes is a guess.
"""

from __future__ import annotations

from engine.commands.context import Context, Interrupted
from engine.commands.infiniband._diags.destination import Destination, destination, opened, silence
from engine.commands.infiniband._diags.devices import local_device
from engine.commands.infiniband._diags.numbers import unsigned
from engine.commands.infiniband._diags.program import USAGE, program
from engine.commands.infiniband._diags.servers import answers, serve
from engine.commands.options import Option, Parsed, UsageError
from engine.kernel.random import hash64
from engine.kernel.units import SECOND

OPTIONS = (
    Option("c", "count", "<num>", help="stop after so many packets"),
    Option("f", "flood", help="(not modelled) send without pause"),
    Option("o", "oui", "<val>", help="use this OUI"),
    Option("S", "Server", help="answer others"),
)
_BASE, _PER_HOP, _SPREAD = 30, 4, 40
"""Microseconds of a round trip: at least, for each hop, and how much it varies."""


async def run(context: Context, parsed: Parsed) -> int:
    """Serve, or ask a port until Ctrl-C."""
    if not parsed.operands and "Server" not in parsed:
        raise UsageError(PROGRAM_USAGE, USAGE)
    device = opened(context, parsed, local_device(context, parsed))
    if "Server" in parsed:
        return await serve(context, device)
    where = await destination(context, device, parsed, parsed.operands[0])
    count = unsigned(parsed["count"]) if "count" in parsed else None
    pings = Pings(context, where)
    try:
        while count is None or pings.sent < count:
            await pings.one()
            await context.sleep(SECOND)
    except Interrupted:
        pass
    pings.report()
    return 0


class Pings:
    """What was sent to a port and came back."""

    def __init__(self, context: Context, where: Destination) -> None:
        self.context, self.where = context, where
        self.began, self.sent, self.host = context.now, 0, ""
        self.times: list[int] = []

    async def one(self) -> None:
        """Ask once."""
        self.sent += 1
        host = answers(self.context.world, "ibping", self.where.node) if self.where.node else None
        if host is None:
            await silence(self.context, self.where.text, "mad_rpc_rmpp")
            return
        self.host = self.host or host
        chance = hash64(self.context.world.seed, "ibping", self.where.text, self.context.now)
        assert self.where.node is not None
        time = (_BASE + _PER_HOP * len(self.where.node.route) + chance % _SPREAD) // 10
        self.times.append(time)
        self.context.line(f"Pong from {host} ({self.where.text}): time {_milliseconds(time)} ms")

    def report(self) -> None:
        """The last lines."""
        lost = (self.sent - len(self.times)) * 100 // self.sent if self.sent else 0
        took = (self.context.now - self.began) // 1_000_000
        times = self.times or [0]
        self.context.line()
        self.context.line(f"--- {self.host} ({self.where.text}) ibping statistics ---")
        counts = f"{self.sent} packets transmitted, {len(self.times)} received"
        self.context.line(f"{counts}, {lost}% packet loss, time {took} ms")
        told = "/".join(map(_milliseconds, (min(times), sum(times) // len(times), max(times))))
        self.context.line(f"rtt min/avg/max = {told} ms")


def _milliseconds(time: int) -> str:
    return f"{time // 1000}.{time % 1000:03d}"


PROGRAM_USAGE = "\nUsage: ibping [options] <dest lid|guid>\n\n"
COMMAND = program(
    "ibping",
    "ping an InfiniBand address",
    run,
    options=OPTIONS,
    without="DKy",
    operands="<dest lid|guid>",
    missing=("flood",),
    manual="Asks `ibping -S`, which has to run on the host with that LID (or, with -G, port GUID). Needs root on both.",
)
