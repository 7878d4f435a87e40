"""What ibnetdiscover --diff prints: a topology file of the differences, `<` for what was and `>` for what is.

Format: ibnetdiscover.c of rdma-core 54. A port whose neighbour's LID differs is told twice by the real tool where its
own differs too; so it is here.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.infiniband._diags.discovery import ADAPTER, SWITCH, Node, Port, listed
from engine.commands.infiniband._diags.topology import detail, node_lines, port_line

KINDS = {"sw": SWITCH, "ca": ADAPTER}
PORT, LID, DESCRIPTION = "port", "lid", "nodedesc"
CHECKS = ("sw", "ca", "router", PORT, LID, DESCRIPTION)
DEFAULT = frozenset(("sw", "ca", "router", PORT))
_BEFORE, _AFTER = "< ", "> "


def changes(before: list[Node], after: list[Node], checks: frozenset[str]) -> Iterator[str]:
    """Switches, then adapters."""
    now, then = {node.guid: node for node in after}, {node.guid: node for node in before}
    for kind in (kind for key, kind in KINDS.items() if key in checks):
        for node in listed(before, kind):
            if node.guid in now:
                yield from _node_changes(node, now[node.guid], checks)
            else:
                yield from _whole(node, _BEFORE)
        for node in listed(after, kind):
            if node.guid not in then:
                yield from _whole(node, _AFTER)


def _whole(node: Node, prefix: str) -> Iterator[str]:
    yield from node_lines(node, prefix)
    yield from (port_line(port, prefix) for port in node.ports if port.far)


def _node_changes(old: Node, new: Node, checks: frozenset[str]) -> Iterator[str]:
    lines = list(_port_changes(old, new, checks)) if checks & {PORT, LID} else []
    if (LID in checks and _switch_lid(old) != _switch_lid(new)) or (
        DESCRIPTION in checks and old.description != new.description
    ):
        *ids, name = node_lines(old)
        yield from ids
        yield _BEFORE + name
        yield detail(new, _AFTER)
    elif lines:
        yield from node_lines(old)
    yield from lines


def _port_changes(old: Node, new: Node, checks: frozenset[str]) -> Iterator[str]:
    for was, now in zip(old.ports, new.ports, strict=False):
        gone, came = _difference(was, now, checks)
        if gone and was.far:
            yield port_line(was, _BEFORE)
        if came and now.far:
            yield port_line(now, _AFTER)


def _difference(was: Port, now: Port, checks: frozenset[str]) -> tuple[bool, bool]:
    """Whether the old and the new port are to be told."""
    if LID in checks and not was.node.is_switch and was.lid != now.lid:
        return True, True
    if PORT not in checks:
        return False, False
    if was.far is None or now.far is None:
        return was.far is not None, now.far is not None
    other = (
        was.far.guid != now.far.guid
        or (LID in checks and was.far.lid != now.far.lid)
        or (DESCRIPTION in checks and was.far.node.description != now.far.node.description)
    )
    return other, other


def _switch_lid(node: Node) -> int:
    return node.lid if node.is_switch else 0
