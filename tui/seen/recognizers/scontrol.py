"""scontrol show node: a node's state in full, and the reason for it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading, Shape
from tui.seen.slurm_states import slurm_state

COMMANDS = ("scontrol",)
SITE_WIDE = True

_FACT = re.compile(r"(?<!\w)(?:(NodeName|State)=(\S+)|(Reason)=(.*?)\s*(?:\[\w+@[\d:T-]+\]|$))", re.MULTILINE)
_NODE = ("node", "nodes")


def read(reading: Reading) -> Iterator[Sighting]:
    """Each `State=` belongs to the `NodeName=` before it, or to the one node that was asked for."""
    operands = [word for word in reading.words[1:] if not word.startswith("-")]
    if operands[:1] != ["show"] or operands[1:2] not in ([name] for name in _NODE) or reading.shape is Shape.LOOSE:
        return
    asked = reading.site.nodes(operands[2]) if len(operands) > len(("show", "node")) else []
    node: str | None = asked[0] if len(asked) == 1 and reading.only else None
    complete = reading.whole
    stated: dict[str, bool] = {}
    for match in _FACT.finditer(reading.text):
        name, value = match[1] or match[3], match[2] or match[4] or ""
        if name == "NodeName":
            node = reading.site.node(value)
        elif node and name == "Reason":
            stated[node] = True
            yield reading.saw(node, "Slurm reason", value)
        elif node and name == "State" and node not in stated and (state := slurm_state(value)) is not None:
            stated[node] = False
            yield reading.saw(node, "Slurm", value.lower(), state)
    if complete:
        yield from (reading.saw(node, "Slurm reason", "none") for node, reason in stated.items() if not reason)
