"""dcb of iproute2 6.1: quality of service of an interface by the kernel's DCB interface. Format: iproute2's dcb/*.c.

pfc, ets, app (DSCP), buffer and maxrate can be shown; pfc and DSCP priorities can be set. Willingness, CEE and other
selectors are not modelled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.ethernet._adapters.finding import by_interface
from engine.commands.ethernet.mlnx__qos import buffer_sizes, buffers_of
from engine.commands.options import Option
from engine.control import network
from engine.physics.ethernet.settings import SetPortQos
from engine.world.inventory import Hca
from engine.world.records import PortQos
from engine.world.records.ethernet import PRIORITIES, TRUST_DSCP

_OBJECTS = ("app", "buffer", "ets", "maxrate", "pfc", "dcbx", "rewr", "apptrust", "help")
_NAMES = {0: "CS0", 8: "CS1", 10: "AF11", 12: "AF12", 14: "AF13", 16: "CS2", 18: "AF21", 20: "AF22", 22: "AF23",
          24: "CS3", 26: "AF31", 28: "AF32", 30: "AF33", 32: "CS4", 34: "AF41", 36: "AF42", 38: "AF43", 40: "CS5",
          46: "EF", 48: "CS6", 56: "CS7"}  # fmt: skip
_TOTAL = 4_151_520


def run(ctx: Context) -> int:
    """Show or set what an object has."""
    words = [word for word in ctx.arguments if not word.startswith("-")]
    if "-V" in ctx.arguments or "--Version" in ctx.arguments:
        ctx.line("dcb utility, iproute2-6.1.0")
        return 0
    if any(word in ("-j", "--json", "-s") for word in ctx.arguments):
        return ctx.not_modelled("dcb with other output")
    if not words or words[0] == "help":
        ctx.stderr.write(b"Usage: dcb [ OPTIONS ] { app | buffer | ets | maxrate | pfc } { show | set } dev DEV\n")
        return 0 if words else 1
    kind = next((each for each in _OBJECTS if each.startswith(words[0])), None)
    if kind is None:
        ctx.error(f'Object "{words[0]}" is unknown, try "dcb help".')
        return 1
    command, rest = words[1] if len(words) > 1 else "help", words[2:]
    if rest[:1] != ["dev"] or len(rest) < 2:
        ctx.error("Invalid device specified" if rest else f'What is "{command}"?')
        return 1
    hca = by_interface(ctx, rest[1])
    if hca is None:
        known = network.interface(ctx.world, ctx.host, rest[1])
        text = "Operation not supported" if known else "No such device"
        ctx.error(f"Attribute {'IEEE' if known else 'not found'}: {text}" if known else f"RTNETLINK answers: {text}")
        return 1
    if "show".startswith(command) and kind in _SHOWN:
        for line in _SHOWN[kind](ctx.world.port_qos[hca.port]):
            ctx.line(line)
        return 0
    if command in ("set", "replace", "add") and kind in ("pfc", "app"):
        return _set(ctx, kind, hca, rest[2:])
    return ctx.not_modelled(f"dcb {kind} {command}")


def _pairs(values: Sequence[object]) -> str:
    return "".join(f"{number}:{value} " for number, value in enumerate(values))


def _words(values: Sequence[bool]) -> list[str]:
    return ["on" if value else "off" for value in values]


def _pfc(qos: PortQos) -> Iterator[str]:
    yield f"pfc-cap 8 macsec-bypass off delay {qos.cable_m} "
    yield f"prio-pfc {_pairs(_words(qos.pause_sent))}"


def _ets(qos: PortQos) -> Iterator[str]:
    way = ["strict" if strict else "ets" if any(qos.weights) else "vendor" for strict in qos.strict]
    yield "willing off ets-cap 8 cbs off "
    yield f"tc-bw {_pairs(qos.weights)}"
    yield f"pg-bw {_pairs([0] * PRIORITIES)}"
    yield f"tc-tsa {_pairs(way)}"
    yield f"prio-tc {_pairs(qos.classes)}"
    yield f"reco-tc-bw {_pairs([0] * PRIORITIES)}"
    yield f"reco-tc-tsa {_pairs(['strict'] * PRIORITIES)}"
    yield f"reco-prio-tc {_pairs([0] * PRIORITIES)}"


def _app(qos: PortQos) -> Iterator[str]:
    if qos.default_priority:
        yield f"default-prio {qos.default_priority} "
    if qos.trust == TRUST_DSCP:
        texts = (f"{_NAMES.get(dscp, str(dscp))}:{priority} " for dscp, priority in enumerate(qos.priorities))
        yield f"dscp-prio {''.join(texts)}"


def _buffer(qos: PortQos) -> Iterator[str]:
    yield f"prio-buffer {_pairs(buffers_of(qos))}"
    yield f"buffer-size {_pairs([f'{size}b' for size in buffer_sizes(qos)])}"
    yield f"total-size {_TOTAL}b "


def _maxrate(qos: PortQos) -> Iterator[str]:
    yield f"tc-maxrate {_pairs([f'{limit}Gbit' if limit else '0bit' for limit in qos.rate_limits])}"


_SHOWN: dict[str, Callable[[PortQos], Iterator[str]]] = {
    "pfc": _pfc, "ets": _ets, "app": _app, "buffer": _buffer, "maxrate": _maxrate,
}  # fmt: skip


def _set(ctx: Context, kind: str, hca: Hca, words: Sequence[str]) -> int:
    """prio-pfc PRIO:on ..., or dscp-prio DSCP:PRIO ..."""
    key = "prio-pfc" if kind == "pfc" else "dscp-prio"
    if not words or words[0] != key:
        return ctx.not_modelled(f"dcb {kind} set {words[0] if words else ''}")
    qos = ctx.world.port_qos[hca.port]
    changed: list[object] = list(qos.pause_sent if kind == "pfc" else qos.priorities)
    for word in words[1:]:
        left, _, right = word.partition(":")
        places = range(len(changed)) if left == "all" else [_place(left)]
        value = _value(kind, right)
        if value is None or any(not 0 <= place < len(changed) for place in places):
            ctx.error(f'Invalid value "{word}" for {key}')
            return 1
        for place in places:
            changed[place] = value
    if not ctx.is_root:
        ctx.error("RTNETLINK answers: Operation not permitted")
        return 1
    now = tuple(changed)
    changes = (
        (("pause_sent", now), ("pause_obeyed", now)) if kind == "pfc" else (("priorities", now), ("trust", TRUST_DSCP))
    )
    ctx.simulation.apply(SetPortQos((hca.port,), changes))
    return 0


def _place(text: str) -> int:
    named = next((dscp for dscp, name in _NAMES.items() if name == text), -1)
    return int(text) if text.isdigit() else named


def _value(kind: str, text: str) -> object:
    if kind == "pfc":
        return {"on": True, "off": False}.get(text)
    return int(text) if text.isdigit() and int(text) < PRIORITIES else None


COMMAND = Command(
    "dcb",
    "show and set the quality of service of an interface",
    run,
    "dcb { pfc | ets | app | buffer | maxrate } { show | set } dev DEV",
    (Option("V", "Version", help="print the version"),),
    "mlnx_qos shows the same in one report. Changes need root and last until the next boot or reset of the adapter.",
    path="/usr/sbin",
    section=8,
    complete=lambda ctx, words: [*_OBJECTS, *(hca.netdev for hca in ctx.node.hcas)],
)
