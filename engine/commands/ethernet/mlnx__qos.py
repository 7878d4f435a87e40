"""mlnx_qos 1.2 of mlnx-tools: quality of service of an mlx5 Ethernet interface.

Words, order of the changes and refusals: the script of mlnx-tools (python/mlnx_qos), under Python 3; captures of
ConnectX-5 and -6. Traffic classes come in the order in which priorities lead to them. Guesses: sizes of receive buffers
of a ConnectX-7 (those of the capture with PFC), and how a default priority is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.ethernet._adapters.finding import by_interface
from engine.commands.options import Option, Parsed, UsageError, parse
from engine.physics.ethernet.settings import SetPortQos
from engine.world.records import PortQos
from engine.world.records.ethernet import PRIORITIES, TRUST_DSCP, TRUST_PCP

_USAGE = "Usage: mlnx_qos -i <interface> [options]\n"
_ENTRIES = 8
_MOST_CABLE, _MOST_GIGABITS = 0xFFFF, 1_000_000
_ALL_BUFFER, _LOSSY_BUFFER, _LOSSLESS_BUFFER, _MOST_BUFFER = 524_160, 19_872, 220_896, 4_151_520
_UNSUPPORTED = (
    "Priority trust state is not supported on your system",
    "Buffers commands are not supported on your system",
    "Rate limit is not supported on your system!",
    "ETS features are not supported on your system",
)
_ALGORITHMS = ("strict", "ets", "vendor")

Changes = dict[str, object]


class _Refused(Exception):
    """The command ends with status 1 after these words on standard output."""


def run(ctx: Context) -> int:
    """Change what was asked, then show everything."""
    try:
        parsed = parse("mlnx_qos", _OPTIONS, ctx.arguments, status=2)
    except UsageError as error:
        raise UsageError(f"{_USAGE}\nmlnx_qos: error: {_as_python(error.text)}\n", 2) from None
    if "help" in parsed:
        ctx.write(_USAGE + "\n" + "\n".join(f"  {_shown(each):<34} {each.help}" for each in _OPTIONS) + "\n")
        return 0
    if "version" in parsed:
        ctx.line("mlnx_qos 1.2")
        return 0
    if parsed.operands or not parsed["interface"]:
        ctx.write(f"{'Bad arguments' if parsed.operands else 'Interface name is required'}\n{_USAGE}\n")
        return 1
    return _on_interface(ctx, parsed)


def _as_python(text: str) -> str:
    """A refusal of getopt in the words of Python's optparse."""
    first = text.removeprefix("mlnx_qos: ").splitlines()[0]
    word = first.partition("'")[2].partition("'")[0].partition("=")[0]
    word = word if word.startswith("--") else f"-{word}"
    return f"{word} option requires 1 argument" if "requires" in first else f"no such option: {word}"


def _on_interface(ctx: Context, parsed: Parsed) -> int:
    hca = by_interface(ctx, parsed["interface"])
    if hca is None:
        ctx.write("".join(f"{line}\n" for line in _UNSUPPORTED))
        return 1
    if parsed["dcbx"] not in (None, "os", "get"):
        return ctx.not_modelled(f"mlnx_qos -d {parsed['dcbx']}")
    try:
        for key, change in _CHANGES:
            if key in parsed:
                changes = change(parsed, ctx.world.port_qos[hca.port])
                _demand_root(ctx, key)
                ctx.simulation.apply(SetPortQos((hca.port,), tuple(changes.items())))
    except _Refused as refusal:
        ctx.write(f"{refusal}\n")
        return 1
    for line in _report(ctx.world.port_qos[hca.port], every="printall" in parsed):
        ctx.line(line)
    return 0


def _demand_root(ctx: Context, key: str) -> None:
    if not ctx.is_root:
        failed = {"trust": _UNSUPPORTED[0], "dscp2prio": "dscp2prio command failed", "ratelimit": _UNSUPPORTED[2]}
        failed |= {"defltprio": "defltprio command failed"}
        failed |= {"prio2buffer": "Buffers commands error", "buffer_size": "Buffers commands error"}
        raise _Refused(failed.get(key, "[Errno 1] Operation not permitted"))


