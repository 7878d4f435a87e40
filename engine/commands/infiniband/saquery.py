"""saquery of infiniband-diags: asks the subnet administrator, which is part of the subnet manager, for its records.

Format: saquery.c of rdma-core 54, and runs of the real tool. First form: nodes, ports, paths, links, managers. Without
a manager that ever set up the port it can't bind; with one that died it waits a second, status 110.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.context import Context
from engine.commands.infiniband._diags import records
from engine.commands.infiniband._diags.destination import opened
from engine.commands.infiniband._diags.devices import Device, local_device
from engine.commands.infiniband._diags.discovery import ADAPTER, Node, discover
from engine.commands.infiniband._diags.names import rename
from engine.commands.infiniband._diags.numbers import unsigned
from engine.commands.infiniband._diags.program import USAGE, Failed, program, warn
from engine.commands.options import Option, Parsed, UsageError
from engine.control.ipoib import joined_keys
from engine.control.subnet_manager.lids import lid
from engine.control.subnet_manager.managers import managers, master_at
from engine.control.subnet_manager.partitions import partitions
from engine.kernel.units import SECOND
from engine.physics import links
from engine.world.inventory import Hca

_TIMED_OUT, _NOT_FOUND, _INVALID = 110, 64, 22
_LISTS = ("L", "l", "G", "O", "U", "list", "N", "c", "s", "g", "m", "p", "x", "S", "I")
_PATH = ("src_to_dst", "slid", "dlid")
OPTIONS = (
    Option("p", help="paths"),
    Option("N", help="nodes"),
    Option("L", help="LIDs of the nodes with this name"),
    Option("l", help="the LID of the first node with this name"),
    Option("G", help="GUIDs of the nodes with this name"),
    Option("O", help="the name of the node with this LID"),
    Option("U", help="the name of the node with this port GUID"),
    Option("s", help="ports on which a subnet manager is at work, or must not be"),
    Option("g", help="multicast groups"),
    Option("m", help="members of multicast groups"),
    Option("x", help="links"),
    Option("c", help="(not modelled) what the administrator can do"),
    Option("S", help="(not modelled) services"),
    Option("I", help="(not modelled) subscriptions"),
    Option("D", "list", help="LIDs and names of channel adapters"),
    Option(None, "src-to-dst", "<src:dst>", help="the path between two names or LIDs"),
    Option(None, "sgid-to-dgid", "<sgid-dgid>", help="(not modelled) the path between two addresses"),
    Option(None, "node-name-map", "<file>", help="names of nodes"),
    Option(None, "smkey", "<val>", help="the key of the subnet manager"),
    Option(None, "slid", "<lid>", help="LID of the source"),
    Option(None, "dlid", "<lid>", help="LID of the destination"),
)
_MISSING = ("c", "S", "I", "sgid_to_dgid")
_RECORDS = {
    "noderecord": "N", "nr": "N", "portinforecord": "PIR", "pir": "PIR", "pathrecord": "p", "pr": "p",
    "linkrecord": "x", "lr": "x", "sminforecord": "SMIR", "smir": "SMIR",
}  # fmt: skip
_OTHER_RECORDS = (
    "classportinfo", "cpi", "sl2vltablerecord", "sl2vl", "pkeytablerecord", "pktr", "vlarbitrationtablerecord", "vlar",
    "informinforecord", "iir", "servicerecord", "sr", "mcmemberrecord", "mcmr", "lftrecord", "lftr", "mftrecord",
    "mftr", "guidinforecord", "gir", "switchinforecord", "swir",
)  # fmt: skip


async def run(context: Context, parsed: Parsed) -> int:
    """Print the records that were asked for."""
    words = list(parsed.operands)
    option = next((key for key, _ in reversed(parsed.given) if key in _LISTS), None)
    kind = option or ("p" if any(key in parsed for key in _PATH) else "")
    named = bool(words) and not kind
    if named and words[0].lower() in _OTHER_RECORDS:
        return context.not_modelled(f"saquery {words[0]}")
    if named and words[0].lower() in _RECORDS:
        kind = _RECORDS[words.pop(0).lower()]
    _complain(kind, words)
    device = opened(context, parsed, local_device(context, parsed))
    await _bound(context, device)
    nodes = discover(context.world, device.hca)
    rename(context, parsed, nodes)
    for line in _lines(context, parsed, kind, words, records.ordered(nodes), device):
        context.line(line)
    return 0


def _complain(kind: str, words: list[str]) -> None:
    """Raises UsageError where a name, LID or GUID is missing."""
    lacking = {"L": "name", "l": "name", "G": "name", "O": "lid", "U": "guid"}.get(kind)
    if lacking and not words:
        raise UsageError(f"ERROR: {lacking} not specified\n", USAGE)


async def _bound(context: Context, device: Device) -> None:
    """Raises Failed, after the real tool's words, where no manager answers."""
    if not device.manager_lid:
        warn(context, "sa_get_handle", "No SM/SA found on port (null):0")
        number = context.world.systems[context.host].next_pid
        context.error(f"ibpanic: [{number}] main: Failed to bind to the SA: No such file or directory")
        raise Failed
    if master_at(context.world, device.manager_lid) is None:
        await context.sleep(SECOND)
        context.error("Query SA failed: Connection timed out")
        raise Failed(_TIMED_OUT)


