"""GPU temperatures, powers and clocks under work, warm air and broken fans."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control.driver import SetPowerLimit
from engine.kernel.units import HOUR, MINUTE, SECOND
from engine.physics import air, thermal
from engine.physics.gpu_power import Reason
from engine.simulation import open_site
from engine.world.records import BusState
from tests.engine.physics.scene import (
    EVERY_GPU,
    NODE,
    end_work,
    large_site,
    physical_simulation,
    start_work,
    temperatures,
)

SETTLED = 30 * MINUTE


def gpu(index: int) -> str:
    return f"{NODE}/gpu{index}"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_idle_h100_is_cool(seed: int) -> None:
    world = physical_simulation(seed).world
    for node in ("dgx-01", "dgx-02", "dgx-03", "dgx-04"):
        for index in EVERY_GPU:
            identifier = f"{node}/gpu{index}"
            assert 28_000 <= thermal.temperature(world, identifier, 0) <= 35_000
            assert 66_000 <= thermal.power(world, identifier, 0) <= 76_000
            assert thermal.sm_clock(world, identifier, 0) == 345
            assert thermal.reasons(world, identifier) == Reason.IDLE


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_training_keeps_healthy_gpus_warm_and_fast(seed: int) -> None:
    simulation = physical_simulation(seed)
    start_work(simulation, "training")
    simulation.advance(SETTLED)
    for index in EVERY_GPU:
        assert 59_000 <= thermal.temperature(simulation.world, gpu(index), simulation.now) <= 69_000
        assert 600_000 <= thermal.power(simulation.world, gpu(index), simulation.now) <= 690_000
        assert thermal.sm_clock(simulation.world, gpu(index), simulation.now) == 1980
        assert thermal.reasons(simulation.world, gpu(index)) == 0


def test_memory_settles_above_the_gpu_and_lags_behind_it() -> None:
    simulation = physical_simulation()
    assert thermal.memory_temperature(simulation.world, gpu(0), 0) > thermal.temperature(simulation.world, gpu(0), 0)
    start_work(simulation, "burn")
    simulation.advance(MINUTE)
    minute = simulation.now
    assert thermal.memory_temperature(simulation.world, gpu(0), minute) < thermal.temperature(
        simulation.world, gpu(0), minute
    )
    simulation.advance(SETTLED)
    later = simulation.now
    assert thermal.memory_temperature(simulation.world, gpu(0), later) > thermal.temperature(
        simulation.world, gpu(0), later
    )


def test_work_under_way_when_the_site_opens_has_warmed_its_gpus_and_no_others() -> None:
    simulation = physical_simulation()
    for index in range(4):
        start_work(simulation, "training", gpus=[index], started=-5 * HOUR)
    warm = temperatures(simulation)
    assert min(warm[:4]) > 59_000
    assert max(warm[4:]) < 35_000
    assert thermal.temperature(simulation.world, gpu(0), -6 * HOUR) < 35_000
    simulation.advance(SETTLED)
    assert temperatures(simulation) == warm


def test_the_past_stays_what_it_was() -> None:
    simulation = physical_simulation()
    start_work(simulation, "training")
    simulation.advance(SETTLED)
    before = (
        thermal.temperature(simulation.world, gpu(3), 2 * MINUTE),
        thermal.power(simulation.world, gpu(3), 2 * MINUTE),
    )
    end_work(simulation)
    simulation.advance(SETTLED)
    after = (
        thermal.temperature(simulation.world, gpu(3), 2 * MINUTE),
        thermal.power(simulation.world, gpu(3), 2 * MINUTE),
    )
    assert before == after
    assert max(temperatures(simulation)) < 35_000


def test_a_stopped_fan_heats_the_gpus_behind_it_alone() -> None:
    simulation = physical_simulation()
    start_work(simulation, "training")
    simulation.advance(SETTLED)
    before = temperatures(simulation)
    air.stop_fan(simulation, f"{NODE}/fan3")
    simulation.advance(SETTLED)
    rises = [now - then for now, then in zip(temperatures(simulation), before, strict=True)]
    assert [index for index, rise in enumerate(rises) if rise > 8_000] == [2, 3]
    assert all(rise < 0 for index, rise in enumerate(rises) if index not in (2, 3))
    assert all(thermal.reasons(simulation.world, gpu(index)) == 0 for index in EVERY_GPU)


def test_every_fan_matters_to_some_gpu() -> None:
    for fan in range(12):
        simulation = physical_simulation()
        start_work(simulation, "training")
        simulation.advance(SETTLED)
        before = temperatures(simulation)
        air.stop_fan(simulation, f"{NODE}/fan{fan}")
        simulation.advance(SETTLED)
        assert max(now - then for now, then in zip(temperatures(simulation), before, strict=True)) > 8_000


def test_hot_air_alone_is_met_by_the_fans() -> None:
    simulation = physical_simulation()
    start_work(simulation, "training")
    simulation.advance(SETTLED)
    slow = simulation.world.cooling[NODE].fan_duty_permille
    air.change_inlet(simulation, NODE, 14_000, 10 * MINUTE)
    simulation.advance(SETTLED)
    assert simulation.world.cooling[NODE].fan_duty_permille > slow
    assert all(thermal.reasons(simulation.world, gpu(index)) == 0 for index in EVERY_GPU)


def test_a_stopped_fan_in_hot_air_slows_gpus_down_and_a_new_fan_mends_it() -> None:
    simulation = physical_simulation()
    start_work(simulation, "training")
    simulation.advance(SETTLED)
    air.stop_fan(simulation, f"{NODE}/fan3")
    air.change_inlet(simulation, NODE, 14_000, 10 * MINUTE)
    simulation.advance(HOUR)
    world, now = simulation.world, simulation.now
    slow = [index for index in EVERY_GPU if thermal.reasons(world, gpu(index)) & Reason.SW_THERMAL]
    assert slow == [2, 3]
    for index in slow:
        assert thermal.sm_clock(world, gpu(index), now) < 1950
        assert 84_000 <= thermal.temperature(world, gpu(index), now) <= 86_000
        assert thermal.power(world, gpu(index), now) < 620_000
        assert thermal.reason_time(world, gpu(index), Reason.SW_THERMAL, now) > 30 * MINUTE
        assert world.gpus[gpu(index)].bus is BusState.PRESENT
    assert thermal.reason_time(world, gpu(0), Reason.SW_THERMAL, now) == 0
    air.change_fan(simulation, f"{NODE}/fan3", "NEW")
    simulation.advance(SETTLED)
    assert all(thermal.reasons(world, gpu(index)) == 0 for index in EVERY_GPU)
    assert thermal.sm_clock(world, gpu(3), simulation.now) == 1980


def test_without_any_fan_the_hardware_slows_down_and_then_switches_off() -> None:
    simulation = physical_simulation()
    start_work(simulation, "training")
    for fan in range(12):
        air.stop_fan(simulation, f"{NODE}/fan{fan}")
    simulation.advance(HOUR)
    assert thermal.reasons(simulation.world, gpu(3)) & Reason.HW_THERMAL
    assert simulation.world.gpus[gpu(3)].bus is BusState.PRESENT
    air.change_inlet(simulation, NODE, 30_000, MINUTE)
    simulation.advance(HOUR)
    assert simulation.world.gpus[gpu(3)].bus is BusState.LOST
    assert thermal.power(simulation.world, gpu(3), simulation.now) == 0


def test_a_power_cap_costs_clock_and_says_so() -> None:
    simulation = physical_simulation()
    start_work(simulation, "hpl")
    simulation.advance(SETTLED)
    held = thermal.regime(simulation.world, gpu(0))
    assert held.power.value(simulation.now) == 700_000
    assert held.reasons == Reason.SW_POWER_CAP
    assert 1_600 < held.sm_clock < 1_980


def test_the_temperature_margin_is_that_of_the_captures() -> None:
    simulation = physical_simulation()
    idle = thermal.temperature(simulation.world, gpu(0), 0)
    assert idle + thermal.temperature_margin(simulation.world, gpu(0), 0) == pytest.approx(87_600, abs=100)
    start_work(simulation, "burn")
    simulation.advance(SETTLED)
    warm = thermal.temperature(simulation.world, gpu(0), simulation.now)
    assert warm + thermal.temperature_margin(simulation.world, gpu(0), simulation.now) == pytest.approx(85_600, abs=200)


@given(
    workloads=st.lists(st.sampled_from(["training", "inference", "burn", "hpl", "nccl", ""]), min_size=1, max_size=5),
    inlet=st.integers(-10, 25),
    fan=st.integers(0, 11),
)
def test_temperatures_and_energy_stay_within_what_the_powers_allow(workloads: list[str], inlet: int, fan: int) -> None:
    simulation = physical_simulation()
    coldest, hottest = 10_000, 88_000
    air.change_inlet(simulation, NODE, inlet * 1000, 5 * MINUTE)
    for number, workload in enumerate(workloads):
        end_work(simulation)
        start_work(simulation, workload)
        if number == 1:
            air.stop_fan(simulation, f"{NODE}/fan{fan}")
        for _ in range(4):
            simulation.advance(100 * SECOND)
            assert all(coldest < value < hottest for value in temperatures(simulation))
    now = simulation.now
    for index in EVERY_GPU:
        used = thermal.energy(simulation.world, gpu(index), 0, now)
        assert 60 * now // SECOND * 1000 <= used <= 700 * now // SECOND * 1000
        half = thermal.energy(simulation.world, gpu(index), 0, now // 2)
        assert abs(used - half - thermal.energy(simulation.world, gpu(index), now // 2, now)) <= len(workloads) * 20


def drive(simulation, moves: list[tuple[str, int]]) -> None:
    """Let things happen to a node, five minutes apart."""
    for kind, number in moves:
        if kind == "work":
            start_work(simulation, ["training", "burn", "inference"][number % 3], gpus=[number % 8])
        elif kind == "end":
            end_work(simulation)
        elif kind == "inlet":
            air.change_inlet(simulation, NODE, (number - 6) * 1000, 7 * MINUTE)
        else:
            air.stop_fan(simulation, f"{NODE}/fan{number}")
        simulation.advance(5 * MINUTE)


MOVES = st.lists(st.tuples(st.sampled_from(["work", "end", "inlet", "fan"]), st.integers(0, 11)), max_size=8)


@given(MOVES)
def test_the_same_moves_give_the_same_state(moves: list[tuple[str, int]]) -> None:
    first, second = physical_simulation(), physical_simulation()
    drive(first, moves)
    drive(second, moves)
    assert first.state_digest() == second.state_digest()


@given(MOVES, MOVES)
def test_a_fork_goes_its_own_way(before: list[tuple[str, int]], after: list[tuple[str, int]]) -> None:
    simulation = physical_simulation()
    drive(simulation, before)
    digest, twin = simulation.state_digest(), simulation.fork()
    assert twin.state_digest() == digest
    drive(twin, after)
    assert simulation.state_digest() == digest
    drive(simulation, after)
    assert simulation.state_digest() == twin.state_digest()


@given(MOVES)
def test_looking_changes_nothing(moves: list[tuple[str, int]]) -> None:
    simulation = physical_simulation()
    drive(simulation, moves)
    digest = simulation.state_digest()
    for index in EVERY_GPU:
        for time in (-HOUR, 0, simulation.now):
            thermal.temperature(simulation.world, gpu(index), time)
            thermal.power(simulation.world, gpu(index), time)
            thermal.sm_clock(simulation.world, gpu(index), time)
    assert simulation.state_digest() == digest


def test_a_load_change_of_two_thousand_gpus_costs_one_regime_and_one_event_each_at_most() -> None:
    simulation = physical_simulation(site=large_site(250))
    nodes = simulation.world.inventory.node_names[1:]
    for node in nodes:
        start_work(simulation, "training", node=node, started=0)
    regimes = [len(simulation.world.thermal[f"{node}/gpu{index}"].regimes) for node in nodes for index in EVERY_GPU]
    assert len(regimes) == 2000
    assert set(regimes) == {1}
    assert simulation.next_event_time() is None
    simulation.advance(24 * HOUR)
    assert all(len(simulation.world.thermal[f"{node}/gpu0"].regimes) == 1 for node in nodes)


def test_a_setting_made_in_the_sites_first_moment_does_not_rewrite_the_past() -> None:
    simulation = open_site("dgx-h100-4", 1)
    world = simulation.world
    gpus = (gpu.id for name in world.inventory.node_names for gpu in world.node(name).gpus)
    busy = next(gpu for gpu in gpus if thermal.regime(world, gpu).load.power_permille)
    node, _, name = busy.partition("/")
    assert simulation.apply(SetPowerLimit(node, int(name.removeprefix("gpu")), 450_000, "root")) is None
    simulation.advance(MINUTE)
    assert thermal.reason_time(world, busy, Reason.SW_POWER_CAP, simulation.now) == MINUTE
