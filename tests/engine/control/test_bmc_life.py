"""A BMC of its own: it hangs, starts anew, has a clock and a log that fills up."""

from __future__ import annotations

import pytest

from engine.control import bmc, boot, firmware, sel
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, MINUTE, SECOND
from engine.physics import air, supplies
from engine.simulation import open_site
from engine.world.world import World

NODE = "dgx-03"


@pytest.fixture
def simulation() -> Simulation[World]:
    opened = open_site("dgx-h100-4")
    opened.advance(MINUTE)
    return opened


def test_a_hung_bmc_answers_its_host_or_nobody(simulation: Simulation[World]) -> None:
    world = simulation.world
    simulation.apply(parse_fault(f"bmc.hung target={NODE} scope=network"))
    assert not bmc.answers(world, NODE, simulation.now, network=True)
    assert bmc.answers(world, NODE, simulation.now, network=False)
    simulation.apply(parse_fault(f"bmc.hung target={NODE} scope=all"))
    assert not bmc.answers(world, NODE, simulation.now, network=False)
    supplies.change_psu(simulation, f"{NODE}/psu1", failed=True)
    assert not world.sel[NODE].entries


def test_a_reset_mends_it_after_a_while(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault(f"bmc.hung target={NODE}"))
    simulation.apply(bmc.ResetBmc(NODE, True, "alex"))
    assert not bmc.answers(simulation.world, NODE, simulation.now, network=False)
    simulation.advance(3 * MINUTE)
    assert bmc.answers(simulation.world, NODE, simulation.now, network=True)
    assert boot.is_up(simulation.world, NODE) and not simulation.world.nodes[NODE].boots


def test_fans_set_by_hand_do_not_follow_the_heat(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault("cooling.fans_manual target=dgx-01 percent=30"))
    simulation.advance(20 * MINUTE)
    assert air.fan_duty(simulation.world, "dgx-01", simulation.now) == 300
    simulation.apply(bmc.ResetBmc("dgx-01", True, "alex"))
    simulation.advance(MINUTE)
    assert air.fan_duty(simulation.world, "dgx-01", simulation.now) > 700


def test_entries_bear_the_time_of_the_bmcs_own_clock(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault(f"bmc.clock_wrong target={NODE} seconds=-7200"))
    supplies.change_psu(simulation, f"{NODE}/psu1", failed=True)
    assert simulation.world.sel[NODE].entries[-1].time == simulation.now - 2 * HOUR
    simulation.apply(sel.SetSelTime(NODE, simulation.now, "alex"))
    supplies.change_psu(simulation, f"{NODE}/psu1", failed=False)
    assert simulation.world.sel[NODE].entries[-1].time == simulation.now


def test_a_start_of_the_node_sets_the_clock(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault(f"bmc.clock_wrong target={NODE} seconds=3600"))
    simulation.apply(boot.ChassisPower(NODE, "cycle", "alex"))
    simulation.advance(10 * MINUTE)
    assert simulation.world.bmcs[NODE].clock_skew == 0
    assert [entry.event for entry in simulation.world.sel[NODE].entries].count("Timestamp Clock Sync") == 2


def test_a_full_log_takes_nothing_until_it_is_cleared(simulation: Simulation[World]) -> None:
    world = simulation.world
    assert not sel.is_full(world, NODE) and sel.fullness(world, NODE) < 10
    simulation.apply(parse_fault(f"bmc.log_full target={NODE}"))
    assert sel.is_full(world, NODE) and len(sel.sel(world, NODE)) == sel.CAPACITY and sel.fullness(world, NODE) == 100
    reading = next(sensor for sensor in bmc.sensors(world, NODE, simulation.now) if sensor.name == "SEL_FULLNESS")
    assert (reading.value, reading.status) == (100_000, "cr")
    supplies.change_psu(simulation, f"{NODE}/psu1", failed=True)
    assert world.sel[NODE].overflowed and not world.sel[NODE].entries
    simulation.apply(sel.ClearSel(NODE, "alex"))
    supplies.change_psu(simulation, f"{NODE}/psu2", failed=True)
    assert sel.sel(world, NODE)[0].sensor == "SEL"
    assert any(entry.sensor == "STATUS_PSU2" for entry in sel.sel(world, NODE))


def test_a_bmc_without_power_is_dead(simulation: Simulation[World]) -> None:
    for letter in "abc":
        supplies.change_pdu(simulation, f"R02/pdu-{letter}", supplied=False)
    assert not bmc.answers(simulation.world, NODE, simulation.now, network=True)


def test_firmware_that_differs_is_in_the_inventory(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault(f"firmware.mismatch target={NODE} component=HostBMC_0 version=24.01.05"))
    world = simulation.world
    assert firmware.version(world, NODE, "HostBMC_0") == firmware.bmc(world, NODE) == "24.01.05"
    assert firmware.version(world, "dgx-04", "HostBMC_0") == world.node("dgx-04").bmc_firmware
    assert firmware.version(world, NODE, "nothing") == ""
    assert firmware.version(world, NODE, "HGX_FW_GPU_SXM_1") == world.node(NODE).gpus[0].product.vbios
    names = [component.name for component in firmware.inventory(world, NODE)]
    assert names == sorted(names) and len(names) == len(set(names)) > 40


def test_the_light_goes_out_by_itself(simulation: Simulation[World]) -> None:
    simulation.apply(bmc.ShineLight(NODE, 15 * SECOND, "alex"))
    assert bmc.chassis_status(simulation.world, NODE, simulation.now).light_on
    assert not bmc.chassis_status(simulation.world, NODE, simulation.now + MINUTE).light_on
