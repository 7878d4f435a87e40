"""Remote hands at network cards, cables and PCIe seats: what reseating and replacing mend, and what they do not."""

from __future__ import annotations

import pytest

from engine.control.boot import is_up
from engine.faults.fault import parse_fault
from engine.hands.action import parts, places
from engine.hands.order import OrderHands, orders
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, MINUTE
from engine.physics import links, pcie
from engine.simulation import open_site
from engine.world.records import HandsOrder
from engine.world.world import World

NODE, PORT, SWITCH_PORT = "dgx-04", "dgx-04/mlx5_3/1", "leaf-01/8"


@pytest.fixture
def simulation() -> Simulation[World]:
    opened = open_site("dgx-h100-4", seed=3)
    opened.world.slurm_nodes.update(NODE, drain=True, reason="hardware", reason_user="alex")
    return opened


def fault(simulation: Simulation[World], line: str) -> None:
    simulation.apply(parse_fault(line))


def order(simulation: Simulation[World], action: str, target: str) -> str:
    """Order it, wait until it is done and the node has booted. Gives the report."""
    placed = simulation.apply(OrderHands(action, target, "alex"))
    assert isinstance(placed, HandsOrder), placed
    simulation.advance_to(placed.due_at + 15 * MINUTE)
    return orders(simulation.world)[placed.number - 1].report


def width(simulation: Simulation[World], target: str) -> int:
    world = simulation.world
    gpus = {gpu.id: gpu.address for gpu in world.node(NODE).gpus}
    address = gpus[target] if target in gpus else world.inventory.hca(target).address
    return pcie.link(world, NODE, address).width


@pytest.mark.parametrize("target", [f"{NODE}/gpu2", f"{NODE}/mlx5_3"])
def test_reseating_restores_a_pcie_link_and_a_restart_does_not(simulation: Simulation[World], target: str) -> None:
    fault(simulation, f"pcie.link_degraded target={target} width=4")
    assert width(simulation, target) == 4
    order(simulation, "power-cycle", NODE)
    assert width(simulation, target) == 4
    order(simulation, "reseat", target)
    assert width(simulation, target) == 16
    assert is_up(simulation.world, NODE)


def test_the_two_functions_of_a_card_sit_on_one_board(simulation: Simulation[World]) -> None:
    for name in ("mlx5_1", "mlx5_2"):
        fault(simulation, f"pcie.link_degraded target={NODE}/{name} width=4")
    order(simulation, "reseat", f"{NODE}/mlx5_2")
    assert [width(simulation, f"{NODE}/{name}") for name in ("mlx5_1", "mlx5_2")] == [16, 16]


@pytest.mark.parametrize("end", [PORT, "other"])
def test_a_loose_cable_clicks_in_from_either_end(simulation: Simulation[World], end: str) -> None:
    far = links.peer(simulation.world.inventory, PORT)
    assert far
    fault(simulation, f"fabric.cable_loose target={far}")
    assert not links.link_up(simulation.world, PORT) and not links.link_up(simulation.world, far)
    report = order(simulation, "reseat", PORT if end == PORT else far)
    assert "clicked in" in report
    assert links.link_up(simulation.world, PORT) and links.link_up(simulation.world, far)
    assert is_up(simulation.world, NODE) and simulation.world.blast_radius[""].harms == ()


def test_a_slow_cable_has_to_be_replaced(simulation: Simulation[World]) -> None:
    fault(simulation, f"fabric.cable_slow target={PORT} rate=200")
    assert links.rate(simulation.world, PORT) == 200
    assert "Both ends were home" in order(simulation, "reseat", PORT)
    assert links.rate(simulation.world, PORT) == 200
    order(simulation, "replace", PORT)
    assert links.rate(simulation.world, PORT) == 400
    simulation.advance(HOUR)
    assert links.rate(simulation.world, PORT) == 400


def test_a_disabled_port_is_not_mended_by_hands(simulation: Simulation[World]) -> None:
    fault(simulation, f"fabric.port_disabled target={PORT}")
    for action in ("reseat", "replace"):
        order(simulation, action, PORT)
    assert not links.link_up(simulation.world, PORT)
    links.set_enabled(simulation, PORT, True)
    assert links.link_up(simulation.world, PORT)


def test_cables_are_worked_on_at_ports_that_have_one(simulation: Simulation[World]) -> None:
    inventory = simulation.world.inventory
    assert {*inventory.node_names, *inventory.switches, *inventory.racks} == set(places(inventory))
    assert PORT in parts(inventory, NODE, "port")
    assert f"{NODE}/mlx5_1/1" not in parts(inventory, NODE, "port")
    assert all(port in inventory.cables for port in parts(inventory, "leaf-01", "port"))
    assert parts(inventory, "leaf-01", "gpu") == ()
    refusal = simulation.apply(OrderHands("reseat", f"{NODE}/mlx5_1/1", "alex"))
    assert isinstance(refusal, str) and "cannot be done to that" in refusal
    assert isinstance(simulation.apply(OrderHands("clean-filter", "leaf-01", "alex")), str)


@pytest.mark.parametrize("action", ["replace", "reseat"])
def test_a_cable_that_is_worked_on_has_no_link(simulation: Simulation[World], action: str) -> None:
    placed = simulation.apply(OrderHands(action, PORT, "alex"))
    assert isinstance(placed, HandsOrder)
    assert links.link_up(simulation.world, PORT)
    simulation.advance_to(placed.due_at - MINUTE)
    assert not any(links.link_up(simulation.world, end) for end in simulation.world.inventory.cables[PORT].ends)
    simulation.advance_to(placed.due_at + MINUTE)
    assert links.link_up(simulation.world, PORT)
