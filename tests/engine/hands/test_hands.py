"""Remote hands: what can be ordered, how long it takes, what it mends, and what it does to a node that works."""

from __future__ import annotations

import importlib

import pytest

from engine.control import boot, driver
from engine.control.history.boot_units import SHUTDOWN
from engine.faults.fault import parse_fault
from engine.hands import order as hands
from engine.hands.order import ARRIVAL, OrderHands, catalogue, hands_action, orders
from engine.kernel.actions import decode, encode
from engine.kernel.simulation import Simulation, replay
from engine.kernel.units import HOUR, MINUTE
from engine.physics import air, gpu_bus, power
from engine.simulation import open_site
from engine.world.records import BootPhase, BusState, HandsOrder, Power
from engine.world.world import World

NODE, GPU = "dgx-04", "dgx-04/gpu5"


@pytest.fixture
def simulation() -> Simulation[World]:
    return open_site("dgx-h100-4", seed=3)


def drain(simulation: Simulation[World], node: str = NODE) -> None:
    simulation.world.slurm_nodes.update(node, drain=True, reason="hardware", reason_user="alex")


def order(simulation: Simulation[World], action: str, target: str) -> HandsOrder:
    placed = simulation.apply(OrderHands(action, target, "alex"))
    assert isinstance(placed, HandsOrder), placed
    return placed


def finish(simulation: Simulation[World]) -> str:
    """Wait until all work is done and the nodes have booted. Gives the last report."""
    simulation.advance_to(max(placed.due_at for placed in orders(simulation.world)) + 10 * MINUTE)
    assert all(placed.done for placed in orders(simulation.world))
    return orders(simulation.world)[-1].report


def fall_off(simulation: Simulation[World], how: str) -> None:
    simulation.apply(parse_fault(f"gpu.fell_off_bus target={GPU} {how}"))


def works(simulation: Simulation[World]) -> bool:
    """Whether the GPU answers and the driver holds it."""
    held = GPU in [gpu.id for gpu in driver.bound_gpus(simulation.world, NODE)]
    return held and not driver.is_lost(simulation.world, GPU)


def test_every_action_is_a_file_of_its_name_and_says_what_it_is() -> None:
    basic = {"clean-filter", "close-breaker", "inspect", "move-cord", "power-cycle", "replace", "reseat"}
    assert basic <= set(catalogue()) and list(catalogue()) == sorted(catalogue())
    for name, action in catalogue().items():
        assert importlib.import_module(f"engine.hands.{name.replace('-', '_')}").HANDS is action
        assert action.title and action.doc
        assert all(job.duration >= MINUTE for job in action.jobs.values())
        assert hands_action(name.replace("-", "_")) is action


@pytest.mark.parametrize("seating", [True, False])
def test_reseating_mends_a_bad_seat_and_nothing_else(simulation: Simulation[World], seating: bool) -> None:
    drain(simulation)
    fall_off(simulation, f"cause={'seating' if seating else 'board'} holds=20m")
    order(simulation, "reseat", GPU)
    report = finish(simulation)
    assert works(simulation)
    assert ("loose" in report) == seating
    simulation.advance(HOUR)
    assert works(simulation) == seating


def test_a_dead_board_is_mended_by_replacing_it_alone(simulation: Simulation[World]) -> None:
    drain(simulation)
    fall_off(simulation, "cause=board holds=0")
    old = simulation.world.gpus[GPU]
    for action, target in (("power-cycle", NODE), ("reseat", GPU)):
        order(simulation, action, target)
        finish(simulation)
        assert not works(simulation)
    order(simulation, "replace", GPU)
    report = finish(simulation)
    new = simulation.world.gpus[GPU]
    assert works(simulation)
    assert (new.serial, new.uuid) != (old.serial, old.uuid)
    assert old.serial in report and new.serial in report
    simulation.advance(5 * HOUR)
    assert works(simulation)


def test_a_power_cycle_is_cold(simulation: Simulation[World]) -> None:
    drain(simulation)
    fall_off(simulation, "cause=board holds=45m")
    simulation.apply(boot.Reboot(NODE, "alex"))
    simulation.advance(10 * MINUTE)
    assert not works(simulation)
    order(simulation, "power-cycle", NODE)
    finish(simulation)
    assert works(simulation) and simulation.world.nodes[NODE].cold
    simulation.advance(HOUR)
    assert not works(simulation)


def test_work_takes_its_time_and_the_node_is_off_meanwhile(simulation: Simulation[World]) -> None:
    drain(simulation)
    placed = order(simulation, "reseat", GPU)
    assert placed.due_at - placed.ordered_at == ARRIVAL + 40 * MINUTE
    simulation.advance(ARRIVAL - 1)
    assert simulation.world.nodes[NODE].phase is BootPhase.RUNNING
    simulation.advance(1 + SHUTDOWN)
    assert simulation.world.nodes[NODE].power is Power.OFF
    simulation.advance_to(placed.due_at - 1)
    assert simulation.world.nodes[NODE].power is Power.OFF and not orders(simulation.world)[0].done
    simulation.advance(1)
    assert simulation.world.nodes[NODE].power is Power.ON
    assert "dgx-04 is powered on again" in orders(simulation.world)[0].report


