"""Which nodes a constraint (`sbatch -C`) leaves: `h100&ib`, `su1|su2`, `[su1|su2]` for all of the nodes the same.

Source: sbatch(1). Counts (`su1*2`) are refused as not modelled where the option is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.control.slurm.ledger import Places

_TOKEN = re.compile(r"[()&|,\[\]]|[^()&|,\[\]]+")


def names(text: str) -> set[str]:
    """The features that a constraint names."""
    return {word for word in _TOKEN.findall(text) if word not in "()&|,[]"}


def matching(text: str, places: Places) -> Iterator[int]:
    """The sets of nodes (bits) of which one must hold the whole job."""
    match = re.fullmatch(r"(.*&)?\[([^\]]*)\](&.*)?", text)
    if match is None:
        yield _value(text, places)
        return
    rest = [part.strip("&") for part in (match[1], match[3]) if part]
    for alternative in match[2].split("|"):
        yield _value("&".join([alternative, *rest]), places)


def _value(text: str, places: Places) -> int:
    """The nodes of an expression: `&` binds as tightly as `|`, from left to right, as slurmctld has it."""
    tokens = _TOKEN.findall(text)
    found, _ = _sum(tokens, 0, places)
    return found


def _sum(tokens: list[str], at: int, places: Places) -> tuple[int, int]:
    found, operator = -1, "&"
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token == ")":
            break
        if token in "&|,":
            operator = "|" if token == "|" else "&"
            continue
        if token == "(":
            value, at = _sum(tokens, at, places)
        else:
            value = places.feature(token)
        found = found | value if operator == "|" else found & value
    return found, at
