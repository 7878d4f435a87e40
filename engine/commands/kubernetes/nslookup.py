"""nslookup in a pod's container: BIND 9.18's, or BusyBox's in its image. It asks the cluster's DNS.

Outside of pods it is not modelled. Texts: bin/dig/nslookup.c, networking/nslookup.c of BusyBox 1.36 (whose two forms of
answers for A and AAAA are shown as one).
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.control.containers import images, inside
from engine.control.kubernetes import dns
from engine.kernel.units import SECOND

_PATIENCE = 15 * SECOND


async def run(ctx: Context) -> int:
    """Ask for one name."""
    each = inside.container(ctx.world, ctx.host, ctx.environment)
    pod = dns.pod_of(ctx.world, ctx.host, each.id) if each else None
    if each is None or pod is None:
        return ctx.not_modelled("nslookup outside of pods")
    words = [word for word in ctx.arguments if not word.startswith("-")]
    if len(words) != 1 or len(words) != len(ctx.arguments):
        return ctx.not_modelled("nslookup with options or a server")
    small = images.registry()[each.image].system.startswith("BusyBox")
    answer = dns.query(ctx.world, pod["metadata"]["namespace"], words[0])
    if not answer.answered:
        await ctx.sleep(_PATIENCE)
        ctx.line(_timed_out(ctx, small))
        return 1
    server = dns.server(ctx.world)
    ctx.line(f"Server:\t\t{server}\nAddress:\t{server}{':' if small else '#'}53\n")
    if not answer.addresses:
        ctx.line(f"** server can't find {answer.name}: NXDOMAIN\n")
        return 1
    for address in answer.addresses:
        ctx.line(f"Name:\t{answer.name}\nAddress: {address}")
    ctx.line()
    return 0


def _timed_out(ctx: Context, small: bool) -> str:
    if small:
        return ";; connection timed out; no servers could be reached\n"
    failed = f";; communications error to {dns.server(ctx.world)}#53: timed out"
    return "\n".join([failed] * 3 + [";; no servers could be reached\n"])


COMMAND = Command(
    "nslookup",
    "ask the cluster's DNS for a name",
    run,
    "nslookup NAME",
    (),
    """It works in the containers of pods:

    kubectl exec POD -- nslookup kubernetes.default

Outside of pods it is not modelled.""",
)
