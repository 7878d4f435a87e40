"""Partition keys (P_Keys) in ports: who may talk to whom.

Two ports may talk over a key if both have it, one of them at least as a full member (bit 15), and each at the index
that its program uses. A packet whose key does not fit is dropped by the switch or by the port that it reaches, without
an answer (InfiniBand architecture, chapters 9 and 10.9). Verbs programs use index 0 unless they are told otherwise.
"""

from __future__ import annotations

from engine.world.world import World

FULL = 0x8000
"""The bit that tells full membership."""


def base(key: int) -> int:
    """The key without its membership."""
    return key & ~FULL


def keys(world: World, end: str) -> tuple[int, ...]:
    """The keys of an end port by index, without the zeros at the end of its table."""
    return world.partition_keys[end].keys


def key_at(world: World, end: str, index: int = 0) -> int:
    """The key at an index; 0 for none."""
    table = keys(world, end)
    return table[index] if index < len(table) else 0


def fit(one: int, other: int) -> bool:
    """Whether ports may talk over these keys."""
    return base(one) == base(other) != 0 and bool((one | other) & FULL)


def may_talk(world: World, one: str, other: str, index: int = 0) -> bool:
    """Whether programs at two end ports that use their keys at `index` reach each other."""
    if not world.partition_keys.changed():
        return index == 0
    return fit(key_at(world, one, index), key_at(world, other, index))
