"""The simulation: order of events, recording, replay, forks and digests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernel.actions import Action, decode, encode
from engine.kernel.errors import BreakfixError
from engine.kernel.events import Bus, Event
from engine.kernel.simulation import Simulation, replay
from engine.kernel.state import State, Table


@dataclass(frozen=True, slots=True)
class Counter:
    value: int = 0
    log: tuple[str, ...] = ()


class Counters(State):
    counters: Table[Counter]

    def __init__(self) -> None:
        super().__init__()
        self.counters = self.table("counters", lambda name: Counter())


@dataclass(frozen=True, slots=True)
class Tick(Event):
    name: str


@dataclass(frozen=True, slots=True)
class Add(Action):
    name: str
    amount: int
    ticks_after: int | None = None

    def perform(self, simulation: Simulation[Counters]) -> int:
        counter = simulation.world.counters[self.name]
        simulation.world.counters.update(self.name, value=counter.value + self.amount)
        if self.ticks_after is not None:
            simulation.schedule(Tick(self.name), self.ticks_after)
        return counter.value + self.amount


def count_tick(simulation: Simulation[Counters], event: Tick) -> None:
    counter = simulation.world.counters[event.name]
    simulation.world.counters.update(event.name, log=(*counter.log, f"{simulation.now}"))
    simulation.apply(Add(event.name, 1000))


def simulation() -> Simulation[Counters]:
    return Simulation(Counters(), 1, Bus([(Tick, count_tick)]))


steps = st.lists(
    st.tuples(st.integers(0, 50), st.sampled_from("ab"), st.integers(0, 9), st.none() | st.integers(0, 60)), max_size=12
)


def run(sim: Simulation[Counters], moves: list[tuple[int, str, int, int | None]]) -> None:
    for wait, name, amount, ticks in moves:
        sim.advance(wait)
        sim.apply(Add(name, amount, ticks))
    sim.advance(100)


@given(steps)
def test_replay_gives_the_same_state(moves: list[tuple[int, str, int, int | None]]) -> None:
    first = simulation()
    run(first, moves)
    again = replay(simulation(), first.recorded, first.now)
    assert again.state_digest() == first.state_digest()
    assert again.world.counters["a"] == first.world.counters["a"]


@given(steps, steps)
def test_a_fork_goes_its_own_way(before: list[Any], after: list[Any]) -> None:
    first = simulation()
    run(first, before)
    digest = first.state_digest()
    fork = first.fork()
    assert fork.state_digest() == digest
    run(fork, after)
    assert first.state_digest() == digest
    run(first, after)
    assert first.state_digest() == fork.state_digest()


def test_events_of_one_time_keep_their_order() -> None:
    sim = simulation()
    sim.apply(Add("a", 0, 10))
    sim.apply(Add("b", 0, 10))
    sim.apply(Add("a", 0, 5))
    sim.advance(10)
    assert sim.world.counters["a"].log == ("5", "10")
    assert sim.world.counters["b"].log == ("10",)


def test_what_is_due_at_once_happens_with_the_action() -> None:
    sim = simulation()
    sim.apply(Add("a", 1, 0))
    assert sim.world.counters["a"].value == 1001


def test_actions_of_events_are_not_recorded_twice() -> None:
    sim = simulation()
    sim.apply(Add("a", 1, 5))
    sim.advance(10)
    assert [entry.action for entry in sim.recorded] == [Add("a", 1, 5)]


def test_time_only_goes_on() -> None:
    sim = simulation()
    sim.advance(10)
    sim.advance_to(3)
    assert sim.now == 10


def test_digest_names_differences_only() -> None:
    sim, other = simulation(), simulation()
    sim.apply(Add("a", 0))
    assert sim.world.digest() == other.world.digest()
    sim.apply(Add("a", 1))
    assert sim.world.digest() != other.world.digest()


def test_an_action_survives_its_journal_form() -> None:
    import dataclasses

    from engine.hostfs.changes import WriteFile
    from engine.shell.play import Play  # noqa: F401  (actions of every floor can be imported)

    values = {"str": "x", "bytes": b"\x00\xff", "int": 5, "bool": True}
    fields = {f.name: next(v for k, v in values.items() if k in str(f.type)) for f in dataclasses.fields(WriteFile)}
    action = WriteFile(**fields)
    assert decode(json.loads(json.dumps(encode(action)))) == action


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"action": "os.system"},
        {"action": "kernel.errors.BreakfixError"},
        {"action": "hostfs.changes.WriteFile", "with": {"nosuch": 1}},
        {"action": "hostfs.changes.WriteFile", "with": [1]},
        {"action": 5},
    ],
)
def test_an_unknown_action_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(BreakfixError, match="action"):
        decode(data)
