"""check_lft_balance.pl of infiniband-diags, a script: switches whose forwarding tables use some ports more than
others, from a file of dump_lfts.sh and one of ibnetdiscover --cache.

Rules and texts: the script of rdma-core 44, and runs of it. It counts adapters by out port; looks at ports 1 to 36
only, also of larger switches; leaves out ports that are down and carry nothing, and those that carry one adapter and
are Active (its comparison of names takes all those that do not begin with a number for equal). A switch is unbalanced
where two ports differ by more than one. Simplification: tables with several LIDs for an adapter (LMC) are counted by
their first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.infiniband._diags import cache
from engine.commands.infiniband._diags.discovery import Node
from engine.commands.infiniband._diags.names import absolute
from engine.commands.options import Option, UsageError, parse
from engine.hostfs.tree import FileError
from engine.world.records import LogicalState

_NAME = "check_lft_balance.pl"
_OPTIONS = (
    Option("h", help="print the usage"),
    Option("l", argument="LFT_OUTPUT", help="what dump_lfts.sh printed"),
    Option("i", argument="CACHE", help="what ibnetdiscover --cache has written"),
    Option("v", help="all switches, also the balanced ones"),
    Option("e", help="look at unbalanced switches deeper"),
)
_USAGE = """\
Usage: check_lft_balance.pl -l lft-output -i ibnetdiscover-cache [-e] [-v]
  Generate lft-output via "dump_lfts.sh > lft-output"
  Generate ibnetdiscover-cache via "ibnetdiscover --cache ibnetdiscover-cache"
  -e turn on heuristic(s) to look at switch balances deeper
  -v verbose output, output all switches
"""
_HIGHEST, _FEW = 36, 12
_SWITCH = re.compile(r"Unicast lids .+ of switch (?:DR path slid|Lid) .+ guid (.+) \((.+)\)")
_ADAPTER = re.compile(r".+ (\d+) : \(.+ portguid .+: '(.+)'\)")


@dataclass(slots=True)
class _Table:
    """A switch and how many adapters its table sends by each port; whether one of them bears a name that the script
    takes for any other.
    """

    guid: str
    name: str
    carried: Counter[int] = field(default_factory=Counter)
    nameless: bool = False


def run(context: Context) -> int:
    """Each unbalanced switch with its ports."""
    try:
        parsed = parse(_NAME, _OPTIONS, context.arguments, permute=False)
    except UsageError as mistake:
        unknown = re.search(r"invalid option -- '(.)'", mistake.text)
        return _usage(context, f"Unknown option: {unknown[1]}" if unknown else "")
    lacking = "" if parsed["l"] else "Must specify dump lfts file"
    lacking = lacking or ("" if parsed["i"] else "Must specify ibnetdiscover cache")
    if "h" in parsed or lacking:
        return _usage(context, "" if "h" in parsed else lacking)
    try:
        lines = context.files.read(absolute(context, parsed["l"])).decode("utf-8", "replace").splitlines()
    except FileError as problem:
        context.error(f"Couldn't open dump lfts file: {parsed['l']}: {problem.text}")
        lines = []
    nodes = cache.read(context, parsed["i"])
    known = {f"0x{node.guid:016x}": node for node in nodes or ()}
    for table in _tables(lines):
        if nodes is None:
            context.error("loading cached fabric failed")
        for line in _report(table, known.get(table.guid), all_of_them="v" in parsed, deeper="e" in parsed):
            context.line(line)
    return 0


def _usage(context: Context, problem: str) -> int:
    if problem:
        context.error(problem)
    context.write(_USAGE)
    return 2


def _tables(lines: Sequence[str]) -> list[_Table]:
    """The tables of a file; of one without any the script takes a switch without a name."""
    found = list[_Table]()
    for line in lines:
        if "Unicast" in line and (switch := _SWITCH.search(line)):
            found.append(_Table(switch[1], switch[2]))
        elif found and ("Channel" in line or "Router" in line) and (entry := _ADAPTER.search(line)):
            found[-1].carried[int(entry[1])] += 1
            found[-1].nameless |= not re.match(r"\s*[+-]?(?=[.\d])[\d.]*[1-9]", entry[2])
    return found or [_Table("", "")]


def _report(table: _Table, node: Node | None, *, all_of_them: bool, deeper: bool) -> Iterator[str]:
    ports = {number: table.carried[number] for number in range(1, _HIGHEST + 1) if _used(table, node, number)}
    counted = {number: count for number, count in ports.items() if not _of_an_adapter(table, node, number)}
    unbalanced = _uneven(list(counted.values()))
    if unbalanced and deeper and len(ports) > _FEW:
        unbalanced = not _like_a_line_board(counted, len(ports)) and not _half_empty(counted)
    if unbalanced or all_of_them:
        yield f"{'Unbalanced ' if unbalanced else ''}Switch Port Usage: {table.name}, {table.guid}"
        yield from (f"Port {number:03d}: {count}" for number, count in counted.items())


def _active(node: Node | None, number: int, *states: LogicalState) -> bool:
    port = node.port(number) if node else None
    return port is not None and port.state in states


def _used(table: _Table, node: Node | None, number: int) -> bool:
    up = (state for state in LogicalState if state is not LogicalState.DOWN)
    return table.carried[number] > 0 or _active(node, number, *up)


def _of_an_adapter(table: _Table, node: Node | None, number: int) -> bool:
    return table.carried[number] == 1 and table.nameless and _active(node, number, LogicalState.ACTIVE)


def _uneven(counts: Sequence[int]) -> bool:
    return bool(counts) and max(counts) > min(counts) + 1


def _like_a_line_board(counted: Mapping[int, int], ports: int) -> bool:
    """Whether about half of the ports carry less than the others, but alike among each other."""
    most = max(counted.values())
    less = [count for count in counted.values() if count not in (most, most - 1, 0)]
    return abs(len(less) - ports // 2) <= 1 and not _uneven(less)


def _half_empty(counted: Mapping[int, int]) -> bool:
    """Whether ports that carry less carry nothing."""
    most = max(counted.values())
    return all(count == 0 for count in counted.values() if count < most - 1)


COMMAND = Command(
    _NAME,
    "check InfiniBand unicast forwarding tables for balance",
    run,
    "check_lft_balance.pl -l LFT_OUTPUT -i CACHE [-e] [-v]",
    _OPTIONS,
    "Shows switches whose tables use some ports more than others. Needs a file of dump_lfts.sh and one of "
    "ibnetdiscover --cache.",
    "/usr/sbin",
    8,
)
