"""lldpcli of lldpd 1.0.18: which port of which switch an adapter's cable leads to. Format: `lldpcli show neighbors`.

A neighbour is there while the link is up and the switch has power; what it says of itself is its operating system's.
Other commands are not modelled. Guesses: descriptions of the systems, the time since when a neighbour is known.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.options import Option
from engine.control import adapter_qos
from engine.kernel.units import DAY, HOUR, MINUTE, SECOND
from engine.physics import links
from engine.physics.ethernet import names
from engine.world.inventory import Hca, Switch

RULE = "-" * 79
_SYSTEMS = {
    "cumulus": "Cumulus Linux version 5.11.0 running on Nvidia SN5600",
    "sonic": "SONiC Software Version: SONiC.202405 - HwSku: Mellanox-SN5600-V256 - Distribution: Debian 12",
}
_DENIED = "[WARN/control] unable to connect to socket /run/lldpd.socket: Permission denied"


def run(ctx: Context) -> int:
    """show neighbors [ports NAMES]."""
    words = list(ctx.arguments)
    if ctx.name == "lldpctl":
        words = ["show", "neighbors", "ports", *words] if words else ["show", "neighbors"]
    named = words[3].split(",") if len(words) == 4 and words[2] == "ports" else []
    if len(words) < 2 or words[0] != "show" or not "neighbors".startswith(words[1]) or (words[2:] and not named):
        return ctx.not_modelled(f"{ctx.name} {' '.join(words)}".rstrip())
    if not ctx.is_root:
        ctx.error(_DENIED)
        return 1
    ctx.write(f"{RULE}\nLLDP neighbors:\n{RULE}\n")
    found = [hca for hca in adapter_qos.adapters(ctx.world, ctx.host) if not named or hca.netdev in named]
    for number, hca in enumerate(found, 1):
        for line in _neighbour(ctx, hca, number):
            ctx.line(line)
    return 0


def _neighbour(ctx: Context, hca: Hca, number: int) -> Iterator[str]:
    far = links.peer(ctx.inventory, hca.port)
    if far is None or not links.link_up(ctx.world, hca.port) or far.count("/") != 1:
        return
    switch = ctx.inventory.switches[far.partition("/")[0]]
    port = names.port_name(ctx.inventory, far)
    yield f"Interface:    {hca.netdev}, via: LLDP, RID: {number}, Time: {_since(ctx)}"
    yield "  Chassis:     "
    yield f"    ChassisID:    mac {switch_mac(switch)}"
    yield f"    SysName:      {switch.name}"
    yield f"    SysDescr:     {_SYSTEMS.get(switch.os, switch.system)}"
    yield f"    MgmtIP:       {switch.address}"
    yield from ("    Capability:   Bridge, on", "    Capability:   Router, on", "  Port:        ")
    yield f"    PortID:       {'local' if switch.os == 'sonic' else 'ifname'} {port}"
    yield f"    PortDescr:    {port}"
    yield from ("    TTL:          120", RULE)


def switch_mac(switch: Switch) -> str:
    """The MAC address by which a switch names itself."""
    digits = f"{switch.guid:016x}"
    text = digits[:6] + digits[10:]
    return ":".join(text[start : start + 2] for start in range(0, 12, 2))


def _since(ctx: Context) -> str:
    up = ctx.now - ctx.world.nodes[ctx.host].booted_at
    days, rest = divmod(up, DAY)
    plural = "s" if days != 1 else ""
    return f"{days} day{plural}, {rest // HOUR:02d}:{rest % HOUR // MINUTE:02d}:{rest % MINUTE // SECOND:02d}"


COMMAND = Command(
    "lldpcli",
    "show to which switch ports the adapters' cables lead",
    run,
    "lldpcli show neighbors [ports NAME,...]",
    (Option(None, "help", help="print this text"),),
    "Needs root. A cable in another port than the plan has shows here at once.",
    path="/usr/sbin",
    section=8,
    complete=lambda ctx, words: ["show", "neighbors", "ports", *(hca.netdev for hca in ctx.node.hcas)],
)