# --- changes ----------------------------------------------------------------------------------------------------------


def _number(text: str, least: int, most: int, what: str) -> int:
    try:
        value = int(text)
        if not least <= value <= most:
            raise ValueError(f"{value} is not in the range {least}..{most}")
    except ValueError as error:
        raise _Refused(f"Bad value for {what}: {error}\n{_USAGE}") from None
    return value


def _list(text: str, names: tuple[str, str], least: int, most: int, what: str) -> tuple[int, ...]:
    """Eight numbers; `names` are how the script calls the list where it is too long and too short."""
    words = text.split(",")
    if len(words) > _ENTRIES:
        raise _Refused(f"Too many items for {names[0]}")
    values = tuple(_number(word, least, most, what) for word in words)
    if len(values) != _ENTRIES:
        raise _Refused(f"{names[1]} must have 8 items")
    return values


def _pfc(parsed: Parsed, qos: PortQos) -> Changes:
    on = tuple(bool(value) for value in _list(parsed["pfc"], ("PFC", "pfc list"), 0, 1, "PFC"))
    return {"pause_sent": on, "pause_obeyed": on}


def _cable(parsed: Parsed, qos: PortQos) -> Changes:
    return {"cable_m": _number(parsed["cable_len"], 0, _MOST_CABLE, "cable_len")}


def _mapping(parsed: Parsed, qos: PortQos) -> Changes:
    """set,DSCP,PRIORITY or del,DSCP,PRIORITY, which puts the DSCP into priority 0. The first one makes trust dscp."""
    if "trust" in parsed:
        raise _Refused("trust and dscp2prio commands cannot be used at the same time.")
    priorities = list(qos.priorities)
    for text in parsed.all("dscp2prio"):
        words = text.split(",")
        numbers = [int(word) for word in words[1:] if word.isdigit()]
        if len(words) != 3 or words[0] not in ("set", "del") or len(numbers) != 2 or numbers[0] > 63 or numbers[1] > 7:
            raise _Refused("Invalid dscp2prio command. Refer to the help.")
        dscp, priority = numbers
        if words[0] == "set":
            priorities[dscp] = priority
        elif priorities[dscp] == priority:
            priorities[dscp] = 0
    return {"priorities": tuple(priorities), "trust": TRUST_DSCP}


def _default_priority(parsed: Parsed, qos: PortQos) -> Changes:
    action, _, text = parsed["defltprio"].partition(",")
    if action not in ("set", "del") or not text.isdigit() or int(text) >= PRIORITIES:
        raise _Refused("Invalid defltprio command. Refer to the help.")
    return {"default_priority": int(text) if action == "set" else 0}


