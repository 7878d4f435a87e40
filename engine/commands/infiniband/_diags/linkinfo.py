"""The lines of iblinkinfo, of a fabric and of what has become of one since it was kept in a file.

Format: iblinkinfo.c of rdma-core 54.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.commands.infiniband._diags import link_text
from engine.commands.infiniband._diags.discovery import SWITCH, Node, Port, listed
from engine.world.records import LogicalState

PORT, STATE, LID, DESCRIPTION = "port", "state", "lid", "nodedesc"
CHECKS = (PORT, STATE, LID, DESCRIPTION)
_BEFORE, _AFTER = "< ", "> "


@dataclass(frozen=True, slots=True)
class Style:
    """How lines are to look: everything on one, with timers; only ports that are down; without those that were down
    then (their GUID and number).
    """

    one_line: bool = False
    additional: bool = False
    down_only: bool = False
    hidden: frozenset[tuple[int, int]] = frozenset()


def node_lines(node: Node, style: Style, prefix: str = "") -> Iterator[str]:
    """A node with its ports."""
    ports = [port for port in node.ports if not style.down_only or port.state is LogicalState.DOWN]
    if ports and not style.one_line:
        yield header(node, prefix)
    for port in ports:
        yield from _shown(port, style, prefix)


def header(node: Node, prefix: str = "") -> str:
    """The line above the ports of a node."""
    if node.kind == SWITCH:
        return f"{prefix}Switch: 0x{node.port_guid:016x} {node.called}:"
    return f"{prefix}CA: {node.called}:"


def changes(before: list[Node], after: list[Node], style: Style, checks: frozenset[str]) -> Iterator[str]:
    """What is different: nodes and ports as they were, and as they are."""
    now, then = {node.guid: node for node in after}, {node.guid: node for node in before}
    for node in listed(before):
        other = now.get(node.guid)
        if other is None:
            yield from node_lines(node, style, _BEFORE)
        else:
            yield from _node_changes(node, other, style, checks)
    for node in listed(after):
        if node.guid not in then:
            yield from node_lines(node, style, _AFTER)


def _node_changes(old: Node, new: Node, style: Style, checks: frozenset[str]) -> Iterator[str]:
    headed = style.one_line
    moved = LID in checks and old.kind == SWITCH and old.lid != new.lid
    if moved or (DESCRIPTION in checks and old.description != new.description):
        if not style.one_line:
            yield header(old, _BEFORE)
            yield header(new, _AFTER)
        headed = True
    for was, now in zip(old.ports, new.ports, strict=False):
        if not _differs(was, now, checks):
            continue
        if not headed:
            yield header(old)
            headed = True
        yield from _shown(was, style, _BEFORE)
        yield from _shown(now, style, _AFTER)


def _differs(was: Port, now: Port, checks: frozenset[str]) -> bool:
    if STATE in checks and was.state is not now.state:
        return True
    if PORT not in checks:
        return False
    if was.far is None or now.far is None:
        return was.far is not now.far
    return (
        was.far.guid != now.far.guid
        or (LID in checks and was.far.lid != now.far.lid)
        or (DESCRIPTION in checks and was.far.node.description != now.far.node.description)
    )


def _shown(port: Port, style: Style, prefix: str) -> Iterator[str]:
    if port.state is not LogicalState.DOWN or (port.node.guid, port.number) not in style.hidden:
        yield _port(port, style, prefix)


def _port(port: Port, style: Style, prefix: str) -> str:
    lead = f'0x{port.guid:016x} "{port.node.called:>30}" ' if style.one_line else "      "
    if not port.node.is_switch and not style.one_line:
        lead += f"0x{port.guid:016x} "
    middle = f"{port.lid:6d} {port.number:4d}[  ] =={link_text.link(port, style.additional)}==>  "
    return f"{prefix}{lead}{middle}{link_text.remote(port, style.one_line)}"
