"""What looked wrong when it was last seen: the sightings that somebody on call would want to hear of."""

from __future__ import annotations

from tui.look.glyphs import State
from tui.seen.knowledge import SEVERITY, Knowledge, Sighting

_WORTH_IT = (State.DRAINED, State.DEGRADED, State.DOWN)


def alerts(knowledge: Knowledge) -> list[Sighting]:
    """The last sighting of every aspect that looks bad or stands in a log; the worst first, and of these the newest."""
    found = [
        one
        for aspects in knowledge.sightings.values()
        for one in aspects.values()
        if one.logged or one.state in _WORTH_IT
    ]
    return sorted(found, key=lambda one: (one.logged, -SEVERITY.index(one.state), -one.at, one.component, one.aspect))
