"""A discovered fabric in a file: what --cache writes, and --load-cache, --diff and --filterdownports read.

The real file is a dump of structures in binary, which nobody reads; ours is lines of JSON, under the same names.
"""

from __future__ import annotations

import json
from typing import Any

from engine.commands.context import Context
from engine.commands.infiniband._diags.discovery import Node, Port
from engine.commands.infiniband._diags.names import absolute
from engine.hostfs.tree import FileError
from engine.world.records import LogicalState, PhysicalState

_TITLE = "breakfix fabric 1"


def store(nodes: list[Node]) -> bytes:
    """The file for a fabric."""
    lines = [_TITLE]
    for node in nodes:
        own = [
            node.id,
            node.kind,
            node.guid,
            node.port_guid,
            node.system_guid,
            node.description,
            node.vendor,
            node.part,
        ]
        more = [node.port_count, node.best_rate, node.lid, node.arrival, list(node.route)]
        lines.append(json.dumps([*own, *more, [_port(port) for port in node.ports]]))
    return ("\n".join(lines) + "\n").encode()


def load(content: bytes) -> list[Node] | None:
    """The fabric of a file; None if it is none of ours."""
    title, *lines = content.decode("utf-8", "replace").splitlines() or [""]
    if title != _TITLE:
        return None
    try:
        rows = [json.loads(line) for line in lines]
        nodes = {row[0]: Node(*row[:11]) for row in rows}
        _join(nodes, rows)
    except (ValueError, TypeError, LookupError):
        return None
    return list(nodes.values()) or None


def read(context: Context, path: str) -> list[Node] | None:
    """The fabric in a file of the host; None where there is none."""
    try:
        return load(context.files.read(absolute(context, path)))
    except FileError:
        return None


def _port(port: Port) -> list[object]:
    far = [port.far.node.id, port.far.number] if port.far else None
    return [port.number, port.state.name, port.physical.name, port.rate, far, port.lanes]


def _join(nodes: dict[str, Node], rows: list[list[Any]]) -> None:
    for node, row in zip(nodes.values(), rows, strict=True):
        node.reached(int(row[11]), tuple(row[12]))
        for number, state, physical, rate, _, lanes in row[13]:
            states = LogicalState[state], PhysicalState[physical]
            node.ports.append(Port(node, int(number), *states, int(rate), lanes=int(lanes)))
    for node, row in zip(nodes.values(), rows, strict=True):
        for port, (*_, far, _) in zip(node.ports, row[13], strict=True):
            if far is not None:
                port.far = nodes[far[0]].port(far[1])
