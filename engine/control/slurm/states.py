"""The states of a Slurm node: base state and flags, and the words that Slurm's tools make of them.

Source: SchedMD/slurm 24.11 slurm/slurm.h (numbers, by which sinfo sorts) and src/common/slurm_protocol_defs.c
(node_state_string, node_state_string_compact, node_state_flag_string).
"""

from __future__ import annotations

from enum import Enum, IntFlag

from engine.kernel.quick_dataclass import dataclass


class Base(Enum):
    """Base states: number, long and short word."""

    UNKNOWN = (0, "UNKNOWN", "UNK")
    DOWN = (1, "DOWN", "DOWN")
    IDLE = (2, "IDLE", "IDLE")
    ALLOCATED = (3, "ALLOCATED", "ALLOC")
    MIXED = (5, "MIXED", "MIX")
    FUTURE = (6, "FUTURE", "FUTR")


class Flag(IntFlag):
    """Flags with Slurm's bits."""

    NONE = 0
    RESERVED = 1 << 5
    DRAIN = 1 << 9
    COMPLETING = 1 << 10
    NOT_RESPONDING = 1 << 11
    POWERED_DOWN = 1 << 12
    FAIL = 1 << 13
    POWERING_UP = 1 << 14
    MAINTENANCE = 1 << 15
    REBOOT_REQUESTED = 1 << 16
    POWERING_DOWN = 1 << 18
    REBOOT_ISSUED = 1 << 20
    PLANNED = 1 << 21
    INVALID_REG = 1 << 22
    POWER_DOWN = 1 << 23


# In the order in which the complete form lists them.
_LISTED = (
    Flag.COMPLETING, Flag.DRAIN, Flag.INVALID_REG, Flag.FAIL, Flag.MAINTENANCE, Flag.POWER_DOWN, Flag.POWERED_DOWN,
    Flag.REBOOT_REQUESTED, Flag.REBOOT_ISSUED, Flag.RESERVED, Flag.NOT_RESPONDING, Flag.PLANNED, Flag.POWERING_UP,
    Flag.POWERING_DOWN,
)  # fmt: skip

_SUFFIXES = (
    (Flag.MAINTENANCE, "$"),
    (Flag.REBOOT_ISSUED, "^"),
    (Flag.REBOOT_REQUESTED, "@"),
    (Flag.POWERING_UP, "#"),
    (Flag.POWERING_DOWN, "%"),
    (Flag.POWERED_DOWN, "~"),
    (Flag.POWER_DOWN, "!"),
    (Flag.NOT_RESPONDING, "*"),
)

_WORDS = {
    "INVAL": ("INVAL", "INVAL"),
    "MAINT": ("MAINT", "MAINT"),
    "REBOOT": ("REBOOT", "BOOT"),
    "DRAINING": ("DRAINING", "DRNG"),
    "DRAINED": ("DRAINED", "DRAIN"),
    "FAILING": ("FAILING", "FAILG"),
    "FAIL": ("FAIL", "FAIL"),
    "COMPLETING": ("COMPLETING", "COMP"),
    "RESERVED": ("RESERVED", "RESV"),
    "PLANNED": ("PLANNED", "PLND"),
} | {base.value[1]: (base.value[1], base.value[2]) for base in Base}

_WORKING = (Base.ALLOCATED, Base.MIXED)
_IN_SERVICE = (Base.IDLE, *_WORKING)
_POWER = Flag.POWER_DOWN | Flag.POWERING_DOWN | Flag.POWERED_DOWN | Flag.POWERING_UP
_BARRED = Flag.DRAIN | Flag.FAIL | Flag.NOT_RESPONDING | Flag.INVALID_REG | Flag.REBOOT_ISSUED | _POWER


@dataclass(frozen=True, slots=True)
class NodeCondition:
    """Base state and flags of a node at a moment."""

    base: Base
    flags: Flag

    @property
    def number(self) -> int:
        """The number by which sinfo sorts."""
        return self.base.value[0] | self.flags

    @property
    def long(self) -> str:
        """`DRAINING*`, as `sinfo %T` shows in small letters."""
        word, suffix = self._word()
        return _WORDS[word][0] + suffix

    @property
    def short(self) -> str:
        """`DRNG*`, as `sinfo %t` shows in small letters."""
        word, suffix = self._word()
        return _WORDS[word][1] + suffix

    @property
    def complete(self) -> str:
        """`ALLOCATED+DRAIN`, as `scontrol show node` shows."""
        listed = [flag.name or "" for flag in _LISTED if flag in self.flags]
        return "+".join([self.base.value[1], *listed])

    @property
    def available(self) -> bool:
        """Whether new work may be placed there (slurmctld's avail_node_bitmap)."""
        return self.base in _IN_SERVICE and not self.flags & _BARRED

    @property
    def draining(self) -> bool:
        return Flag.DRAIN in self.flags and self.base in _WORKING

    @property
    def drained(self) -> bool:
        return Flag.DRAIN in self.flags and self.base not in _WORKING

    def _word(self) -> tuple[str, str]:
        """The word and its suffix. The first that applies wins."""
        flags, base = self.flags, self.base
        silent = "*" if Flag.NOT_RESPONDING in flags else ""
        if Flag.INVALID_REG in flags:
            return "INVAL", ""
        if Flag.MAINTENANCE in flags and Flag.DRAIN not in flags and base not in (Base.DOWN, *_WORKING):
            return "MAINT", silent
        if flags & (Flag.REBOOT_REQUESTED | Flag.REBOOT_ISSUED) and base not in _WORKING:
            return "REBOOT", "^" if Flag.REBOOT_ISSUED in flags else silent
        if Flag.DRAIN in flags:
            working = Flag.COMPLETING in flags or base in _WORKING
            return "DRAINING" if working else "DRAINED", self._suffix()
        if Flag.FAIL in flags:
            working = Flag.COMPLETING in flags or base is Base.ALLOCATED
            return "FAILING" if working else "FAIL", silent
        return self._plain_word()

    def _plain_word(self) -> tuple[str, str]:
        flags, base, suffix = self.flags, self.base, self._suffix()
        if base is Base.UNKNOWN:
            return "UNKNOWN", "*" if Flag.NOT_RESPONDING in flags else ""
        if Flag.COMPLETING in flags and base is not Base.DOWN:
            if base is Base.ALLOCATED:
                return "ALLOCATED", suffix or "+"
            return "COMPLETING", suffix
        if base is Base.IDLE and not suffix:
            return ("RESERVED" if Flag.RESERVED in flags else "PLANNED" if Flag.PLANNED in flags else "IDLE"), ""
        if base is Base.MIXED and not suffix and Flag.PLANNED in flags:
            return "MIXED", "-"
        return base.value[1], suffix

    def _suffix(self) -> str:
        return next((suffix for flag, suffix in _SUFFIXES if flag in self.flags), "")
