"""What ip of iproute2 6.1 changes: links up and down, their MTU and alias, addresses, neighbours; and its refusals."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_interface

from engine.commands.context import Context
from engine.control import interface_settings, network
from engine.control.interface_settings import AddAddress, RemoveAddress, SetMtu, SetOnInterface
from engine.kernel.actions import Action
from engine.world.records import NeighbourEntry

_FORBIDDEN = "RTNETLINK answers: Operation not permitted"
_VLANS = 4096
_NO_DEVICE = 'Not enough of information: "dev" argument is required.'


def link(ctx: Context, words: Sequence[str]) -> int:
    """ip link set."""
    name, settings, gap = _link_words(list(words))
    if not name:
        ctx.error('Not enough of information: "dev" argument is required.')
        return 255
    if network.interface(ctx.world, ctx.host, name) is None:
        ctx.error(f'Cannot find device "{name}"')
        return 1
    if "mtu" in settings and not settings["mtu"].isdigit():
        ctx.error(f'Error: argument "{settings["mtu"]}" is wrong: Invalid "mtu" value\n')
        return 255
    if (settings or gap) and not ctx.is_root:
        ctx.error(_FORBIDDEN)
        return 2
    if gap:
        return ctx.not_modelled(f"ip link set {gap}")
    return max((_apply(ctx, _link_action(ctx, name, key, value)) for key, value in settings.items()), default=0)


def add_link(ctx: Context, words: Sequence[str]) -> int:
    """ip link add link PARENT name NAME type vlan id N."""
    given, queue = dict[str, str](), list(words)
    while queue:
        word = queue.pop(0)
        key = word if word in ("link", "name", "type", "id", "dev") and queue else "name"
        given["name" if key == "dev" else key] = queue.pop(0) if key == word else word
    kind = given.get("type")
    if kind is None:
        ctx.error("Not enough information: \"type\" argument is required")
        return 255
    if kind != "vlan":
        return ctx.not_modelled(f"ip link add type {kind}")
    number = given.get("id", "")
    if "id" in given and not (number.isdigit() and int(number) < _VLANS):
        ctx.error(f'Error: argument "{number}" is wrong: id is invalid\n')
        return 255
    if not number:
        ctx.error("Error: 8021q: VLAN properties not specified.")
        return 2
    if "link" not in given:
        ctx.error("Error: 8021q: link not specified.")
        return 2
    if not ctx.is_root:
        ctx.error(_FORBIDDEN)
        return 2
    name = given.get("name", f"vlan{number}")
    return _apply(ctx, interface_settings.AddVlan(ctx.host, given["link"], name, int(number)))


def delete_link(ctx: Context, words: Sequence[str]) -> int:
    """ip link delete NAME."""
    given, name = _with_device(words)
    name = name or next(iter(given), "")
    if not name:
        ctx.error('Not enough of information: "dev" argument is required.')
        return 255
    if not ctx.is_root and network.interface(ctx.world, ctx.host, name):
        ctx.error(_FORBIDDEN)
        return 2
    return _apply(ctx, interface_settings.RemoveInterface(ctx.host, name))


def _link_words(queue: list[str]) -> tuple[str, dict[str, str], str]:
    """The device, what is to be set, and a word that is not modelled."""
    name, settings = "", dict[str, str]()
    while queue:
        word = queue.pop(0)
        if word in ("up", "down"):
            settings["state"] = word
        elif word in ("mtu", "alias") and queue:
            settings[word] = queue.pop(0)
        elif word == "dev" and queue:
            name = queue.pop(0)
        elif not name:
            name = word
        else:
            return name, settings, word
    return name, settings, ""


def _link_action(ctx: Context, name: str, key: str, value: str) -> Action:
    if key == "mtu":
        return SetMtu(ctx.host, name, int(value))
    if key == "alias":
        return SetOnInterface(ctx.host, name, (("alias", value),))
    return network.SetInterface(ctx.host, name, value == "up")


def _apply(ctx: Context, action: Action) -> int:
    refusal = ctx.simulation.apply(action)
    if isinstance(refusal, str):
        ctx.error(refusal)
        return 1 if refusal.startswith("Cannot") else 2
    return 0


def address(ctx: Context, command: str, words: Sequence[str]) -> int:
    """ip address add, del, flush."""
    given, name = _with_device(words)
    if command == "flush":
        return _flush(ctx, name or next(iter(given), ""))
    if not name:
        ctx.error(_NO_DEVICE)
        return 255
    if not given:
        ctx.error('Error: an inet prefix is expected rather than "dev".')
        return 1
    try:
        cidr = str(ip_interface(given[0]))
    except ValueError:
        ctx.error(f'Error: any valid prefix is expected rather than "{given[0]}".')
        return 1
    if network.interface(ctx.world, ctx.host, name) is None:
        ctx.error(f'Cannot find device "{name}"')
        return 1
    if not ctx.is_root:
        ctx.error(_FORBIDDEN)
        return 2
    return _apply(ctx, (AddAddress if command == "add" else RemoveAddress)(ctx.host, name, cidr))


def _flush(ctx: Context, name: str) -> int:
    found = network.interface(ctx.world, ctx.host, name) if name else None
    if found is None:
        ctx.error(f'Device "{name}" does not exist.' if name else "Flush requires arguments.\n")
        return 1
    if not ctx.is_root:
        ctx.error(f"Failed to send flush request: Operation not permitted\n{_FORBIDDEN}")
        return 2
    for cidr in found.addresses:
        ctx.simulation.apply(RemoveAddress(ctx.host, name, cidr))
    return 0


def neighbour(ctx: Context, command: str, words: Sequence[str]) -> int:
    """ip neigh add, change, replace, del, flush."""
    given, name = _with_device(words)
    if not name:
        ctx.error(
            "Device and destination are required arguments." if command != "flush" else "Flush requires arguments."
        )
        return 255 if command != "flush" else 1
    if network.interface(ctx.world, ctx.host, name) is None:
        ctx.error(f'Cannot find device "{name}"')
        return 1
    if not ctx.is_root:
        ctx.error(_FORBIDDEN)
        return 2
    state = interface_settings.state(ctx.world, ctx.host, name)
    if command == "flush":
        kept = tuple(each for each in state.neighbours if each.permanent)
        changes: tuple[tuple[str, object], ...] = (("neighbours", kept), ("flushed", ctx.now))
    else:
        wanted = given[0] if given else ""
        kept = tuple(each for each in state.neighbours if each.address != wanted)
        if command == "del" and kept == state.neighbours:
            ctx.error("RTNETLINK answers: No such file or directory")
            return 2
        mac = given[given.index("lladdr") + 1] if "lladdr" in given[:-1] else ""
        if command == "add" and kept != state.neighbours:
            ctx.error("RTNETLINK answers: File exists")
            return 2
        entry = () if command == "del" else (NeighbourEntry(wanted, mac),)
        changes = (("neighbours", (*kept, *entry)),)
    ctx.simulation.apply(SetOnInterface(ctx.host, name, changes))
    return 0


def _with_device(words: Sequence[str]) -> tuple[list[str], str]:
    """The words without `dev NAME`, and that name."""
    if "dev" not in words[:-1]:
        return [word for word in words if word != "to"], ""
    place = list(words).index("dev")
    return [*words[:place], *words[place + 2 :]], words[place + 1]
