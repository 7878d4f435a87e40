"""Counters of ports: what makes them grow, that nothing but a reset makes them fall, and how bad signals show."""

from __future__ import annotations

import pytest

from engine.control.modules import UnloadModule
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, MINUTE, SECOND
from engine.physics import link_quality, links, port_counters
from engine.physics.traffic import exchange
from engine.simulation import open_site
from engine.world.records import Flow
from engine.world.world import World

PORT, FAR, OTHER = "dgx-04/mlx5_0/1", "leaf-01/13", "dgx-03/mlx5_0/1"
GIGA = 10**9


@pytest.fixture(scope="module")
def untouched() -> Simulation[World]:
    return open_site("dgx-h100-4", 1)


@pytest.fixture
def simulation(untouched: Simulation[World]) -> Simulation[World]:
    return untouched.fork()


def shown(simulation: Simulation[World], port: str, counter: str) -> int:
    return port_counters.value(simulation.world, port, counter, simulation.now)


def everything(simulation: Simulation[World], port: str) -> dict[str, int]:
    world, now = simulation.world, simulation.now
    return {**port_counters.errors(world, port, now), **port_counters.traffic(world, port, now)}


def inject(simulation: Simulation[World], text: str) -> None:
    simulation.apply(parse_fault(text))


def test_both_ends_of_a_link_agree_on_what_passed(simulation: Simulation[World]) -> None:
    before = {port: everything(simulation, port) for port in (PORT, FAR)}
    flow = Flow(PORT, OTHER, 200 * GIGA)
    exchange.open_bundle(simulation, "job", [flow])
    simulation.advance(10 * SECOND)
    sent = shown(simulation, PORT, "port_xmit_data") - before[PORT]["port_xmit_data"]
    assert sent == shown(simulation, FAR, "port_rcv_data") - before[FAR]["port_rcv_data"]
    assert sent * 4 / 10 == pytest.approx(200 * GIGA / 8 * (4096 + 24) / 4096, rel=1e-6)


def test_a_port_without_a_cable_counts_nothing(simulation: Simulation[World]) -> None:
    simulation.advance(HOUR)
    assert set(everything(simulation, "leaf-01/60").values()) == {0}


def test_management_packets_pass_while_the_link_is_up(simulation: Simulation[World]) -> None:
    first = shown(simulation, FAR, "port_xmit_packets")
    simulation.advance(MINUTE)
    assert shown(simulation, FAR, "port_xmit_packets") - first == 60
    links.set_enabled(simulation, FAR, False)
    simulation.advance(MINUTE)
    assert shown(simulation, FAR, "port_xmit_packets") - first == 60


@pytest.mark.parametrize(("exponent", "per_second"), [(10, 40), (8, 4000), (12, 0.4)])
def test_a_bad_signal_gives_symbol_errors(simulation: Simulation[World], exponent: int, per_second: float) -> None:
    before = shown(simulation, FAR, "symbol_error")
    inject(simulation, f"fabric.cable_bad target={FAR} exponent={exponent}")
    simulation.advance(1000 * SECOND)
    assert shown(simulation, FAR, "symbol_error") - before == pytest.approx(1000 * per_second, abs=1)
    assert shown(simulation, PORT, "symbol_error") >= 1000 * per_second - 1


def test_packets_are_spoiled_where_there_are_packets(simulation: Simulation[World]) -> None:
    inject(simulation, f"fabric.cable_bad target={FAR} exponent=9")
    idle = shown(simulation, FAR, "port_rcv_errors")
    simulation.advance(10 * SECOND)
    assert shown(simulation, FAR, "port_rcv_errors") == idle
    exchange.open_bundle(simulation, "job", [Flow(PORT, OTHER, 100 * GIGA)])
    simulation.advance(10 * SECOND)
    assert shown(simulation, FAR, "port_rcv_errors") - idle == pytest.approx(1000, rel=0.01)


