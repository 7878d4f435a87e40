"""Quick dataclasses are the standard library's in everything that can be seen."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Quick:
    """One made quickly."""

    name: str
    count: int = 3
    table: Any = dataclasses.field(default_factory=lambda: MappingProxyType({}))
    note: str = dataclasses.field(default="", compare=False, repr=False)

    @property
    def double(self) -> int:
        return self.count * 2


@dataclasses.dataclass(frozen=True, slots=True)
class Usual:
    """The standard library's."""

    name: str
    count: int = 3
    table: Any = dataclasses.field(default_factory=lambda: MappingProxyType({}))
    note: str = dataclasses.field(default="", compare=False, repr=False)


@pytest.mark.parametrize(
    "act",
    [
        lambda kind: repr(kind("a")).partition("(")[2],
        lambda kind: repr(kind("it's", 4, {"x": 1}, "hidden")).partition("(")[2],
        lambda kind: kind("a") == kind("a", note="other"),
        lambda kind: kind("a") == kind("b"),
        lambda kind: kind("a") == ("a", 3),
        lambda kind: hash(kind("a", table=())) == hash(("a", 3, ())),
        lambda kind: [field.name for field in dataclasses.fields(kind)],
        lambda kind: dataclasses.replace(kind("a"), count=9).count,
        lambda kind: dataclasses.astuple(kind("a", table=())),
        lambda kind: copy.deepcopy(kind("a", table=(1,))).table,
        lambda kind: copy.copy(kind("a")).name,
        lambda kind: kind.__match_args__,
        lambda kind: kind.__slots__,
        lambda kind: kind("a").table is kind("a").table,
    ],
)
def test_both_do_the_same(act: Callable[[Any], object]) -> None:
    assert act(Quick) == act(Usual)


@pytest.mark.parametrize(
    "act",
    [
        lambda kind: setattr(kind("a"), "name", "b"),
        lambda kind: delattr(kind("a"), "name"),
        lambda kind: kind(),
        lambda kind: kind("a", wrong=1),
        lambda kind: kind("a", 1, {}, "", 5),
        lambda kind: dataclasses.replace(kind("a"), wrong=1),
    ],
)
def test_both_refuse_the_same(act: Callable[[Any], object]) -> None:
    refused = []
    for kind in (Quick, Usual):
        with pytest.raises((AttributeError, TypeError)) as caught:
            act(kind)
        refused.append((caught.type, str(caught.value).replace("Quick", "Usual")))
    assert refused[0] == refused[1]


def test_pickles_and_methods_of_its_own_are_kept() -> None:
    assert pickle.loads(pickle.dumps(Quick("a", table=(1,)))) == Quick("a", table=(1,))
    assert Quick("a").double == 6


def test_what_the_class_defines_itself_stands() -> None:
    @dataclass(frozen=True, slots=True)
    class Own:
        data: bytes

        def __repr__(self) -> str:
            return f"Own of {len(self.data)} bytes"

        def __post_init__(self) -> None:
            if not self.data:
                raise ValueError("empty")

    assert repr(Own(b"abc")) == "Own of 3 bytes" and Own(b"a") == Own(b"a")
    with pytest.raises(ValueError, match="empty"):
        Own(b"")


def test_fields_are_not_inherited() -> None:
    with pytest.raises(TypeError, match="inherits fields"):

        @dataclass(frozen=True, slots=True)
        class Child(Quick):
            more: int = 1
