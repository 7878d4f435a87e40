"""How Slurm's words for a node's state look: `idle`, `drng`, `alloc*`, `IDLE+DRAIN+NOT_RESPONDING`."""

from __future__ import annotations

import re

from tui.look.glyphs import State
from tui.seen.knowledge import worst

_WORDS = {
    State.OK: "idle mix mixed alloc allocated comp completing plnd planned resv reserved maint",
    State.DRAINED: "drain drained drng draining",
    State.DOWN: "down fail failg failing error",
    State.DEGRADED: "inval invalid_reg unk unknown not_responding",
    State.UNKNOWN: "boot reboot reboot_issued reboot_requested powering_up powering_down powered_down pow_up pow_dn"
    " cloud dynamic_norm dynamic_future future futr blocked perfctrs npc power_up_fail",
}
_STATES = {word: state for state, words in _WORDS.items() for word in words.split()}
_SUFFIX = re.compile(r"[*~#!%$@^+-]$")
_SILENT_NODE = "*"


def slurm_state(text: str) -> State | None:
    """How a state looks; None if the text is no state of a node. A `*` says that the node does not respond."""
    suffix = _SUFFIX.search(text)
    parts = (text[:-1] if suffix else text).lower().split("+")
    if not all(part in _STATES for part in parts):
        return None
    silent = State.DEGRADED if suffix and suffix[0] == _SILENT_NODE else State.UNKNOWN
    return worst([*(_STATES[part] for part in parts), silent])
