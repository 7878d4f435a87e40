"""Programs that answer others over the fabric: `ibping -S` and `ibsysstat -S`, which run until somebody ends them.

They answer on the port that they opened, for every program that asks for their class.
"""

from __future__ import annotations

from engine.commands.context import Context, Interrupted
from engine.commands.infiniband._diags.devices import Device
from engine.commands.infiniband._diags.discovery import Node
from engine.control import programs
from engine.kernel.units import SECOND
from engine.world.world import World

_MARKS = ("-S", "--Server")
_NO_DOMAIN = "(none)"
"""What getdomainname(2) gives where no NIS domain is set."""


async def serve(context: Context, device: Device) -> int:
    """Answer until the program is killed or interrupted."""
    command = " ".join((context.name, *context.arguments))
    pid: int = context.simulation.apply(programs.BeginProgram(context.host, context.identity.name, command))
    try:
        while programs.runs(context.world, context.host, pid):
            await context.sleep(SECOND)
    except Interrupted:
        context.simulation.apply(programs.EndProgram(context.host, pid))
        raise
    return 0


def answers(world: World, program: str, node: Node) -> str | None:
    """The name of the host behind an adapter, if such a program serves there."""
    host, _, device = node.id.partition("/")
    if host not in world.inventory.node_index:
        return None
    for process in world.systems[host].processes:
        words = process.command.split()
        asked = words[:1] == [program] and any(word in _MARKS for word in words)
        if asked and _serves(words, device, world, host):
            return f"{host}.{_NO_DOMAIN}"
    return None


def _serves(words: list[str], device: str, world: World, host: str) -> bool:
    for place, word in enumerate(words[:-1]):
        if word in ("-C", "--Ca"):
            return words[place + 1] == device
    usual = [hca for hca in sorted(world.node(host).hcas, key=lambda hca: hca.name) if hca.link_layer == "InfiniBand"]
    return bool(usual) and usual[0].name == device
