"""smpquery of infiniband-diags: asks a node's management agent for one attribute.

Formats: smpquery.c and libibmad's dumps of rdma-core 54, and runs of the real tool on a simulator. Guess: weights of
virtual lane arbitration (opensm's defaults).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from engine.commands.context import Context
from engine.commands.infiniband._diags.destination import Destination, answer, destination, opened
from engine.commands.infiniband._diags.devices import local_device
from engine.commands.infiniband._diags.discovery import Node, Port
from engine.commands.infiniband._diags.forwarding import table
from engine.commands.infiniband._diags.names import rename
from engine.commands.infiniband._diags.node_info import node_fields, switch_fields
from engine.commands.infiniband._diags.numbers import unsigned
from engine.commands.infiniband._diags.port_info import GUID_CAPACITY, dotted, port_info, port_zero
from engine.commands.infiniband._diags.program import fail, program
from engine.commands.options import Option, Parsed
from engine.control.subnet_manager.lids import end_port
from engine.control.subnet_manager.partitions import CAPACITY, switch_keys
from engine.physics import links, partition_keys

OPTIONS = (
    Option("c", "combined", help="(not modelled) the destination is a LID and a direct route from there"),
    Option(None, "node-name-map", "<file>", help="names of nodes"),
    Option("x", "extended", help="use extended speeds"),
)
_PER_LINE = 8
_LEVELS = 16
Lines = Iterator[str]


class Refused(Exception):
    """The agent refuses; what the tool says of it."""


async def run(context: Context, parsed: Parsed) -> int:
    """`smpquery OPERATION DESTINATION [PORT]`."""
    word = parsed.operands[0]
    operation = _operation(word)
    if operation is None:
        raise fail(context, f"operation '{word}' not supported")
    device = opened(context, parsed, local_device(context, parsed))
    where = await destination(context, device, parsed, parsed.operands[1])
    first = "node desc query failed" if operation == "nodedesc" and where.node else _FIRST.get(operation, "node info")
    node = await answer(context, where, f"operation {word}: {first} query failed")
    rename(context, parsed, where.fabric)
    number = unsigned(parsed.operands[2]) if len(parsed.operands) > 2 else 0
    try:
        for line in _OPERATIONS[operation](Question(context, parsed, where, node, number)):
            context.line(line)
    except Refused as refusal:
        raise fail(context, f"operation {word}: {refusal}") from None
    return 0


class Question:
    """What an operation is asked: of which node, and which of its ports."""

    def __init__(self, context: Context, parsed: Parsed, where: Destination, node: Node, number: int) -> None:
        self.context, self.where, self.node, self.number = context, where, node, number
        self.keys = "show_keys" in parsed

    def port(self, refusal: str) -> Port:
        """The port; an adapter answers for its only one where none is named."""
        if self.number == 0:
            return port_zero(self.node) if self.node.is_switch else self.node.ports[0]
        found = self.node.port(self.number)
        if found is None:
            raise Refused(refusal)
        return found


def _node_info(ask: Question) -> Lines:
    yield f"# Node info: {ask.where.text}"
    yield from (dotted(name, value) for name, value in node_fields(ask.node))


def _node_description(ask: Question) -> Lines:
    dots = "." * max(1, 32 - len(ask.node.called))
    yield f"Node Description:{dots}{ask.node.called}"


def _port_info(ask: Question) -> Lines:
    port = ask.port("port info query failed")
    yield f"# Port info: {ask.where.text} port {ask.number}"
    yield from (dotted(name, value) for name, value in port_info(ask.context.world, port, ask.keys))


def _switch_info(ask: Question) -> Lines:
    if not ask.node.is_switch:
        raise Refused("switch info query failed")
    yield f"# Switch info: {ask.where.text}"
    yield from (dotted(name, value) for name, value in switch_fields(len(table(ask.context.world, ask.node)) - 1))


def _pkeys(ask: Question) -> Lines:
    if ask.number > ask.node.port_count:
        raise Refused("invalid port number")
    world, capacity = ask.context.world, CAPACITY[ask.node.is_switch]
    if ask.node.is_switch and ask.number:
        port = ask.node.port_id(ask.number)
        held = switch_keys(world, links.peer(world.inventory, port))
    else:
        held = partition_keys.keys(world, end_port(ask.node.port_id(1)))
    keys = [*held, *[0] * (capacity - len(held))][:capacity]
    for start in range(0, capacity, _PER_LINE):
        yield f"{start:4d}: " + " ".join(f"0x{key:04x}" for key in keys[start : start + _PER_LINE])
    yield f"{capacity} pkeys capacity for this port"


def _sl2vl(ask: Question) -> Lines:
    if ask.number > ask.node.port_count:
        raise Refused("invalid port number")
    yield f"# SL2VL table: {ask.where.text}"
    yield "#                 SL: |" + "".join(f"{level:2d}|" for level in range(_LEVELS))
    lanes = "".join(f"{level % 15 if level < 15 else 7:2d}|" for level in range(_LEVELS))
    ports = range(ask.node.port_count + 1) if ask.node.is_switch else (0,)
    for port in ports:
        yield f"ports: in {port:2d}, out {ask.number if ask.node.is_switch else 0:2d}: |{lanes}"


def _arbitration(ask: Question) -> Lines:
    port = ask.port("port info query failed")
    lanes = 8 if port.node.is_switch else 4
    title = f"{ask.where.text} port {ask.number} LowCap {lanes} HighCap {lanes}"
    yield f"# VLArbitration tables: {title}"
    weights = {"Low": [0, *[4] * (lanes - 1)], "High": [4, *[0] * (lanes - 1)]}
    for name, values in weights.items():
        yield f"# {name} priority VL Arbitration Table:"
        yield "VL    : |" + "".join(f"0x{lane:<2X}|" for lane in range(lanes))
        yield "WEIGHT: |" + "".join(f"0x{weight:<2X}|" for weight in values)


def _guids(ask: Question) -> Lines:
    capacity = GUID_CAPACITY[ask.node.is_switch]
    guids = [ask.node.port_guid, *[0] * (capacity - 1)] if capacity else []
    for start in range(0, capacity, 2):
        yield f"{start:4d}: " + " ".join(f"0x{guid:016x}" for guid in guids[start : start + 2])
    yield f"{capacity} guids capacity for this port"


def _vendor_speeds(ask: Question) -> Lines:
    """FDR10, which these ports don't do."""
    ask.port("Mellanox ext port info query failed")
    yield f"# MLNX ext Port info: {ask.where.text} port {ask.number}"
    for name in ("StateChangeEnable", "LinkSpeedSupported", "LinkSpeedEnabled", "LinkSpeedActive"):
        yield dotted(name, "0x00")