def test_errors_stay_counted_when_the_cable_is_good_again(simulation: Simulation[World]) -> None:
    inject(simulation, f"fabric.cable_bad target={FAR} exponent=10")
    simulation.advance(100 * SECOND)
    counted = shown(simulation, FAR, "symbol_error")
    cable = simulation.world.inventory.cables[FAR]
    links.change_cable(simulation, cable, error_exponent=link_quality.CLEAN)
    simulation.advance(100 * SECOND)
    assert counted >= 4000 and shown(simulation, FAR, "symbol_error") == counted


def test_too_bad_a_signal_is_no_link(simulation: Simulation[World]) -> None:
    inject(simulation, f"fabric.cable_bad target={FAR} exponent=6")
    assert not links.link_up(simulation.world, PORT)


def test_a_reset_is_the_only_way_down(simulation: Simulation[World]) -> None:
    last = everything(simulation, FAR)
    exchange.open_bundle(simulation, "job", [Flow(PORT, OTHER, 300 * GIGA)])
    steps = (
        lambda: inject(simulation, f"fabric.cable_slow target={FAR} rate=100"),
        lambda: inject(simulation, f"fabric.cable_bad target={FAR} exponent=9"),
        lambda: links.set_enabled(simulation, FAR, False),
        lambda: links.set_enabled(simulation, FAR, True),
        lambda: exchange.close_bundle(simulation, "job"),
    )
    for step in steps:
        step()
        simulation.advance(7 * SECOND)
        now = everything(simulation, FAR)
        assert all(now[name] >= last[name] for name in now)
        last = now
    simulation.apply(port_counters.ResetCounters((FAR,), ("symbol_error", "port_rcv_data")))
    after = everything(simulation, FAR)
    assert after["symbol_error"] == after["port_rcv_data"] == 0
    assert after["link_downed"] == last["link_downed"] > 0


def test_classic_counters_stop(simulation: Simulation[World]) -> None:
    assert port_counters.saturated("symbol_error", 70_000) == 65_535
    assert port_counters.saturated("link_downed", 254) == 254
    assert port_counters.saturated("excessive_buffer_overrun_errors", 16) == 15


def test_a_node_without_its_driver_lets_its_links_fall(simulation: Simulation[World]) -> None:
    before = [shown(simulation, port, "link_downed") for port in (PORT, FAR)]
    for module in ("mlx5_ib", "mlx5_core"):
        simulation.apply(UnloadModule("dgx-04", module))
    assert [shown(simulation, port, "link_downed") for port in (PORT, FAR)] == [count + 1 for count in before]


def test_a_link_that_flaps_counts_at_both_ends_until_it_is_replaced(simulation: Simulation[World]) -> None:
    before = [shown(simulation, port, "link_downed") for port in (PORT, FAR)]
    inject(simulation, f"fabric.port_flapping target={FAR} every=1m")
    simulation.advance(20 * MINUTE)
    counted = [shown(simulation, port, "link_downed") - old for port, old in zip((PORT, FAR), before, strict=True)]
    assert counted[0] == counted[1] and 13 <= counted[0] <= 40
    cable = simulation.world.inventory.cables[FAR]
    links.change_cable(simulation, cable, flapping=None)
    assert links.link_up(simulation.world, PORT)
    last = shown(simulation, FAR, "link_downed")
    simulation.advance(20 * MINUTE)
    assert shown(simulation, FAR, "link_downed") == last


def test_a_healthy_fabric_has_few_errors(simulation: Simulation[World]) -> None:
    inventory = simulation.world.inventory
    found = [port_counters.errors(simulation.world, port, simulation.now) for port in inventory.cables]
    dirty = [counts for counts in found if any(counts.values())]
    assert 0 < len(dirty) < len(found) // 2
    assert max(counts["symbol_error"] for counts in found) < 10


def test_rates_before_and_after_correction(simulation: Simulation[World]) -> None:
    healthy = link_quality.before_correction(simulation.world, FAR)
    assert healthy.exponent in (7, 8, 9) and link_quality.after_correction(simulation.world, FAR).hundredths == 0
    inject(simulation, f"fabric.cable_bad target={FAR} exponent=12")
    assert link_quality.after_correction(simulation.world, FAR) == link_quality.BitErrorRate(100, 12)
    assert link_quality.before_correction(simulation.world, FAR) == link_quality.BitErrorRate(36, 3)
