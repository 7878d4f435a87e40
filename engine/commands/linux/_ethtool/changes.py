"""ethtool -A, -C, -G, -K, -L, -s and --set-fec on mlx5 interfaces, with the refusals of kernel and driver.

Words: ethtool 6.7; extack texts of mlx5 and of net/ethtool (Linux 6.8) as far as they are known; others are guesses.
Global pause and PFC exclude each other: mlx5 refuses pause while PFC is on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from engine.commands.context import Context
from engine.commands.linux._ethtool.link import supported_modes
from engine.commands.linux._ethtool.tables import FEATURES, SHORT_NAMES
from engine.commands.options import UsageError
from engine.control.interface_settings import MOST_CHANNELS, MOST_RING, RINGS, SetOnInterface, state
from engine.physics.ethernet.settings import SetPortFec
from engine.world.inventory import Hca

_BAD = "ethtool: bad command line argument(s)\nFor more information run ethtool -h\n"
_FECS = {"auto": "", "rs": "rs", "baser": "baser", "off": "off"}

_GAP = "not modelled"

Words = dict[str, str]


def change(ctx: Context, option: str, hca: Hca, words: Sequence[str]) -> int:
    """Do what an option asks. Gives the exit status."""
    if not words or len(words) % 2:
        raise UsageError(_BAD)
    pairs = dict(zip(words[::2], words[1::2], strict=True))
    if not ctx.is_root:
        ctx.error("netlink error: Operation not permitted")
        return 1
    refusal = _OPTIONS[option](ctx, hca, pairs)
    if refusal == _GAP:
        return ctx.not_modelled(f"ethtool -{option} with another speed")
    if refusal:
        ctx.error(refusal)
        return 1
    return 0


def _set(ctx: Context, hca: Hca, **changes: object) -> None:
    ctx.simulation.apply(SetOnInterface(ctx.host, hca.netdev, tuple(changes.items())))


def _switch(text: str) -> bool:
    if text not in ("on", "off"):
        raise UsageError(_BAD)
    return text == "on"


def _number(text: str) -> int:
    if not text.isdigit():
        raise UsageError(_BAD)
    return int(text)


def _known(pairs: Words, *names: str) -> None:
    if not set(pairs) <= set(names):
        raise UsageError(_BAD)


def _pause(ctx: Context, hca: Hca, pairs: Words) -> str:
    _known(pairs, "autoneg", "rx", "tx")
    if pairs.get("autoneg") == "on":
        return "netlink error: Operation not supported"
    before = state(ctx.world, ctx.host, hca.netdev).pause
    wanted = tuple(_switch(pairs[way]) if way in pairs else old for way, old in zip(("rx", "tx"), before, strict=True))
    if any(wanted) and any(ctx.world.port_qos[hca.port].pause_sent):
        return "netlink error: Operation not supported"
    _set(ctx, hca, pause=wanted)
    return ""


def _rings(ctx: Context, hca: Hca, pairs: Words) -> str:
    _known(pairs, "rx", "tx")
    sizes = {way: _number(text) for way, text in pairs.items()}
    for way, size in sizes.items():
        if size > MOST_RING:
            return f"netlink error: requested ring size exceeds maximum (offset {36 if way == 'rx' else 60})\n" + (
                "netlink error: Invalid argument"
            )
        if size & (size - 1) or size < 2:
            return "netlink error: Invalid argument"
    before = state(ctx.world, ctx.host, hca.netdev).rings or (RINGS, RINGS)
    _set(ctx, hca, rings=(sizes.get("rx", before[0]), sizes.get("tx", before[1])))
    return ""


def _channels(ctx: Context, hca: Hca, pairs: Words) -> str:
    _known(pairs, "combined")
    count = _number(pairs["combined"])
    cpu = ctx.node.cpu
    if count > min(MOST_CHANNELS, cpu.sockets * cpu.cores * cpu.threads):
        return "netlink error: requested channel count exceeds maximum (offset 36)\nnetlink error: Invalid argument"
    if not count:
        return "netlink error: requested channel counts would result in no RX or TX channel being configured\n" + (
            "netlink error: Invalid argument"
        )
    _set(ctx, hca, channels=count)
    return ""


def _coalescing(ctx: Context, hca: Hca, pairs: Words) -> str:
    names = {"rx-usecs": "rx_usecs", "rx-frames": "rx_frames", "tx-usecs": "tx_usecs", "tx-frames": "tx_frames"}
    flags = {"adaptive-rx": "adaptive_rx", "adaptive-tx": "adaptive_tx"}
    _known(pairs, *names, *flags)
    changes: dict[str, bool | int] = {}
    for word, text in pairs.items():
        changes[flags.get(word) or names[word]] = _switch(text) if word in flags else _number(text)
    _set(ctx, hca, coalescing=dataclasses.replace(state(ctx.world, ctx.host, hca.netdev).coalescing, **changes))  # type: ignore[arg-type]
    return ""


def _features(ctx: Context, hca: Hca, pairs: Words) -> str:
    rows = {line.split()[0]: line.split()[1:] for line in FEATURES.strip("\n").splitlines()}
    wanted = {SHORT_NAMES.get(word, word): _switch(text) for word, text in pairs.items()}
    unknown = next((name for name in wanted if name not in rows), None)
    if unknown is not None:
        raise UsageError(_BAD)
    if any("fixed" in rows[name] for name in wanted):
        return "Could not change any device features"
    changed = dict(state(ctx.world, ctx.host, hca.netdev).features) | wanted
    kept = {name: on for name, on in changed.items() if on != (rows[name][0] == "on")}
    _set(ctx, hca, features=tuple(sorted(kept.items())))
    return ""


def _link(ctx: Context, hca: Hca, pairs: Words) -> str:
    """-s speed N autoneg off: the other end does not follow, so another speed takes the link down."""
    _known(pairs, "speed", "autoneg", "duplex")
    forced = None if pairs.get("autoneg", "on") == "on" and "speed" not in pairs else _number(pairs.get("speed", "0"))
    if forced is None:
        _set(ctx, hca, forced_speed=None)
        return ""
    if not any(mode.startswith(f"{forced}base") for mode in supported_modes(hca.rate)):
        return "netlink error: Invalid argument"
    if forced != hca.rate * 1000:
        return _GAP
    _set(ctx, hca, forced_speed=forced)
    return ""


def _fec(ctx: Context, hca: Hca, pairs: Words) -> str:
    _known(pairs, "encoding")
    if pairs["encoding"] not in _FECS:
        raise UsageError(_BAD)
    ctx.simulation.apply(SetPortFec(hca.port, _FECS[pairs["encoding"]]))
    return ""


_OPTIONS: dict[str, Callable[[Context, Hca, Words], str]] = {
    "A": _pause, "C": _coalescing, "G": _rings, "K": _features, "L": _channels, "s": _link, "set-fec": _fec,
}  # fmt: skip
