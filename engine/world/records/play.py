"""What is done to a site: work in the machine room, faults that were injected, harm that was done."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class HandsOrder:
    """Physical work that somebody ordered in the machine room."""

    number: int
    action: str
    target: str
    ordered_at: int
    due_at: int
    ordered_by: str
    report: str = ""
    done: bool = False


@dataclass(frozen=True, slots=True)
class Hands:
    """All orders to the machine room."""

    orders: tuple[HandsOrder, ...] = ()


@dataclass(frozen=True, slots=True)
class ActiveFault:
    """A fault that was injected: the truth, which no command shows."""

    id: str
    target: str
    parameters: tuple[tuple[str, str], ...]
    since: int


@dataclass(frozen=True, slots=True)
class Faults:
    """All faults injected so far, in order."""

    active: tuple[ActiveFault, ...] = ()


@dataclass(frozen=True, slots=True)
class Harm:
    """Something bad that an operator's act did: when, of which kind, to what, and by what.

    Kinds are job_killed, node_down, gpu_lost_work, service_stopped and data_lost.
    """

    time: int
    kind: str
    what: str
    cause: str


@dataclass(frozen=True, slots=True)
class BlastRadius:
    """All harm so far."""

    harms: tuple[Harm, ...] = ()
