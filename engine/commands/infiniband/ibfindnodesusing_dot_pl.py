"""ibfindnodesusing.pl of infiniband-diags, a script: the adapters to which a switch sends packets by a port, and those
to which what is at the other end sends them back.

Format: the script of rdma-core 44, and runs of it on a simulator: the name of the switch as topology files write it,
with the word after it; a space before each list; names whose last numbers follow each other are folded. It takes a name
for a GUID with zeros before it, and so finds none. Guess: that it asks each time what the real one keeps in a file
until -R.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import by_name
from engine.commands.infiniband._diags.discovery import ADAPTER, SWITCH, Node, discover
from engine.commands.options import Option, UsageError, parse
from engine.physics.traffic import forwarding
from engine.world.records import LogicalState
from engine.world.world import World

_OPTIONS = (
    Option("h", help="print the usage"),
    Option("R", help="look at the fabric again"),
    Option("C", argument="CA_NAME", help="the local device to use"),
    Option("P", argument="CA_PORT", help="the local port to use"),
)
_NAME = "ibfindnodesusing.pl"
_DIGITS = re.compile(r"(.*?)(\d*)$", re.DOTALL)
_USAGE = """\
Usage: ibfindnodesusing.pl [-R -C <ca_name> -P <ca_port>] <switch_guid|switch_name> <port>
   find a list of nodes which are routed through switch:port
   -R Recalculate ibnetdiscover information
   -C <ca_name> use selected Channel Adaptor name for queries
   -P <ca_port> use selected channel adaptor port for queries
"""


def run(context: Context) -> int:
    """Both directions of a switch's port."""
    try:
        parsed = parse(_NAME, _OPTIONS, context.arguments, permute=False)
    except UsageError as mistake:
        unknown = re.search(r"invalid option -- '(.)'", mistake.text)
        if unknown:
            context.error(f"Unknown option: {unknown[1]}")
        context.write(_USAGE)
        return 2
    if "h" in parsed or len(parsed.operands) < 2:
        context.write(_USAGE)
        return 2
    nodes = _fabric(context, parsed["C"])
    if nodes is None:
        context.error("Execution of ibnetdiscover failed with errors")
        return 1
    wanted, number = _as_guid(parsed.operands[0]), parsed.operands[1]
    switch = next((node for node in nodes if node.kind == SWITCH and f"0x{node.guid:016x}" == wanted), None)
    if switch is None:
        context.line(f'Switch "{wanted}" not found\n   Try running with the "-R" or "-P" option.')
        return 1
    port = switch.port(int(number)) if number.isdecimal() else None
    far = port.far if port else None
    ends = f'0x{switch.guid:016x} {number} ("{switch.description}" enhanced)', "  ()"
    if far:
        ends = ends[0], f"0x{far.node.guid:016x} {far.number} ({far.node.description})"
    there = _routed(context.world, nodes, switch, int(number)) if far else []
    back = _routed(context.world, nodes, far.node, far.number) if far else []
    context.line(f"{ends[0]}  ==>>  {ends[1]}\n{_listed(there)}\n")
    context.line(f"{ends[0]}  <<==  {ends[1]}\n{_listed(back)}")
    return 0


def _fabric(context: Context, name: str | None) -> list[Node] | None:
    """What ibnetdiscover finds; None where it cannot look."""
    usable = [each for each in by_name(context) if not each.ethernet and name in (None, "", each.name)]
    linked = [each for each in usable if each.state is not LogicalState.DOWN]
    return discover(context.world, linked[0].hca) if linked and context.is_root else None


def _as_guid(text: str) -> str:
    """As the script writes what it takes for a GUID: hexadecimal letters small, zeros before it."""
    small = text.removeprefix("0x").translate(str.maketrans("ABCDEF", "abcdef"))
    return f"0x{small:0>16}"


def _routed(world: World, nodes: Sequence[Node], start: Node, number: int) -> list[str]:
    """Adapters whose LIDs the table of a switch sends by a port, in the order of the LIDs; none for an adapter."""
    if not start.is_switch:
        return []
    found = [each for each in nodes if each.kind == ADAPTER and each.lid]
    through = (each for each in found if forwarding.next_port(world, start.id, each.lid) == number)
    return [each.description for each in sorted(through, key=lambda each: each.lid)]


def _listed(names: Sequence[str]) -> str:
    """The names by what stands before their last number, runs of numbers as one; a space before the first."""
    groups: dict[str, list[list[str]]] = {}
    for head, digits in sorted(map(_parts, names), key=lambda parts: int(parts[1] or 0)):
        runs = groups.setdefault(head, [])
        if runs and int(runs[-1][-1] or 0) == int(digits or 0) - 1:
            runs[-1].append(digits)
        else:
            runs.append([digits])
    return "".join(f" {text}" for head in sorted(groups) for text in _runs(head, groups[head]))


def _runs(head: str, runs: Sequence[Sequence[str]]) -> Iterator[str]:
    for run_of in runs:
        yield f"{head}{run_of[0]}-{run_of[-1]}" if len(run_of) > 1 else f"{head}{run_of[0]}"


def _parts(name: str) -> tuple[str, str]:
    found = _DIGITS.match(name)
    return (found[1], found[2]) if found else (name, "")


COMMAND = Command(
    _NAME,
    "find the nodes that are routed through a switch's port",
    run,
    "ibfindnodesusing.pl [-R -C CA_NAME -P CA_PORT] SWITCH_GUID PORT",
    _OPTIONS,
    "Lists the adapters to which a switch sends packets by a port (==>>), and those to which the other end of the link "
    "sends\nthem back (<<==). Needs root.",
    "/usr/sbin",
    8,
)
