"""Output of a command that ran on several hosts, cut into that of each: `dgx-01: ...` lines, or blocks under names."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tui.seen.site import Site

_LABELLED = re.compile(r"([A-Za-z][\w.-]*): ?(.*)")
_RULE = re.compile(r"-{3,}")
_BLOCK_NAMES = re.compile(r"([\w.,\[\]-]+)(?: \(\d+\))?")


def by_host(site: Site, text: str, in_blocks: bool) -> Mapping[str, str]:
    """The text of each host that is named in the output."""
    lines = text.splitlines()
    return _blocks(site, lines) if in_blocks else _labelled(site, lines)


def _labelled(site: Site, lines: list[str]) -> Mapping[str, str]:
    found: dict[str, list[str]] = {}
    for line in lines:
        match = _LABELLED.fullmatch(line)
        host = site.node(match[1]) if match else None
        if match and host:
            found.setdefault(host, []).append(match[2])
    return {host: "\n".join(own) for host, own in found.items()}


def _blocks(site: Site, lines: list[str]) -> Mapping[str, str]:
    found: dict[str, list[str]] = {}
    current: list[str] = []
    at = 0
    while at < len(lines):
        head = lines[at : at + 3]
        names = _BLOCK_NAMES.fullmatch(head[1]) if len(head) == 3 else None
        if names and _RULE.fullmatch(head[0]) and _RULE.fullmatch(head[2]):
            current = site.nodes(names[1])
            at += 3
            continue
        for host in current:
            found.setdefault(host, []).append(lines[at])
        at += 1
    return {host: "\n".join(own) for host, own in found.items()}
