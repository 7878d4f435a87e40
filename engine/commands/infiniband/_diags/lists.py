"""ibhosts and ibswitches: scripts around ibnetdiscover that keep the lines of one kind of node. Modelled on those of
rdma-core 54.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import local_device
from engine.commands.infiniband._diags.discovery import Node, discover, listed
from engine.commands.infiniband._diags.program import FATAL
from engine.commands.options import Option, Parsed, UsageError

_WITH_VALUE = {"-C": "Ca", "--Ca": "Ca", "-P": "Port", "--Port": "Port", "-t": "timeout", "--timeout": "timeout"}
_KEY = ("-y", "--m_key")
_OPTIONS = (
    Option("y", "m_key", "key", help="the management key to use"),
    Option("C", "Ca", "ca", help="the local device to use"),
    Option("P", "Port", "port", help="the local port to use"),
    Option("t", "timeout", "ms", help="how long to wait for an answer"),
    Option("h", "help", help="print this text"),
)


def lister(name: str, summary: str, kind: str, shown: Callable[[Node], str]) -> Command:
    """The command that lists nodes of `kind`."""

    def run(context: Context) -> int:
        return _run(context, name, kind, shown)

    return Command(
        name,
        summary,
        run,
        synopsis=f"{name} [-h] [-y mkey -C ca_name -P ca_port -t timeout_ms]",
        options=_OPTIONS,
        manual="Runs ibnetdiscover and keeps what it asks for. Needs root.",
        path="/usr/sbin",
        section=8,
    )


def _run(context: Context, name: str, kind: str, shown: Callable[[Node], str]) -> int:
    parsed = _parse(context, name)
    if parsed.operands:
        return context.not_modelled(f"{name} of a topology file")
    device = local_device(context, parsed)
    if device is None:
        number = parsed["Port"] or "0"
        context.error(f"./libibnetdisc/ibnetdisc.c:798; can't open MAD port ({parsed['Ca'] or '(null)'}:{number})")
        context.line("/usr/sbin/ibnetdiscover: iberror: failed: discover failed")
        return FATAL
    for node in listed(discover(context.world, device.hca), kind):
        context.line(shown(node))
    return 0


def _parse(context: Context, name: str) -> Parsed:
    usage = f"Usage: {name} [-h] [<topology-file> | -y mkey -C ca_name -P ca_port -t timeout_ms]\n"
    parsed, words = Parsed([]), list(context.arguments)
    while words:
        word = words.pop(0)
        if word in _WITH_VALUE or word in _KEY:
            if not words or (word in _KEY and words[0].startswith("-")):
                raise UsageError(usage, FATAL)
            parsed.given.append((_WITH_VALUE.get(word, "m_key"), words.pop(0)))
        elif word.startswith("-") or parsed.operands:
            raise UsageError(usage, FATAL)
        else:
            parsed.operands.append(word)
    return parsed
