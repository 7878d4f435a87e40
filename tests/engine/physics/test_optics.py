"""Plugs, light and what they do to links."""

from __future__ import annotations

import pytest

from engine.hands.order import OrderHands
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, MINUTE
from engine.physics import link_quality, links, optics, plugs, port_counters
from engine.simulation import open_site
from engine.world.records import HandsOrder
from engine.world.world import World

PORT, FAR = "dgx-01/mlx5_3/1", "leaf-01/2"


@pytest.fixture
def simulation() -> Simulation[World]:
    return open_site("dgx-h100-4")


def order(simulation: Simulation[World], work: str, target: str) -> str:
    placed = simulation.apply(OrderHands(work, target, "alex"))
    simulation.advance(HOUR)
    assert isinstance(placed, HandsOrder)
    return simulation.world.hands[""].orders[placed.number - 1].report


def test_twin_ports_share_a_cage(simulation: Simulation[World]) -> None:
    inventory = simulation.world.inventory
    assert optics.ports_of(inventory, FAR) == ("leaf-01/1", "leaf-01/2")
    assert optics.ports_of(inventory, PORT) == (PORT, "dgx-01/mlx5_4/1")
    assert len({optics.cage(inventory, port) for port in optics.ports_of(inventory, PORT)}) == 1


def test_clean_light_is_strong_and_the_signal_clean(simulation: Simulation[World]) -> None:
    for port in (PORT, FAR):
        assert min(optics.received(simulation.world, port)) > 0
        assert link_quality.error_exponent(simulation.world, port) == link_quality.CLEAN


def test_less_light_is_never_better(simulation: Simulation[World]) -> None:
    found = []
    for loss in range(0, 800, 20):
        plugs.soil(simulation, PORT, (loss, 0, 0, 0))
        found.append(link_quality.error_exponent(simulation.world, PORT))
    assert found == sorted(found, reverse=True) and found[0] == link_quality.CLEAN and found[-1] < 8


def test_dirt_spoils_one_direction_and_cleaning_mends_it(simulation: Simulation[World]) -> None:
    plugs.soil(simulation, PORT, (650, 0, 0, 0))
    simulation.advance(10 * MINUTE)
    world = simulation.world
    assert port_counters.errors(world, PORT, simulation.now)["symbol_error"] > 100
    far = port_counters.errors(world, FAR, simulation.now)["symbol_error"]
    report = order(simulation, "clean-connector", PORT)
    assert f"there was dirt on that at {PORT}" in report
    assert link_quality.error_exponent(world, PORT) == link_quality.CLEAN and links.link_up(world, PORT)
    assert port_counters.errors(world, FAR, simulation.now)["symbol_error"] == far


def test_a_dead_transceiver_takes_both_links_and_a_new_one_brings_them_back(simulation: Simulation[World]) -> None:
    world = simulation.world
    before = optics.serial(world, FAR)
    plugs.stop_light(simulation, FAR)
    assert not links.link_up(world, FAR) and not links.link_up(world, "leaf-01/1")
    assert max(optics.received(world, PORT)) == -4000 and min(optics.sent(world, PORT)) > 0
    order(simulation, "reseat", FAR)
    assert not links.link_up(world, FAR)
    order(simulation, "replace-transceiver", FAR)
    assert links.link_up(world, FAR) and links.link_up(world, "leaf-01/1") and optics.serial(world, FAR) != before


def test_a_hot_module_comes_back_by_reseating_and_goes_again(simulation: Simulation[World]) -> None:
    optics.heat(simulation, FAR, 40_000)
    world = simulation.world
    temperatures = [optics.temperature(world, FAR, simulation.now) or 0]
    simulation.advance(5 * MINUTE)
    temperatures.append(optics.temperature(world, FAR, simulation.now) or 0)
    assert temperatures[0] < temperatures[1] and links.link_up(world, FAR)
    simulation.advance(20 * MINUTE)
    assert not links.link_up(world, FAR) and world.optics[optics.cage(world.inventory, FAR)].shut_down
    placed = simulation.apply(OrderHands("reseat", FAR, "alex"))
    simulation.advance(11 * MINUTE)
    assert placed and links.link_up(world, FAR)
    simulation.advance(HOUR)
    assert not links.link_up(world, FAR)


def test_lanes_and_generation_make_the_rate(simulation: Simulation[World]) -> None:
    cable = simulation.world.inventory.cables[PORT]
    links.change_cable(simulation, cable, lanes=2)
    assert (links.rate(simulation.world, PORT), links.generation(simulation.world, PORT).name) == (200, "NDR")
    links.change_cable(simulation, cable, lanes=4, part=optics.SLOWER_CABLE)
    assert (links.rate(simulation.world, PORT), links.generation(simulation.world, PORT).name) == (200, "HDR")
    assert optics.temperature(simulation.world, PORT, 0) is None
    order(simulation, "replace", PORT)
    assert links.rate(simulation.world, FAR) == 400


def test_a_pulled_plug_is_told_in_the_kernel_log(simulation: Simulation[World]) -> None:
    links.change_cable(simulation, simulation.world.inventory.cables[PORT], plugged=False)
    text = "\n".join(entry.text for entry in simulation.world.logs["dgx-01"].entries)
    assert "mlx5_core 0000:40:00.0: Port module event: module 0, Cable unplugged" in text
    assert "mlx5_core 0000:40:00.0 mlx5_3: Port: 1 Link DOWN" in text
