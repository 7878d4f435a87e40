"""State tables: what is worked out from a state is kept until the state changes."""

from __future__ import annotations

from dataclasses import dataclass

from engine.kernel.state import State, Table


@dataclass(frozen=True, slots=True)
class Fan:
    speed: int = 0


class Small(State):
    fans: Table[Fan]

    def __init__(self) -> None:
        super().__init__()
        self.fans = self.table("fans", lambda name: Fan())


def test_what_was_derived_is_made_anew_when_something_has_changed() -> None:
    state, made = Small(), []

    def make() -> int:
        made.append(1)
        return len(made)

    assert [state.derived(("a",), make), state.derived(("a",), make), state.derived(("b",), make)] == [1, 1, 2]
    twin = state.copy()
    assert twin.derived(("a",), make) == 3 and state.derived(("a",), make) == 1
    state.fans.update("fan1", speed=7)
    assert state.derived(("a",), make) == 4 and twin.derived(("a",), make) == 3


def test_ids_come_in_order_however_they_came_and_went() -> None:
    state = Small()
    for name in ("b/2", "a/1", "b/10", "b/1", "c"):
        state.fans.update(name, speed=1)
    assert state.fans.changed() == ["a/1", "b/1", "b/10", "b/2", "c"]
    assert state.fans.beginning("b/") == ("b/1", "b/10", "b/2") and state.fans.beginning("d") == ()
    twin = state.copy()
    twin.fans.forget("b/10")
    twin.fans.update("b/3", speed=2)
    assert twin.fans.beginning("b/") == ("b/1", "b/2", "b/3") and state.fans.beginning("b/") == ("b/1", "b/10", "b/2")
    assert twin.fans.beginning("") == tuple(twin.fans.changed())