def test_a_drained_idle_node_is_not_harmed_and_one_in_service_is(simulation: Simulation[World]) -> None:
    drain(simulation)
    order(simulation, "reseat", GPU)
    finish(simulation)
    assert simulation.world.blast_radius[""].harms == ()
    order(simulation, "reseat", "dgx-01/gpu0")
    finish(simulation)
    harms = simulation.world.blast_radius[""].harms
    assert {"node_down", "job_killed"} <= {harm.kind for harm in harms}
    assert all("hands reseat dgx-01/gpu0" in harm.cause for harm in harms)


def test_a_node_that_was_off_is_worked_on_and_started(simulation: Simulation[World]) -> None:
    drain(simulation)
    simulation.apply(boot.ChassisPower(NODE, "off", "alex"))
    order(simulation, "replace", GPU)
    finish(simulation)
    assert works(simulation)
    assert simulation.world.nodes[NODE].phase is BootPhase.RUNNING


def test_fans_are_changed_while_the_node_runs(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault("cooling.fan_failed target=dgx-01/fan3"))
    order(simulation, "replace", "dgx-01/fan3")
    boots = simulation.world.nodes["dgx-01"].boots
    assert "stood still" in finish(simulation)
    assert simulation.world.nodes["dgx-01"].boots == boots
    assert air.fan_rpm(simulation.world, "dgx-01/fan3", 0, simulation.now) > 0
    assert simulation.world.blast_radius[""].harms == ()
    order(simulation, "replace", "dgx-01/fan3")
    assert "turning as it should" in finish(simulation)


def test_a_filter_is_cleaned_while_the_node_runs(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault("cooling.filter_clogged target=dgx-01"))
    order(simulation, "clean-filter", "dgx-01")
    assert "full of dust" in finish(simulation)
    assert simulation.world.cooling["dgx-01"].filter_blocked_permille == 0
    order(simulation, "clean-filter", "dgx-01")
    assert "hardly any dust" in finish(simulation)


def test_a_power_supply_is_replaced(simulation: Simulation[World]) -> None:
    simulation.world.psus.update("dgx-01/psu1", failed=True)
    order(simulation, "replace", "dgx-01/psu1")
    assert "green light" in finish(simulation)
    assert power.psu_working(simulation.world, simulation.world.node("dgx-01").psus[1])
    simulation.world.psus.update("dgx-01/psu2", input_lost=True)
    order(simulation, "replace", "dgx-01/psu2")
    assert "no power on its cord" in finish(simulation)
    order(simulation, "reseat", "dgx-01/psu2")
    assert "power supply 2" in finish(simulation)


def test_orders_for_one_node_are_done_in_turn(simulation: Simulation[World]) -> None:
    drain(simulation)
    fall_off(simulation, "cause=board holds=0")
    first, second = order(simulation, "reseat", GPU), order(simulation, "replace", GPU)
    elsewhere = order(simulation, "clean-filter", "dgx-01")
    assert second.due_at > first.due_at + 75 * MINUTE
    assert elsewhere.due_at < first.due_at
    simulation.advance_to(second.due_at - MINUTE)
    assert simulation.world.nodes[NODE].power is Power.OFF
    assert [placed.done for placed in orders(simulation.world)] == [True, False, True]
    finish(simulation)
    assert works(simulation)


@pytest.mark.parametrize(
    ("action", "target", "sentence"),
    [
        ("repair", GPU, 'unknown action "repair"; did you mean "replace"?'),
        ("reseat", "dgx-4/gpu5", 'unknown node, switch or rack "dgx-4"'),
        (
            "reseat",
            "dgx-04/gpu55",
            'reseat cannot be done to that: unknown target "dgx-04/gpu55"; did you mean "dgx-04/gpu5"',
        ),
        ("power-cycle", GPU, "power-cycle cannot be done to that"),
        ("clean-filter", "dgx-04/fan3", "clean-filter cannot be done to that"),
        ("replace", "", 'unknown node, switch or rack ""'),
    ],
)
def test_what_cannot_be_ordered_is_refused_with_a_sentence(
    simulation: Simulation[World], action: str, target: str, sentence: str
) -> None:
    digest = simulation.world.digest()
    answer = simulation.apply(OrderHands(action, target, "alex"))
    assert isinstance(answer, str) and sentence in answer
    assert simulation.world.digest() == digest


def test_orders_replay(simulation: Simulation[World]) -> None:
    fall_off(simulation, "holds=30m")
    order(simulation, "replace", GPU)
    finish(simulation)
    recorded = [(entry.time, encode(entry.action)) for entry in simulation.recorded]
    again = open_site("dgx-h100-4", seed=3)
    entries = [type(simulation.recorded[0])(time, decode(data)) for time, data in recorded]
    replay(again, entries, simulation.now)
    assert again.state_digest() == simulation.state_digest()


def test_a_board_without_a_defect_stays_what_it_is(simulation: Simulation[World]) -> None:
    drain(simulation)
    before = simulation.world.gpus[GPU].serial
    order(simulation, "reseat", GPU)
    assert "tight" in finish(simulation)
    state = simulation.world.gpus[GPU]
    assert (state.serial, state.bus, state.defect) == (before, BusState.PRESENT, None)
    gpu_bus.drop(simulation, GPU)
    assert not works(simulation)
    assert hands.orders(simulation.world)[0].number == 1
