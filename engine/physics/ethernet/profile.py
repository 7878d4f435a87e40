"""From the settings of an Ethernet port to the profile that the traffic solver is asked with."""

from __future__ import annotations

from functools import lru_cache

from engine.physics.traffic import headroom
from engine.physics.traffic.profiles import PRIORITIES, Profile
from engine.world.records import PortQos
from engine.world.records.ethernet import TRUST_DSCP


def room(qos: PortQos, rate: int) -> int:
    """Bytes that a port of `rate` bit/s keeps free behind XOFF for a lossless priority: what was stated by hand, or
    what its cable length asks for.
    """
    return qos.headroom if qos.headroom is not None else int(headroom.needed(rate, qos.cable_m)) + 1


@lru_cache(maxsize=256)
def profile(qos: PortQos, rate: int) -> Profile:
    """How a port of `rate` bit/s with these settings treats traffic. Without weights all classes weigh the same."""
    return Profile(
        trust_dscp=qos.trust == TRUST_DSCP,
        default_priority=qos.default_priority,
        priorities=qos.priorities,
        classes=qos.classes,
        pause_sent=qos.pause_sent,
        pause_obeyed=qos.pause_obeyed,
        marks=qos.marks,
        mark_from=qos.mark_from,
        mark_top=qos.mark_top,
        mark_most=qos.mark_most,
        weights=qos.weights if any(qos.weights) else (1,) * PRIORITIES,
        strict=qos.strict,
        pause_at=qos.pause_at,
        resume_at=qos.resume_at,
        headroom=room(qos, rate),
        drop_at=qos.drop_at,
    )
