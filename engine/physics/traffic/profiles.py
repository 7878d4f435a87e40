"""How a port treats classes of traffic: trust, maps, pause, marks, weights and thresholds of its queues.

Priorities and traffic classes are numbered from 0 to 7. `INFINIBAND` (credits on every lane, nothing is marked) and
`PLAIN` (Ethernet as it comes: one class, no pause, full queues drop) are built in. Thresholds of the defaults: NVIDIA
Cumulus Linux's `nv set qos roce`; buffers of InfiniBand ports are a guess.
"""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass

PRIORITIES = 8

NONE = (False,) * PRIORITIES
ALL = (True,) * PRIORITIES


def only(*places: int) -> tuple[bool, ...]:
    """Eight switches, on at `places`."""
    return tuple(place in places for place in range(PRIORITIES))


@dataclass(frozen=True, slots=True)
class Profile:
    """The quality of service of one port. Sizes in bytes, probabilities in ppm.

    `pause_sent` and `pause_obeyed` are by priority; `marks`, `weights` and `strict` by traffic class. `mark_from`,
    `mark_top` and `mark_most` are the line along which a queue marks. `pause_at` and `resume_at` count what one ingress
    port has in the buffer for a priority, `headroom` takes what arrives after; `drop_at` is the limit of a queue whose
    priority is not lossless.
    """

    trust_dscp: bool = False
    default_priority: int = 0
    priorities: tuple[int, ...] = tuple(dscp // 8 for dscp in range(64))
    classes: tuple[int, ...] = tuple(range(PRIORITIES))
    pause_sent: tuple[bool, ...] = NONE
    pause_obeyed: tuple[bool, ...] = NONE
    marks: tuple[bool, ...] = NONE
    mark_from: int = 150_000
    mark_top: int = 1_500_000
    mark_most: int = 1_000_000
    weights: tuple[int, ...] = (1,) * PRIORITIES
    strict: tuple[bool, ...] = NONE
    pause_at: int = 1_000_000
    resume_at: int = 950_000
    headroom: int = 200_000
    drop_at: int = 2_000_000

    def priority(self, dscp: int) -> int:
        """The priority that a packet with `dscp` has in the device that it came into by this port."""
        return self.priorities[dscp] if self.trust_dscp else self.default_priority


INFINIBAND = Profile(
    trust_dscp=True,
    priorities=tuple(lane % PRIORITIES for lane in range(64)),
    pause_sent=ALL,
    pause_obeyed=ALL,
    pause_at=64_000,
    resume_at=56_000,
)
"""Credits on every virtual lane; a service level rides on the lane of its number."""

PLAIN = Profile()
"""Ethernet without quality of service: one queue that drops when it is full."""
