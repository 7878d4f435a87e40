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
