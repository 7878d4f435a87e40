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
