"""Which machine or part of the site a word on the screen means, such as a host's name, `gpu5`, an address or a UUID."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.seen.site import Site

_WORD = re.compile(r"[\w.:/\[\]-]+")
_ADDRESS = re.compile(r"(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?", re.IGNORECASE)
_AROUND = ".,:;[]-"


def word_around(text: str, at: int) -> str:
    """The word of a text that lies at `at`; empty where there is none."""
    found = next((one for one in _WORD.finditer(text) if one.start() <= at < one.end()), None)
    return found[0] if found else ""


def meant(site: Site, host: str, word: str) -> str | None:
    """The id of what a word means to somebody who reads it on `host`; None if it means nothing of the site."""
    text = word.strip(_AROUND).strip()
    return next((found for found in _candidates(site, host, text) if found), None) if text else None


def _candidates(site: Site, host: str, text: str) -> Iterator[str | None]:
    yield site.machine(text)
    yield site.node_of_bmc(text)
    node, slash, part = text.partition("/")
    if slash and site.node(node) and site.has_part(node, part):
        yield f"{node}/{part}"
    if slash and node in site.inventory.switches:
        yield node
    if host not in site.inventory.node_index:
        return
    if text.startswith("GPU-"):
        yield site.gpu_by_uuid(host, text)
    if _ADDRESS.fullmatch(text):
        yield site.part_at(host, text)
    if site.has_part(host, text):
        yield f"{host}/{text}"
