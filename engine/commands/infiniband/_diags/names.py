"""Names that somebody gave to nodes: lines `0xGUID "name"` of a node name map.

Without --node-name-map the tools read /etc/infiniband-diags/ib-node-name-map, which is not there by default
(rdma-core's node_name_map.c).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.commands.context import Context
from engine.commands.infiniband._diags.discovery import Fabric, Node
from engine.commands.options import Parsed
from engine.hostfs.tree import FileError

DEFAULT = "/etc/infiniband-diags/ib-node-name-map"
_LINE = re.compile(r'\s*(0x[0-9a-fA-F]+)\s+"([^"]*)"')


def rename(context: Context, parsed: Parsed, nodes: list[Node] | Fabric) -> None:
    """Call nodes by the names of the map that is asked for. A map that can't be read is told of and left out."""
    path = parsed["node_name_map"]
    named = _read(context, path or DEFAULT, told=bool(path))
    if not named:
        return
    for node in nodes.nodes if isinstance(nodes, Fabric) else nodes:
        node.given_name = named.get(node.guid, "")


def absolute(context: Context, path: str) -> str:
    """A path as the file tree wants it."""
    return path if path.startswith("/") else f"{context.directory.rstrip('/')}/{path}"


def _read(context: Context, path: str, told: bool) -> Mapping[int, str]:
    try:
        text = context.files.read(absolute(context, path)).decode("utf-8", "replace")
    except FileError as error:
        if told:
            context.error(f'WARNING failed to open node name map "{path}" ({error.text})')
        return {}
    found = (_LINE.match(line) for line in text.splitlines() if not line.lstrip().startswith("#"))
    return {int(match[1], 16): match[2] for match in found if match}
