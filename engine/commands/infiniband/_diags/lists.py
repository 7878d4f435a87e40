"""ibhosts, ibswitches, ibrouters and ibnodes: scripts around ibnetdiscover that keep the lines of some kinds of node.

Modelled on those of rdma-core 54. With a topology file they read that instead of the fabric. ibnodes runs ibhosts and
ibswitches, one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import local_device
from engine.commands.infiniband._diags.discovery import ADAPTER, SWITCH, Node, discover, listed, unanswered
from engine.commands.infiniband._diags.names import absolute
from engine.commands.infiniband._diags.program import FATAL, told_timeouts
from engine.commands.options import Option, Parsed, UsageError
from engine.hostfs.tree import FileError

Shown = Mapping[str, Callable[[Node], str]]

_WITH_VALUE = {"-C": "Ca", "--Ca": "Ca", "-P": "Port", "--Port": "Port", "-t": "timeout", "--timeout": "timeout"}
_KEY = ("-y", "--m_key")
_OPTIONS = (
    Option("y", "m_key", "key", help="the management key to use"),
    Option("C", "Ca", "ca", help="the local device to use"),
    Option("P", "Port", "port", help="the local port to use"),
    Option("t", "timeout", "ms", help="how long to wait for an answer"),
    Option("h", "help", help="print this text"),
)
_WORDS = {ADAPTER: "Ca", SWITCH: "Switch"}
_NODE = re.compile(r'(Ca|Switch)\s+(\d+)\s+"[HS]-([0-9a-f]{16})"\s+#\s*(.*)')


def lister(name: str, summary: str, shown: Shown) -> Command:
    """The command that lists nodes of some kinds, in this order."""

    def run(context: Context) -> int:
        return _run(context, name, shown)

    return Command(
        name,
        summary,
        run,
        synopsis=f"{name} [-h] [topology-file | -y mkey -C ca_name -P ca_port -t timeout_ms]",
        options=_OPTIONS,
        manual="Runs ibnetdiscover, or reads what it wrote into a file, and keeps what it asks for. Needs root.",
        path="/usr/sbin",
        section=8,
    )


def _run(context: Context, name: str, shown: Shown) -> int:
    parsed = _parse(context, name)
    if parsed.operands:
        return _of_file(context, parsed.operands[0], shown)
    device = local_device(context, parsed)
    if device is None:
        number = parsed["Port"] or "0"
        context.error(f"./libibnetdisc/ibnetdisc.c:798; can't open MAD port ({parsed['Ca'] or '(null)'}:{number})")
        context.line("/usr/sbin/ibnetdiscover: iberror: failed: discover failed")
        return FATAL
    nodes = discover(context.world, device.hca)
    told_timeouts(context, unanswered(context.world, nodes))
    for kind, line in shown.items():
        for node in listed(nodes, kind):
            context.line(line(node))
    return 0


def _of_file(context: Context, path: str, shown: Shown) -> int:
    try:
        text = context.files.read(absolute(context, path)).decode("utf-8", "replace")
    except FileError as error:
        context.error(f"cat: {path}: {error.text}")
        return 1
    for kind in shown:
        for line in _lines(text, _WORDS[kind]):
            context.line(line)
    return 0


def _lines(text: str, word: str) -> Iterator[str]:
    """The nodes of a kind in a topology file."""
    for match in filter(None, map(_NODE.match, text.splitlines())):
        if match[1] == word:
            yield f"{word}\t: 0x{match[3]} ports {match[2]} {match[4]}"


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