def _trust(parsed: Parsed, qos: PortQos) -> Changes:
    if parsed["trust"] not in (TRUST_DSCP, TRUST_PCP):
        raise _Refused("Invalid trust state command. Refer to the help.")
    if parsed["trust"] == qos.trust:
        return {}
    return {"trust": parsed["trust"], "priorities": tuple(dscp // 8 for dscp in range(64))}


def _buffers(parsed: Parsed, qos: PortQos) -> Changes:
    return {"buffer_of": _list(parsed["prio2buffer"], ("prio2buffer",) * 2, 0, 7, "prio buffer")}


def _sizes(parsed: Parsed, qos: PortQos) -> Changes:
    sizes = _list(parsed["buffer_size"], ("buffer_size",) * 2, 0, _MOST_BUFFER, "buffer size")
    if sum(sizes) > _MOST_BUFFER:
        raise _Refused("Buffers commands error")
    return {"buffers": sizes}


def _limits(parsed: Parsed, qos: PortQos) -> Changes:
    return {"rate_limits": _list(parsed["ratelimit"], ("ratelimit",) * 2, 0, _MOST_GIGABITS, "ratelimit")}


def _algorithms(parsed: Parsed, qos: PortQos) -> Changes:
    """-s, with -t: which classes are strict, and the weights of the others."""
    words = parsed["tsa"].split(",")
    if len(words) > _ENTRIES:
        raise _Refused("Too many items for TSA")
    wrong = next((word for word in words if word not in _ALGORITHMS), None)
    if wrong is not None:
        raise _Refused(f"('Bad TSA value: ', '{wrong}')\n{_USAGE}")
    if len(words) != _ENTRIES:
        raise _Refused("tsa list must have 8 items")
    weights = qos.weights
    if "tcbw" in parsed:
        weights = _list(parsed["tcbw"], ("ETS BW", "tcbw list"), 0, 100, "ETS BW")
        if any(weight and word != "ets" for weight, word in zip(weights, words, strict=True)):
            raise _Refused(f"ETS BW for a strict/vendor TC must be 0\n{_USAGE}")
    if "ets" in words and sum(w for w, word in zip(weights, words, strict=True) if word == "ets") != 100:
        raise _Refused("[Errno 22] Invalid argument")
    kept = tuple(weight if word == "ets" else 0 for weight, word in zip(weights, words, strict=True))
    return {"strict": tuple(word == "strict" for word in words), "weights": kept}


def _bandwidths(parsed: Parsed, qos: PortQos) -> Changes:
    """-t alone: weights of the classes that are weighted already."""
    if "tsa" in parsed:
        return {}
    weights = _list(parsed["tcbw"], ("ETS BW", "tcbw list"), 0, 100, "ETS BW")
    if any(weight and not before for weight, before in zip(weights, qos.weights, strict=True)):
        raise _Refused(f"ETS BW for a strict/vendor TC must be 0\n{_USAGE}")
    if sum(weights) not in (0, 100):
        raise _Refused("[Errno 22] Invalid argument")
    return {"weights": weights}


def _classes(parsed: Parsed, qos: PortQos) -> Changes:
    return {"classes": _list(parsed["prio_tc"], ("UP => TC mapping", "prio_tc list"), 0, 7, "UP => TC mapping")}


_CHANGES: tuple[tuple[str, Callable[[Parsed, PortQos], Changes]], ...] = (
    ("cable_len", _cable), ("pfc", _pfc), ("dscp2prio", _mapping), ("defltprio", _default_priority), ("trust", _trust),
    ("prio2buffer", _buffers), ("buffer_size", _sizes), ("ratelimit", _limits), ("tsa", _algorithms),
    ("tcbw", _bandwidths), ("prio_tc", _classes),
)  # fmt: skip
"""Options that change something, in the order in which the script does it."""


# --- the report -------------------------------------------------------------------------------------------------------


def _report(qos: PortQos, *, every: bool) -> Iterator[str]:
    yield "DCBX mode: OS controlled"
    yield f"Priority trust state: {qos.trust}"
    if qos.trust == TRUST_DSCP:
        yield "dscp2prio mapping:"
        yield from _mapping_lines(qos)
    yield "default priority:"
    if qos.default_priority:
        yield f"\tprio:{qos.default_priority}"
    sizes = "".join(f"{size}," for size in buffer_sizes(qos))
    yield f"Receive buffer size (bytes): {sizes}max_buffer_size={_MOST_BUFFER}"
    yield f"Cable len: {qos.cable_m}"
    yield "PFC configuration:"
    yield "\tpriority    0   1   2   3   4   5   6   7"
    yield "\tenabled     " + "".join(f"{int(on)}   " for on in qos.pause_sent)
    yield "\tbuffer      " + "".join(f"{number}   " for number in buffers_of(qos))
    leading = dict.fromkeys([*range(_ENTRIES), *qos.classes] if every else qos.classes)
    for traffic_class in leading:
        yield from _class_lines(qos, traffic_class)


def _mapping_lines(qos: PortQos) -> Iterator[str]:
    """Eight DSCPs a line, those that were added last first."""
    for priority in range(PRIORITIES):
        found = [f"{dscp:02d}," for dscp in range(63, -1, -1) if qos.priorities[dscp] == priority]
        for start in range(0, len(found), 8):
            yield f"\tprio:{priority} dscp:{''.join(found[start : start + 8])}"


def _class_lines(qos: PortQos, traffic_class: int) -> Iterator[str]:
    limit = qos.rate_limits[traffic_class]
    rate = f"{limit:.1f} Gbps" if limit else "unlimited"
    weight = qos.weights[traffic_class]
    way = "strict" if qos.strict[traffic_class] else f"ets, bw: {weight}%" if any(qos.weights) else "vendor"
    yield f"tc: {traffic_class} ratelimit: {rate}, tsa: {way}"
    yield from (f"\t priority:  {priority}" for priority, to in enumerate(qos.classes) if to == traffic_class)


def buffers_of(qos: PortQos) -> tuple[int, ...]:
    """The receive buffer of each priority: as somebody mapped them, or lossless ones in the second."""
    return qos.buffer_of if any(qos.buffer_of) else tuple(int(on) for on in qos.pause_sent)


def buffer_sizes(qos: PortQos) -> tuple[int, ...]:
    """Bytes of each receive buffer."""
    if qos.buffers:
        return qos.buffers
    lossless = any(qos.pause_sent)
    return (_LOSSY_BUFFER, _LOSSLESS_BUFFER, *(0,) * 6) if lossless else (_ALL_BUFFER, *(0,) * 7)


def _shown(option: Option) -> str:
    words = [f"-{option.short}"] if option.short else []
    words += [f"--{option.long}"] if option.long else []
    return ", ".join(words) + (f" {option.argument}" if option.argument else "")


_OPTIONS = (
    Option("h", "help", help="print this text"),
    Option(None, "version", help="print the version"),
    Option("i", "interface", "INTF", help="the interface"),
    Option("a", None, name="printall", help="show all traffic classes, empty ones too"),
    Option("f", "pfc", "LIST", help="PFC on (1) or off (0) for priorities 0 to 7"),
    Option("p", "prio_tc", "LIST", help="the traffic class of priorities 0 to 7"),
    Option("s", "tsa", "LIST", help="strict, ets or vendor for traffic classes 0 to 7"),
    Option("t", "tcbw", "LIST", help="percent of the ETS classes 0 to 7, 100 together"),
    Option("r", "ratelimit", "LIST", help="Gb/s at most for traffic classes 0 to 7, 0: no limit"),
    Option("d", "dcbx", "MODE", help="who controls DCBX: os or fw (fw is not modelled)"),
    Option(None, "trust", "STATE", help="which priority counts: pcp or dscp"),
    Option(None, "dscp2prio", "CHANGE", help="set,DSCP,PRIORITY or del,DSCP,PRIORITY"),
    Option(None, "defltprio", "CHANGE", help="set,PRIORITY or del,PRIORITY: of packets without one"),
    Option(None, "cable_len", "METRES", help="length for which pause thresholds are worked out"),
    Option(None, "prio2buffer", "LIST", help="the receive buffer of priorities 0 to 7"),
    Option(None, "buffer_size", "LIST", help="bytes of receive buffers 0 to 7"),
)

COMMAND = Command(
    "mlnx_qos",
    "show and set the quality of service of an mlx5 interface",
    run,
    "mlnx_qos -i INTERFACE [OPTION]...",
    _OPTIONS,
    """Changes need root and last until the next boot or reset of the adapter; roce-qos.service sets the site's own.
RoCE needs trust dscp, and PFC on the priority that the switches keep lossless.""",
    complete=lambda ctx, words: [hca.netdev for hca in ctx.node.hcas if hca.link_layer == "Ethernet"],
)