_OPERATIONS: Mapping[str, Callable[[Question], Lines]] = {
    "nodeinfo": _node_info,
    "nodedesc": _node_description,
    "portinfo": _port_info,
    "switchinfo": _switch_info,
    "pkeytable": _pkeys,
    "sl2vltable": _sl2vl,
    "vlarbitration": _arbitration,
    "guidinfo": _guids,
    "mlnxextportinfo": _vendor_speeds,
}
_ALIASES = {
    "ni": "nodeinfo", "nd": "nodedesc", "pi": "portinfo", "pie": "portinfoextended", "si": "switchinfo",
    "pkeys": "pkeytable", "sl2vl": "sl2vltable", "vlarb": "vlarbitration", "gi": "guidinfo", "mepi": "mlnxextportinfo",
}  # fmt: skip
_FIRST = {"portinfo": "port info", "switchinfo": "switch info", "guidinfo": "port info",
          "mlnxextportinfo": "Mellanox ext port info"}  # fmt: skip


def _operation(word: str) -> str | None:
    name = _ALIASES.get(word.lower(), word.lower())
    return name if name in _OPERATIONS else None


_OPERANDS = """<op> <dest dr_path|lid|guid> [op params]

Supported ops (and aliases, case insensitive):
  NodeInfo (NI) <addr>
  NodeDesc (ND) <addr>
  PortInfo (PI) <addr> [<portnum>]
  SwitchInfo (SI) <addr>
  PKeyTable (PKeys) <addr> [<portnum>]
  SL2VLTable (SL2VL) <addr> [<portnum>]
  VLArbitration (VLArb) <addr> [<portnum>]
  GUIDInfo (GI) <addr>
  MlnxExtPortInfo (MEPI) <addr> [<portnum>]
"""
COMMAND = program(
    "smpquery",
    "query InfiniBand subnet management attributes",
    run,
    options=OPTIONS,
    operands=_OPERANDS,
    least=2,
    missing=("combined",),
    manual="Asks a node by LID, port GUID (-G) or direct route (-D) for an attribute. Needs root.",
    examples=("portinfo 3 1\t\t# by LID, of a port", "-D nodeinfo 0,1\t# by direct route", "nodedesc 5"),
)
