"""Words for the states of nodes: every word that a 22.05 cluster showed, from the state that it was in."""

from __future__ import annotations

import pytest

from engine.control.slurm.states import Base, Flag, NodeCondition

SILENT, DRAIN, COMPLETING = Flag.NOT_RESPONDING, Flag.DRAIN, Flag.COMPLETING
ASKED, SENT = Flag.REBOOT_REQUESTED, Flag.REBOOT_ISSUED


@pytest.mark.parametrize(
    ("base", "flags", "short", "long", "complete"),
    [
        (Base.IDLE, Flag.NONE, "idle", "idle", "IDLE"),
        (Base.UNKNOWN, Flag.NONE, "unk", "unknown", "UNKNOWN"),
        (Base.UNKNOWN, SILENT, "unk*", "unknown*", "UNKNOWN+NOT_RESPONDING"),
        (Base.MIXED, Flag.NONE, "mix", "mixed", "MIXED"),
        (Base.ALLOCATED, Flag.NONE, "alloc", "allocated", "ALLOCATED"),
        (Base.ALLOCATED, SILENT, "alloc*", "allocated*", "ALLOCATED+NOT_RESPONDING"),
        (Base.IDLE, COMPLETING, "comp", "completing", "IDLE+COMPLETING"),
        (Base.MIXED, COMPLETING, "comp", "completing", "MIXED+COMPLETING"),
        (Base.ALLOCATED, COMPLETING, "alloc+", "allocated+", "ALLOCATED+COMPLETING"),
        (Base.IDLE, DRAIN, "drain", "drained", "IDLE+DRAIN"),
        (Base.IDLE, DRAIN | SILENT, "drain*", "drained*", "IDLE+DRAIN+NOT_RESPONDING"),
        (Base.DOWN, DRAIN, "drain", "drained", "DOWN+DRAIN"),
        (Base.ALLOCATED, DRAIN, "drng", "draining", "ALLOCATED+DRAIN"),
        (Base.MIXED, DRAIN, "drng", "draining", "MIXED+DRAIN"),
        (Base.IDLE, DRAIN | COMPLETING, "drng", "draining", "IDLE+COMPLETING+DRAIN"),
        (Base.ALLOCATED, DRAIN | ASKED, "drng@", "draining@", "ALLOCATED+DRAIN+REBOOT_REQUESTED"),
        (Base.DOWN, DRAIN | SENT, "boot^", "reboot^", "DOWN+DRAIN+REBOOT_ISSUED"),
        (Base.DOWN, Flag.NONE, "down", "down", "DOWN"),
        (Base.DOWN, SILENT, "down*", "down*", "DOWN+NOT_RESPONDING"),
        (Base.IDLE, SILENT, "idle*", "idle*", "IDLE+NOT_RESPONDING"),
        (Base.IDLE, Flag.FAIL, "fail", "fail", "IDLE+FAIL"),
        (Base.ALLOCATED, Flag.FAIL, "failg", "failing", "ALLOCATED+FAIL"),
        (Base.IDLE, Flag.PLANNED, "plnd", "planned", "IDLE+PLANNED"),
        (Base.MIXED, Flag.PLANNED, "mix-", "mixed-", "MIXED+PLANNED"),
        (Base.IDLE, Flag.RESERVED, "resv", "reserved", "IDLE+RESERVED"),
        (Base.IDLE, Flag.MAINTENANCE, "maint", "maint", "IDLE+MAINTENANCE"),
        (Base.ALLOCATED, Flag.MAINTENANCE, "alloc$", "allocated$", "ALLOCATED+MAINTENANCE"),
        (Base.IDLE, DRAIN | Flag.INVALID_REG, "inval", "inval", "IDLE+DRAIN+INVALID_REG"),
    ],
)
def test_words(base: Base, flags: Flag, short: str, long: str, complete: str) -> None:
    condition = NodeCondition(base, flags)
    assert (condition.short.lower(), condition.long.lower(), condition.complete) == (short, long, complete)


@pytest.mark.parametrize(
    ("base", "flags", "available"),
    [
        (Base.IDLE, Flag.NONE, True),
        (Base.MIXED, Flag.NONE, True),
        (Base.IDLE, COMPLETING, True),
        (Base.IDLE, ASKED, True),
        (Base.IDLE, DRAIN, False),
        (Base.IDLE, Flag.FAIL, False),
        (Base.IDLE, SILENT, False),
        (Base.IDLE, Flag.INVALID_REG, False),
        (Base.DOWN, Flag.NONE, False),
        (Base.UNKNOWN, Flag.NONE, False),
    ],
)
def test_which_nodes_take_new_work(base: Base, flags: Flag, available: bool) -> None:
    assert NodeCondition(base, flags).available is available