def _lines(
    context: Context, parsed: Parsed, kind: str, words: list[str], nodes: list[Node], device: Device
) -> Iterator[str]:
    if kind in ("L", "l", "G", "O", "U", "list"):
        yield from _names(kind, words, nodes)
    elif kind == "PIR":
        yield from _ports(context, words, nodes)
    elif kind == "p":
        yield from _paths(context, parsed, nodes)
    elif kind == "x":
        for node in _at(context, words, nodes):
            yield from (line for port in node.ports if port.far for line in records.link_record(port))
    elif kind in ("g", "m"):
        yield from _groups(context, kind, nodes)
    elif kind in ("s", "SMIR"):
        yield from _managers(context, kind, nodes, device)
    else:
        yield from (line for node in _nodes(context, kind, words, nodes) for line in records.node_record(node))


def _nodes(context: Context, kind: str, words: list[str], nodes: list[Node]) -> list[Node]:
    """All; those at a LID (`NR LID`); without a record's name, those with a name."""
    if not words:
        return nodes
    if kind == "N":
        return _at(context, words, nodes)
    return [node for node in nodes if words[0] in (node.description, node.called) or str(node.lid) == words[0]]


def _names(kind: str, words: list[str], nodes: list[Node]) -> Iterator[str]:
    if kind == "list":
        yield '   LID "name"'
        yield "================"
        yield from (f'{node.lid:6d}  "{node.called}"' for node in nodes if node.kind == ADAPTER)
        return
    number = unsigned(words[0])
    found = {
        "O": [node.called for node in nodes if node.lid == number],
        "U": [node.called for node in nodes if node.port_guid == number],
        "G": [f"0x{node.port_guid:016x}" for node in nodes if _called(node, words[0])],
    }.get(kind, [str(node.lid) for node in nodes if _called(node, words[0])])
    yield from found[:1] if kind == "l" else found


def _called(node: Node, name: str) -> bool:
    return name in (node.description, node.called)


def _ports(context: Context, words: list[str], nodes: list[Node]) -> Iterator[str]:
    """`PIR LID/PORT`: both may be left out."""
    lid, _, number = (words[0] if words else "").partition("/")
    wanted = unsigned(number) if number else None
    for node in _at(context, [lid] if lid else [], nodes):
        for port in records.every_port(node):
            if wanted in (None, port.number):
                yield from records.port_record(context.world, port)


def _paths(context: Context, parsed: Parsed, nodes: list[Node]) -> Iterator[str]:
    pair = parsed["src_to_dst"]
    if pair is not None and ":" not in pair:
        raise UsageError("\nUsage: saquery [options] [query-name] [<name> | <lid> | <guid>]\n\n", USAGE)
    source, _, target = pair.partition(":") if pair else (parsed["slid"] or "", "", parsed["dlid"] or "")
    sources = _at(context, [source] if source else [], nodes)
    targets = _at(context, [target] if target else [], nodes)
    for start in sources:
        for end in targets:
            yield from records.path_record(context.world, start, end)


def _at(context: Context, words: list[str], nodes: list[Node]) -> list[Node]:
    """The nodes at a LID or with a name; all without one. Raises Failed for a name that none has, and for no number."""
    if not words:
        return nodes
    text = words[0].partition("/")[0]
    if text[:1].isalpha():
        found = [node for node in nodes if node.description == text]
        if not found:
            context.error(f'Failed to find lid for "{text}": Machine is not on the network')
            raise Failed(_NOT_FOUND)
        return found[:1]
    number = unsigned(text)
    if not 0 < number <= 0xFFFF:
        context.error(f'Invalid lid specified: "{text}"')
        raise Failed(_INVALID)
    return [node for node in nodes if node.lid == number]


def _groups(context: Context, kind: str, nodes: list[Node]) -> Iterator[str]:
    """Groups of IP broadcasts, and who has joined them; the addresses of other groups are not modelled."""
    for index, partition in enumerate(each for each in partitions(context.world) if each.ipoib):
        if kind == "g":
            yield from records.group_record(partition, index)
            continue
        for node in nodes:
            device = links.place(context.world.inventory, node.port_id(1)).device
            if isinstance(device, Hca) and partition.key in joined_keys(context.world, device):
                yield from records.member_record(partition, index, node)


def _managers(context: Context, kind: str, nodes: list[Node], device: Device) -> Iterator[str]:
    world = context.world
    at_work = {lid(world, manager.port): manager for manager in reversed(managers(world))}
    found = [(node, at_work[node.lid]) for node in nodes if node.lid in at_work]
    if kind == "SMIR":
        for node, manager in found:
            yield from records.manager_record(world, manager, node.lid, context.now)
        return
    yield "IsSM ports"
    for node, _ in found:
        yield from records.manager_port(world, node, device.manager_lid)
    yield ""
    yield "IsSMdisabled ports"


_OPERANDS = """[query-name] [<name> | <lid> | <guid>]

Supported query names (and aliases):
  NodeRecord (NR) [lid]
  PortInfoRecord (PIR) [[lid]/[port]/[options]]
  LinkRecord (LR) [[from_lid]/[from_port]] [[to_lid]/[to_port]]
  PathRecord (PR)
  SMInfoRecord (SMIR) [lid]

  Queries node records by default."""
COMMAND = program(
    "saquery",
    "query InfiniBand subnet administration attributes",
    run,
    options=OPTIONS,
    without="DGLsy",
    operands=_OPERANDS,
    missing=_MISSING,
    manual="Asks the subnet manager for records of nodes (default), ports (PIR), paths (PR, --src-to-dst), links (LR)\n"
    "and subnet managers (SMIR, -s), and for the groups of IP broadcasts and their members (-g, -m). Services, "
    "tables of keys and forwarding are not modelled. Needs root.",
)
