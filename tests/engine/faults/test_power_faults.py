"""Faults of power, fans and BMCs: told apart by commands while two others are active, and mended by their remedies."""

from __future__ import annotations

import re

import pytest

from engine.faults.fault import parse_fault
from engine.hands.order import OrderHands, orders
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, MINUTE
from engine.physics import supplies
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command

NODE, PEER, HEAD = "dgx-01", "dgx-02", "head-01"
OTHERS = ("cooling.filter_clogged target=dgx-01 percent=20", "gpu.power_capped target=dgx-01/gpu2 watts=500")


@pytest.fixture
def simulation() -> Simulation[World]:
    opened = open_site("dgx-h100-4")
    opened.advance(MINUTE)
    for line in OTHERS:
        opened.apply(parse_fault(line))
    return opened


def inject(simulation: Simulation[World], line: str) -> None:
    simulation.apply(parse_fault(line))
    simulation.advance(2 * MINUTE)


def dead(simulation: Simulation[World], node: str) -> tuple[list[int], list[int]]:
    """Supplies of a node that have no input, and those that have failed, as the BMC shows them."""
    told = run_command(simulation, node, "root", 'ipmitool sdr type "Power Supply"').stdout
    lost = [int(number) for number in re.findall(r"STATUS_PSU(\d).*AC lost", told)]
    return lost, [int(number) for number in re.findall(r"STATUS_PSU(\d).*Failure detected", told)]


def reasons(simulation: Simulation[World], node: str) -> set[int]:
    line = "nvidia-smi --query-gpu=clocks_event_reasons.active --format=csv,noheader"
    return {int(text, 16) for text in run_command(simulation, node, "alex", line).lines if text.strip()}


def report(simulation: Simulation[World], action: str, target: str) -> str:
    simulation.apply(OrderHands(action, target, "alex"))
    simulation.advance(HOUR)
    return orders(simulation.world)[-1].report


@pytest.mark.parametrize(
    ("line", "here", "there", "head"),
    [
        ("power.supply_failed target=dgx-01/psu3", ([], [3]), ([], []), ([], [])),
        ("power.cord_loose target=dgx-01/psu3", ([3], []), ([], []), ([], [])),
        ("power.strip_fuse target=R01/pdu-b/1", ([2, 3], []), ([2, 3], []), ([], [])),
        ("power.feed_lost target=R01/pdu-b", ([2, 3], []), ([2, 3], []), ([1], [])),
        ("power.brake_stuck target=dgx-01", ([], []), ([], []), ([], [])),
    ],
)
def test_who_has_lost_what_tells_them_apart(
    simulation: Simulation[World], line: str, here: object, there: object, head: object
) -> None:
    inject(simulation, line)
    assert (dead(simulation, NODE), dead(simulation, PEER), dead(simulation, HEAD)) == (here, there, head)
    braked = any(each & 0x80 for each in reasons(simulation, NODE))
    assert braked == line.startswith("power.brake")
    assert not any(each & 0x80 for each in reasons(simulation, PEER))


def test_the_brake_is_not_heat(simulation: Simulation[World]) -> None:
    inject(simulation, f"power.brake_stuck target={NODE}")
    assert all(each & 0x88 == 0x88 and not each & 0x60 for each in reasons(simulation, NODE))
    told = run_command(simulation, NODE, "alex", "nvidia-smi -q -d PERFORMANCE -i 0").stdout
    assert re.search(r"HW Power Brake Slowdown +: Active", told) and re.search(
        r"HW Thermal Slowdown +: Not Active", told
    )


def test_a_reboot_keeps_the_brake_and_taking_all_power_off_frees_it(simulation: Simulation[World]) -> None:
    from engine.control import boot

    inject(simulation, f"power.brake_stuck target={NODE}")
    simulation.apply(boot.Reboot(NODE, "root"))
    simulation.advance(10 * MINUTE)
    assert any(each & 0x80 for each in reasons(simulation, NODE))
    assert "power cords" in report(simulation, "power-cycle", NODE)
    assert not any(each & 0x80 for each in reasons(simulation, NODE))


