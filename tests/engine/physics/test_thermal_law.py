"""The law alone: more power, warmer air or less flow never cools a GPU, and limits hold in their order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.physics.fan_control import FULL_DUTY, LEAST_DUTY, hottest_settled, settled_duty, wanted_duty
from engine.physics.gpu_power import Reason, clock, draw, power_at_lowest_clock
from engine.physics.thermal_law import Cooling, cooling, operating_limit, plan
from engine.world.records import GpuLoad, GpuState
from tests.support.worlds import inventory

PRODUCT = inventory().gpu("dgx-01/gpu0").product
FLOWS, INLETS, DEMANDS = st.integers(40, 1000), st.integers(5_000, 60_000), st.integers(0, 1200)


def state(**fields: int | None) -> GpuState:
    return GpuState(serial="1650000000001", **({"power_limit": PRODUCT.power_limit} | fields))


def load(permille: int) -> GpuLoad:
    return GpuLoad(sm=100, power_permille=permille)


def end(permille: int, air: Cooling, settings: GpuState | None = None) -> tuple[int, int]:
    """(temperature, power) at which a GPU ends, following its plans from one to the next."""
    drawn, temperature = draw(PRODUCT, settings or state(), load(permille)), air.air
    for _ in range(6):
        made = plan(PRODUCT, drawn, air, temperature)
        if made.ends_at is None:
            return made.target, made.power
        temperature = made.ends_at
        if temperature >= PRODUCT.temperature_shutdown:
            break
    return temperature, made.power


@given(DEMANDS, FLOWS, INLETS, st.integers(0, 20_000))
def test_warmer_air_never_cools(permille: int, flow: int, inlet: int, more: int) -> None:
    cool, warm = (cooling(PRODUCT, 1080, flow, air) for air in (inlet, inlet + more))
    assert end(permille, warm)[0] >= end(permille, cool)[0] - 1
    assert end(permille, warm)[1] <= end(permille, cool)[1] + 1


@given(DEMANDS, FLOWS, FLOWS, INLETS)
def test_more_air_never_heats(permille: int, one: int, other: int, inlet: int) -> None:
    little, much = (cooling(PRODUCT, 1000, flow, inlet) for flow in sorted((one, other)))
    assert end(permille, much)[0] <= end(permille, little)[0] + 1
    assert much.time_constant <= little.time_constant


@given(DEMANDS, DEMANDS, FLOWS, INLETS)
def test_more_work_never_cools(one: int, other: int, flow: int, inlet: int) -> None:
    light, heavy = sorted((one, other))
    air = cooling(PRODUCT, 1000, flow, inlet)
    assert end(heavy, air)[0] >= end(light, air)[0] - 1


@given(DEMANDS, FLOWS, INLETS)
def test_a_gpu_that_software_can_hold_never_passes_its_operating_limit(permille: int, flow: int, inlet: int) -> None:
    air = cooling(PRODUCT, 1080, flow, inlet)
    drawn = draw(PRODUCT, state(), load(permille))
    if air.settled(power_at_lowest_clock(PRODUCT, drawn)) <= operating_limit(PRODUCT):
        assert end(permille, air)[0] <= operating_limit(PRODUCT)


def test_the_reasons_name_what_slows_a_gpu() -> None:
    drawn = draw(PRODUCT, state(), load(930))
    air = cooling(PRODUCT, 1080, 500, 45_000)
    assert plan(PRODUCT, drawn, air, 50_000).reasons == 0
    assert plan(PRODUCT, drawn, air, 85_000).reasons == Reason.SW_THERMAL
    stuck = cooling(PRODUCT, 1080, 40, 45_000)
    both = Reason.SW_THERMAL | Reason.HW_SLOWDOWN | Reason.HW_THERMAL
    assert plan(PRODUCT, drawn, stuck, 86_000).reasons == Reason.SW_THERMAL
    assert plan(PRODUCT, drawn, stuck, 87_000).reasons == both
    assert plan(PRODUCT, drawn, cooling(PRODUCT, 1080, 40, 70_000), 87_000).ends_at == PRODUCT.temperature_shutdown


@given(DEMANDS, st.integers(60_000, 700_000), st.integers(60_000, 700_000))
def test_a_smaller_budget_never_gives_a_higher_clock(permille: int, one: int, other: int) -> None:
    drawn = draw(PRODUCT, state(), load(permille))
    small, large = sorted((one, other))
    assert clock(PRODUCT, drawn, small) <= clock(PRODUCT, drawn, large)
    assert PRODUCT.clock_graphics_min <= clock(PRODUCT, drawn, small)


def test_settings_cap_power_and_clock() -> None:
    limited = draw(PRODUCT, state(power_limit=400_000), load(930))
    assert (limited.power, limited.reasons) == (400_000, Reason.SW_POWER_CAP)
    locked = draw(PRODUCT, state(locked_clock=1200), load(930))
    assert locked.power < 400_000
    assert 1170 <= clock(PRODUCT, locked, locked.power) <= 1200
    held = draw(PRODUCT, state(locked_clock=1500, locked_clock_minimum=1500), GpuLoad())
    assert clock(PRODUCT, held, held.power) == 1500


@given(
    st.integers(10_000, 50_000),
    st.integers(0, 900),
    st.lists(st.tuples(st.integers(0, 60_000), st.integers(100, 1000)), max_size=8),
)
def test_fans_settle_where_curve_and_heat_agree(inlet: int, blocked: int, heat: list[tuple[int, int]]) -> None:
    heats = tuple(heat)
    duty = settled_duty(inlet, blocked, heats)
    assert LEAST_DUTY <= duty <= FULL_DUTY
    assert duty >= wanted_duty(hottest_settled(inlet, blocked, heats, duty)) or duty == FULL_DUTY
    assert duty == LEAST_DUTY or duty - 1 < wanted_duty(hottest_settled(inlet, blocked, heats, duty - 1))
