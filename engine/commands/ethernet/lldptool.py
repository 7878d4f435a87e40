"""lldptool of lldpad 1.1.1: the LLDP of an interface with IEEE 802.1Qaz (DCBX), its own and its neighbour's.

Format: lldptool's manual pages and outputs in bug reports of drivers (ETS-CFG, PFC, APP). `-t -i NAME` shows what the
adapter's port has set, `-t -n -i NAME` what the switch's port announces of itself, `-V` one part; `-T -V PFC enabled=`
sets PFC. Cumulus Linux announces what is set on its port and, for RoCE, UDP port 4791 with its priority; SONiC says
nothing of it. Other parts are not modelled. Guesses: the order of what a switch sends beside those, what -T says.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.ethernet._adapters.finding import by_interface
from engine.commands.ethernet.lldpcli import switch_mac
from engine.commands.options import Option, Parsed, parse
from engine.control import network
from engine.physics import links
from engine.physics.ethernet import names
from engine.physics.ethernet.settings import SetPortQos
from engine.world.inventory import Hca
from engine.world.records import PortQos
from engine.world.records.ethernet import PRIORITIES, TRUST_DSCP

_ROCE_PORT = 4791
_DSCP, _UDP = 5, 3
"""Selectors of the application TLV (IEEE 802.1Qcd and 802.1Qaz)."""

_TITLES = {
    "chassisID": "Chassis ID TLV", "portID": "Port ID TLV", "TTL": "Time to Live TLV", "sysName": "System Name TLV",
    "ETS-CFG": "IEEE 8021QAZ ETS Configuration TLV", "PFC": "IEEE 8021QAZ PFC TLV", "APP": "IEEE 8021QAZ APP TLV",
}  # fmt: skip
_OPTIONS = (
    Option("t", "get-tlv", help="show parts (TLVs) of an interface"),
    Option("T", "set-tlv", help="set a part"),
    Option("i", None, "INTERFACE", name="interface", help="the interface"),
    Option("n", "neighbor", help="what the neighbour sends"),
    Option("V", None, "TLV", name="tlv", help="this part alone: PFC, ETS-CFG, APP, ..."),
    Option("c", None, name="config", help="as it is configured"),
    Option("v", "version", help="print the version"),
)


def run(ctx: Context) -> int:
    """Show or set parts of what an interface sends by LLDP."""
    parsed = parse("lldptool", _OPTIONS, ctx.arguments, status=1)
    if "version" in parsed:
        ctx.line("lldptool v1.1.1")
        return 0
    if "get_tlv" not in parsed and "set_tlv" not in parsed:
        return ctx.not_modelled(f"lldptool {' '.join(ctx.arguments)}".rstrip())
    name, part = parsed["interface"] or "", parsed["tlv"]
    hca = by_interface(ctx, name)
    if not ctx.is_root:
        ctx.error("connect: Permission denied\nFailed to connect to lldpad - clif_open: Permission denied")
        return 1
    if hca is None:
        known = network.interface(ctx.world, ctx.host, name) is not None
        if known:
            return ctx.not_modelled(f"lldptool -i {name}")
        ctx.error("Device not found or inactive")
        return 1
    if part is not None and part not in _TITLES:
        return ctx.not_modelled(f"lldptool -V {part}")
    if "set_tlv" in parsed:
        return _set(ctx, hca, part or "", parsed)
    if parsed.operands or "config" in parsed:
        return ctx.not_modelled("lldptool -c")
    for line in _parts(ctx, hca, part, "neighbor" in parsed):
        ctx.line(line)
    return 0


def _parts(ctx: Context, hca: Hca, part: str | None, neighbour: bool) -> Iterator[str]:
    port: str | None = hca.port
    if neighbour:
        far = links.peer(ctx.inventory, hca.port)
        port = far if far and far.count("/") == 1 and links.link_up(ctx.world, hca.port) else None
    if port is None:
        return
    for key, lines in _sent(ctx, hca, port).items():
        if part in (None, key) and lines:
            yield _TITLES[key]
            yield from (f"\t{line}" if line else "" for line in lines)
    if part is None:
        yield "End of LLDPDU TLV"


def _sent(ctx: Context, hca: Hca, port: str) -> dict[str, list[str]]:
    """What a port announces, by part."""
    qos, found = ctx.world.port_qos[port], {"chassisID": [f"MAC: {hca.mac}"], "portID": [f"MAC: {hca.mac}"]}
    found["TTL"] = ["120"]
    if port != hca.port:
        switch = ctx.inventory.switches[port.partition("/")[0]]
        found |= {"chassisID": [f"MAC: {switch_mac(switch)}"], "sysName": [switch.name]}
        kind = "Local" if switch.os == "sonic" else "Ifname"
        found["portID"] = [f"{kind}: {names.port_name(ctx.inventory, port)}"]
        if switch.os == "sonic":
            return found
    return found | {"ETS-CFG": _ets(qos), "PFC": _pfc(qos), "APP": _apps(qos, port != hca.port)}


def _ets(qos: PortQos) -> list[str]:
    ways = ["strict" if strict else "ets" if any(qos.weights) else "vendor" for strict in qos.strict]
    return [
        " Willing: no", " CBS: not supported", f" MAX_TCS: {PRIORITIES}",
        " PRIO_MAP: " + _numbered(qos.classes),
        " TC Bandwidth: " + " ".join(f"{weight}%" for weight in qos.weights),
        " TSA_MAP: " + _numbered(ways),
    ]  # fmt: skip


def _numbered(values: tuple[int, ...] | list[str]) -> str:
    return " ".join(f"{number}:{value}" for number, value in enumerate(values))


def _pfc(qos: PortQos) -> list[str]:
    on = " ".join(str(number) for number, sent in enumerate(qos.pause_sent) if sent) or "none"
    return [" Willing: no", " MACsec Bypass Capable: no", f" PFC capable traffic classes: {PRIORITIES}",
            f" PFC enabled: {on}"]  # fmt: skip


def _apps(qos: PortQos, of_a_switch: bool) -> list[str]:
    """An adapter tells its map of DSCPs, a switch the priority of RoCE."""
    if of_a_switch:
        told = [(number, _UDP, f"UDP or DCCP Port: {_ROCE_PORT}") for number, on in enumerate(qos.pause_sent) if on]
    else:
        mapped = enumerate(qos.priorities if qos.trust == TRUST_DSCP else ())
        told = [(priority, _DSCP, f"DSCP: {dscp}") for dscp, priority in mapped]
    lines = []
    for number, (priority, selector, what) in enumerate(told):
        lines += [f"App#{number}:", f" Priority: {priority}", f" Sel: {selector}", f" {what}", ""]
    return lines


def _set(ctx: Context, hca: Hca, part: str, parsed: Parsed) -> int:
    """-V PFC enabled=PRIORITIES."""
    words = dict(word.partition("=")[::2] for word in parsed.operands)
    if part != "PFC" or set(words) != {"enabled"}:
        return ctx.not_modelled(f"lldptool -T -V {part} {' '.join(parsed.operands)}".rstrip())
    chosen = [] if words["enabled"] == "none" else words["enabled"].split(",")
    if any(not each.isdigit() or int(each) >= PRIORITIES for each in chosen):
        ctx.error("Invalid argument")
        return 1
    on = tuple(str(number) in chosen for number in range(PRIORITIES))
    ctx.simulation.apply(SetPortQos((hca.port,), (("pause_sent", on), ("pause_obeyed", on))))
    ctx.line(f"enabled = {words['enabled']}")
    return 0


COMMAND = Command(
    "lldptool",
    "show and set what an interface says of itself by LLDP (DCBX)",
    run,
    "lldptool -t [-n] -i NAME [-V TLV] | -T -i NAME -V PFC enabled=PRIORITIES",
    _OPTIONS,
    "Needs root. With -n it shows what the switch's port announces: its PFC and ETS, without a login there.",
    path="/usr/sbin",
    section=8,
    complete=lambda ctx, words: ["-t", "-T", "-n", "-i", "-V", *_TITLES, *(hca.netdev for hca in ctx.node.hcas)],
)
