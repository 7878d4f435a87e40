"""ip of iproute2 6.1.0: links, addresses, routes and neighbours. Formats and errors compared with iproute2 6.1.0.

Links can be set up and down and get another MTU; VLANs can be made on them; addresses and neighbours can be added and
removed; routes cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import interfaces, ip_changes, ip_output
from engine.commands.linux._support.ip_output import Style
from engine.commands.options import Option, UsageError, option_lines
from engine.control import network
from engine.control.network import Interface

SYNOPSIS = "ip [OPTION]... OBJECT [COMMAND]"
_OBJECTS = ("address", "addrlabel", "help", "link", "maddress", "monitor", "neighbor", "neighbour", "netns", "route",
            "rule", "tunnel", "tuntap", "vrf", "xfrm")  # fmt: skip
_MODELLED = {"address": "address", "link": "link", "route": "route", "neighbor": "neigh", "neighbour": "neigh",
             "rule": "rule", "help": "help"}  # fmt: skip
_OPTIONS = (
    Option("4", help="only IPv4"), Option("6", help="only IPv6"), Option(None, "br", help="brief: -br[ief]"),
    Option("s", help="with statistics; twice for more"), Option("d", help="with details"),
    Option("o", help="each on one line"), Option("j", help="as JSON"), Option("p", help="with -j, readable"),
    Option("V", help="print the version"),
)  # fmt: skip


def run(ctx: Context) -> int:
    """Show or change what an object names."""
    words, style = _options(ctx, list(ctx.arguments))
    if not words:
        ctx.stderr.write(_usage().encode())
        return 255
    if words[0] == "-V":
        ctx.line("ip utility, iproute2-6.1.0, libbpf 1.3.0")
        return 0
    found = [name for name in _OBJECTS if name.startswith(words[0])]
    if not found or words[0] == "":
        ctx.error(f'Object "{words[0]}" is unknown, try "ip help".')
        return 1
    kind = _MODELLED.get(found[0])
    if kind is None:
        return ctx.not_modelled(f"ip {found[0]}")
    return _HANDLERS[kind](ctx, style, words[1:])


def _usage() -> str:
    objects = "OBJECT is address, link, route, neighbor or rule; COMMAND is show, set (links), add, del, flush."
    return "\n".join([f"Usage: {SYNOPSIS}", objects, "", *option_lines(_OPTIONS), ""])


def _options(ctx: Context, words: list[str]) -> tuple[list[str], Style]:
    """The options before the object; all may be cut short and begin with one dash or two."""
    given: dict[str, int] = {}
    family: int | None = None
    while words and words[0].startswith("-"):
        word = words.pop(0)
        text = word.lstrip("-")
        if text in ("4", "6"):
            family = int(text)
        elif text.startswith("f") and "family".startswith(text) and words:
            family = {"inet": 4, "inet6": 6}.get(words.pop(0))
        elif text in ("V", "Version"):
            return ["-V"], Style()
        elif text in ("h", "help"):
            return ["help"], Style()
        elif text.startswith("c=") or text.startswith("color=") or text in ("c", "color"):
            continue
        else:
            name = next((name for short, name in _LONG if text and name.startswith(text) and len(text) >= short), None)
            if name is None:
                raise UsageError(f'Option "{word}" is unknown, try "ip -help".\n', 255)
            given[name] = given.get(name, 0) + 1
    style = Style(
        brief="brief" in given,
        one_line="oneline" in given,
        statistics=given.get("statistics", 0),
        details="details" in given,
        json="json" in given,
        pretty="pretty" in given,
        family=family,
    )
    return words, style


# How many letters of a name are needed.
_LONG = ((2, "brief"), (1, "oneline"), (1, "statistics"), (1, "details"), (1, "json"), (1, "pretty"), (1, "resolve"),
         (1, "Numeric"), (1, "timestamp"))  # fmt: skip


def _command(words: list[str], commands: Sequence[str]) -> str | None:
    """The command that the first word means; `show` if there is none."""
    if not words:
        return "show"
    return next((name for name in commands if name.startswith(words[0])), None)


def _unknown(ctx: Context, word: str, kind: str) -> int:
    ctx.error(f'Command "{word}" is unknown, try "ip {kind} help".')
    return 255


def _address(ctx: Context, style: Style, words: list[str]) -> int:
    command = _command(words, ("show", "list", "lst", "add", "del", "change", "replace", "flush", "save", "help"))
    if command is None:
        return _unknown(ctx, words[0], "address")
    if command in ("add", "del", "flush"):
        return ip_changes.address(ctx, command, words[1:])
    if command not in ("show", "list", "lst"):
        return _change(ctx, f"ip address {command}", words[1:])
    found = _selected(ctx, words[1:])
    if style.json:
        facts = [ip_output.link_facts(each, _address_facts(each, style)) for each in found]
        ip_output.show_json(ctx, style, facts)
        return 0
    if style.family:
        found = [each for each in found if any((":" in address) == (style.family == 6) for address in each.addresses)]
    if style.brief:
        for each in found:
            ctx.line(ip_output.brief_line(each, style, True))
    elif style.one_line:
        for each in found:
            for line in ip_output.one_line_addresses(each, style):
                ctx.line(line)
    else:
        ip_output.show(ctx, style, [ip_output.link_lines(ctx, each, style, addresses=True) for each in found])
    return 0


def _address_facts(interface: Interface, style: Style) -> list[dict[str, object]]:
    chosen = [a for a in interface.addresses if style.family is None or (":" in a) == (style.family == 6)]
    return [interfaces.address_facts(interface, address) for address in chosen]


def _link(ctx: Context, style: Style, words: list[str]) -> int:
    command = _command(words, ("show", "list", "lst", "set", "add", "delete", "change", "replace", "xstats", "help"))
    if command is None:
        return _unknown(ctx, words[0], "link")
    if command == "set":
        return ip_changes.link(ctx, words[1:])
    if command in ("add", "delete") and "help" not in words:
        return (ip_changes.add_link if command == "add" else ip_changes.delete_link)(ctx, words[1:])
    if command not in ("show", "list", "lst"):
        return _change(ctx, f"ip link {command}", words[1:])
    found = _selected(ctx, words[1:])
    if style.json:
        ip_output.show_json(ctx, style, [ip_output.link_facts(each, None) for each in found])
    elif style.brief:
        for each in found:
            ctx.line(ip_output.brief_line(each, style, False))
    else:
        ip_output.show(ctx, style, [ip_output.link_lines(ctx, each, style, addresses=False) for each in found])
    return 0


def _selected(ctx: Context, words: list[str]) -> list[Interface]:
    """The interfaces that the rest of the line chooses. Raises UsageError."""
    found = list(network.interfaces(ctx.world, ctx.host))
    queue = list(words)
    while queue:
        word = queue.pop(0)
        if word == "up":
            found = [each for each in found if each.up]
        elif word == "type" and queue:
            found = _of_type(found, queue.pop(0))
        elif word == "master" and queue:
            name = queue.pop(0)
            if not any(each.name == name for each in network.interfaces(ctx.world, ctx.host)):
                raise UsageError(f'Error: argument "{name}" is wrong: Device does not exist\n\n', 255)
            found = [each for each in found if each.master == name]
        elif word == "scope" and queue:
            queue.pop(0)
        elif word not in ("primary", "secondary", "permanent", "dynamic"):
            name = queue.pop(0) if word == "dev" and queue else word
            found = [each for each in found if each.name == name]
            if not found:
                raise UsageError(f'Device "{name}" does not exist.\n')
    return found


def _of_type(found: list[Interface], kind: str) -> list[Interface]:
    kinds = {"bond": "bond", "ipoib": "infiniband", "vlan": "vlan"}
    return [each for each in found if each.kind == kinds.get(kind, "?")]


def _change(ctx: Context, what: str, words: list[str]) -> int:
    if what.endswith("help"):
        ctx.stderr.write(_usage().encode())
        return 255
    if "dev" in words[:-1]:
        name = words[words.index("dev") + 1]
        if network.interface(ctx.world, ctx.host, name) is None:
            ctx.error(f'Cannot find device "{name}"')
            return 1
    if not ctx.is_root:
        ctx.error("RTNETLINK answers: Operation not permitted")
        return 2
    return ctx.not_modelled(what)


def _route(ctx: Context, style: Style, words: list[str]) -> int:
    command = _command(words, ("show", "list", "lst", "get", "add", "del", "change", "replace", "append", "flush",
                               "save", "restore", "help"))  # fmt: skip
    if command is None:
        return _unknown(ctx, words[0], "route")
    if command == "get":
        return _route_get(ctx, words[1:])
    if command not in ("show", "list", "lst"):
        return _change(ctx, f"ip route {command}", words[1:])
    found = interfaces.routes(ctx, style.family or 4)
    rest = words[1:]
    if "dev" in rest[:-1]:
        found = [route for route in found if route.interface.name == rest[rest.index("dev") + 1]]
    if style.json:
        ip_output.show_json(ctx, style, [ip_output.route_facts(route) for route in found])
    else:
        for route in found:
            ctx.line(ip_output.route_line(route))
    return 0


def _route_get(ctx: Context, words: list[str]) -> int:
    if not words:
        ctx.error("need at least a destination address")
        return 255
    address = words[0]
    try:
        found = interfaces.route_to(ctx, address)
    except ValueError:
        ctx.error(f'Error: any valid prefix is expected rather than "{address}".')
        return 1
    own = [a.partition("/")[0] for each in network.interfaces(ctx.world, ctx.host) for a in each.addresses]
    if address in own:
        ctx.line(f"local {address} dev lo src {address} uid {ctx.identity.uid} ")
    elif found is None:
        ctx.error("RTNETLINK answers: Network is unreachable")
        return 2
    else:
        ctx.line(f"{address} dev {found.interface.name} src {found.source} uid {ctx.identity.uid} ")
    ctx.line("    cache ")
    return 0


def _neighbours(ctx: Context, style: Style, words: list[str]) -> int:
    command = _command(words, ("show", "list", "lst", "add", "del", "change", "replace", "flush", "get", "help"))
    if command is None:
        return _unknown(ctx, words[0], "neigh")
    if command in ("add", "change", "replace", "del", "flush"):
        return ip_changes.neighbour(ctx, command, words[1:])
    if command not in ("show", "list", "lst"):
        return _change(ctx, f"ip neigh {command}", words[1:])
    found = interfaces.neighbours(ctx)
    if "dev" in words[:-1]:
        found = [each for each in found if each.interface == words[words.index("dev") + 1]]
    if style.json:
        ip_output.show_json(ctx, style, [_neighbour_facts(each) for each in found])
        return 0
    for each in found:
        ctx.line(ip_output.neighbour_line(each))
    return 0


def _neighbour_facts(neighbour: interfaces.Neighbour) -> dict[str, object]:
    mac = {"lladdr": neighbour.mac} if neighbour.mac else {}
    return {"dst": neighbour.address, "dev": neighbour.interface, **mac, "state": [neighbour.state]}


def _rule(ctx: Context, style: Style, words: list[str]) -> int:
    if words and not "show".startswith(words[0]) and not "list".startswith(words[0]):
        return _change(ctx, f"ip rule {words[0]}", words[1:])
    for number, table in ((0, "local"), (32766, "main"), (32767, "default")):
        ctx.line(f"{number}:\tfrom all lookup {table}")
    return 0


def _help(ctx: Context, style: Style, words: list[str]) -> int:
    ctx.stderr.write(_usage().encode())
    return 0 if ctx.arguments[:1] == ("--help",) else 255


_HANDLERS: dict[str, Callable[[Context, Style, list[str]], int]] = {
    "address": _address, "link": _link, "route": _route, "neigh": _neighbours, "rule": _rule, "help": _help,
}  # fmt: skip

COMMAND = Command(
    "ip",
    "show and change network interfaces, addresses and neighbours; show routes",
    run,
    SYNOPSIS,
    _OPTIONS,
    """Objects and commands may be cut short: `ip a`, `ip l`, `ip r`, `ip n`, `ip -br a`. LOWER_UP means that there is
a signal, NO-CARRIER that there is none. Changes (`ip link set NAME up|down|mtu N`, `ip addr add|del ADDRESS/LENGTH dev
NAME`, `ip neigh flush dev NAME`) need root and last until the next boot. InfiniBand ports show up as IPoIB
interfaces.""",
    path="/usr/sbin",
    section=8,
    complete=lambda ctx, words: [*_OBJECTS, *(each.name for each in network.interfaces(ctx.world, ctx.host))],
)