def test_fans_by_hand_are_slow_beside_hot_gpus(simulation: Simulation[World]) -> None:
    inject(simulation, f"cooling.fans_manual target={NODE} percent=30")
    simulation.advance(20 * MINUTE)
    fans = run_command(simulation, NODE, "root", "ipmitool sdr type Fan").stdout
    speeds = [int(text) for text in re.findall(r"(\d+) RPM", fans)]
    assert len(speeds) == 24 and max(speeds) < 6_500
    assert all(each & 0x20 for each in reasons(simulation, NODE))


def test_what_the_machine_room_does(simulation: Simulation[World]) -> None:
    world = simulation.world
    inject(simulation, "power.strip_fuse target=R01/pdu-b/1")
    assert "PDU B lit, fuse 1 red, fuse 2 clear" in report(simulation, "inspect", "R01")
    assert "PSU2 off" in report(simulation, "inspect", NODE) and supplies.working(world, world.node(NODE)) == 4
    assert "from PDU B to PDU A" in report(simulation, "move-cord", f"{NODE}/psu2")
    assert supplies.working(world, world.node(NODE)) == 5
    assert "was blown" in report(simulation, "replace", "R01/pdu-b/1")
    assert supplies.working(world, world.node(NODE)) == 6
    inject(simulation, "power.feed_lost target=R01/pdu-c")
    assert "PDU C dark" in report(simulation, "inspect", "R01")
    assert "had tripped" in report(simulation, "close-breaker", "R01/pdu-c")
    assert supplies.working(world, world.node(NODE)) == 6


def test_reseating_wakes_a_supply_that_has_switched_itself_off_and_no_dead_one(simulation: Simulation[World]) -> None:
    inject(simulation, f"power.supply_failed target={NODE}/psu1 how=latched")
    inject(simulation, f"power.supply_failed target={NODE}/psu5 how=dead")
    inject(simulation, f"power.cord_loose target={NODE}/psu0")
    assert "light is green" in report(simulation, "reseat", f"{NODE}/psu1")
    assert "light is amber" in report(simulation, "reseat", f"{NODE}/psu5")
    assert "cord was loose" in report(simulation, "reseat", f"{NODE}/psu0")
    assert dead(simulation, NODE) == ([], [5])
    report(simulation, "replace", f"{NODE}/psu5")
    assert dead(simulation, NODE) == ([], [])


@pytest.mark.parametrize(("what", "floor", "found"), [("water", "wet", "hose"), ("sensor", "dry", "rope was broken")])
def test_a_leak_is_told_from_a_broken_rope_at_the_rack(
    simulation: Simulation[World], what: str, floor: str, found: str
) -> None:
    inject(simulation, f"cooling.leak target=R01 what={what}")
    assert "ALARM leak detector 1" in run_command(simulation, HEAD, "root", "journalctl -t r01-door").stdout
    simulation.advance(20 * MINUTE)
    warm = run_command(simulation, PEER, "root", "ipmitool sensor reading TEMP_AMBIENT").stdout
    assert int(warm.split("|")[1]) > 30
    assert f"the leak lamp is lit; the floor under it is {floor}" in report(simulation, "inspect", "R01")
    assert found in report(simulation, "mend-door", "R01")
    simulation.advance(20 * MINUTE)
    assert int(run_command(simulation, PEER, "root", "ipmitool sensor reading TEMP_AMBIENT").stdout.split("|")[1]) < 28
    assert "normal" in run_command(simulation, HEAD, "root", "journalctl -t r01-door").stdout


def test_a_bmc_is_freed_by_pulling_the_cords(simulation: Simulation[World]) -> None:
    inject(simulation, f"bmc.hung target={NODE} scope=all")
    told = run_command(simulation, NODE, "root", "ipmitool mc info")
    assert (told.status, told.stderr) == (1, "Get Device ID command failed\n")
    report(simulation, "power-cycle", NODE)
    assert run_command(simulation, NODE, "root", "ipmitool mc info").status == 0
