"""The BMC: sensors follow the node, the event log follows the sensors."""

from __future__ import annotations

from engine.control import bmc, boot
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.physics import air, gpu_bus
from engine.world.world import World
from tests.engine.control.os_scene import HEAD, NODE, OTHER, site


def sensor(simulation: Simulation[World], name: str, host: str = OTHER) -> bmc.Sensor:
    return next(each for each in bmc.sensors(simulation.world, host, simulation.now) if each.name == name)


def news(simulation: Simulation[World], host: str = OTHER) -> list[tuple[str, str, bool, str]]:
    return [(e.sensor, e.event, e.asserted, e.detail) for e in simulation.world.sel[host].entries]


def test_a_healthy_node_is_ok() -> None:
    simulation = site()
    for host in (HEAD, NODE):
        sensors = bmc.sensors(simulation.world, host, 0)
        assert {each.status for each in sensors} == {"ok"}
        assert len({each.number for each in sensors}) == len({each.name for each in sensors}) == len(sensors)
    assert len([each for each in bmc.sensors(simulation.world, NODE, 0) if each.unit == "RPM"]) == 24


def test_without_chassis_power_most_sensors_are_silent() -> None:
    simulation = site()
    simulation.apply(boot.ChassisPower(OTHER, "off", "alex"))
    assert sensor(simulation, "SPD_FAN_SYS0_F").status == "ns"
    assert sensor(simulation, "TEMP_GPU_SXM_1").status == "ns"
    assert sensor(simulation, "TEMP_AMBIENT").status == "ok"
    assert not bmc.chassis_status(simulation.world, OTHER, simulation.now).power_on


def test_a_stopped_fan_is_logged_once_and_its_return_too() -> None:
    simulation = site()
    air.stop_fan(simulation, f"{OTHER}/fan3")
    simulation.advance(MINUTE)
    assert sensor(simulation, "SPD_FAN_SYS3_F").status == "cr"
    told = [entry for entry in news(simulation) if entry[0] == "SPD_FAN_SYS3_F"]
    assert told == [
        ("SPD_FAN_SYS3_F", "Lower Non-critical going low ", True, "Reading 0 < Threshold 2500 RPM"),
        ("SPD_FAN_SYS3_F", "Lower Critical going low ", True, "Reading 0 < Threshold 2000 RPM"),
    ]
    assert bmc.chassis_status(simulation.world, OTHER, simulation.now).cooling_fault
    air.change_fan(simulation, f"{OTHER}/fan3", "N1")
    simulation.advance(MINUTE)
    after = [entry for entry in news(simulation) if entry[0] == "SPD_FAN_SYS3_F"][2:]
    assert [(event, asserted) for _, event, asserted, _ in after] == [
        ("Lower Non-critical going low ", False),
        ("Lower Critical going low ", False),
    ]


def test_hot_air_is_logged_when_it_crosses_the_limits() -> None:
    simulation = site()
    air.change_inlet(simulation, OTHER, 14_000, 10 * MINUTE)
    simulation.advance(SECOND)
    assert not news(simulation)
    simulation.advance(15 * MINUTE)
    assert [(name, event, asserted) for name, event, asserted, _ in news(simulation) if name == "TEMP_AMBIENT"] == [
        ("TEMP_AMBIENT", "Upper Non-critical going high", True)
    ]
    assert sensor(simulation, "TEMP_AMBIENT").status == "nc"


def test_a_lost_gpu_has_no_reading() -> None:
    simulation = site()
    gpu_bus.drop(simulation, f"{OTHER}/gpu5")
    assert sensor(simulation, "TEMP_GPU_SXM_6").status == "ns"
    assert sensor(simulation, "TEMP_GPU_SXM_5").status == "ok"


def test_supplies() -> None:
    simulation = site()
    for number in (0, 2):
        simulation.world.psus.update(f"{OTHER}/psu{number}", input_lost=True)
    bmc.check(simulation, OTHER)
    bmc.check(simulation, OTHER)
    assert news(simulation) == [
        ("REDUNDANCY_PSU", "Redundancy Lost", True, ""),
        ("STATUS_PSU0", "Power Supply AC lost", True, ""),
        ("STATUS_PSU2", "Power Supply AC lost", True, ""),
    ]
    assert sensor(simulation, "STATUS_PSU0").state == "Presence detected, Power Supply AC lost"
    assert sensor(simulation, "PWR_PSU0").value == 0
    assert (sensor(simulation, "PWR_PSU1").value or 0) > 300_000


def test_clearing_leaves_the_entry_that_says_so() -> None:
    simulation = site()
    assert len(bmc.sel(simulation.world, OTHER)) > 5
    simulation.advance(SECOND)
    simulation.apply(bmc.ClearSel(OTHER, "alex"))
    assert [entry.event for entry in bmc.sel(simulation.world, OTHER)] == ["Log area reset/cleared"]


def test_the_log_is_in_order_and_tells_of_power() -> None:
    simulation = site()
    simulation.apply(boot.ChassisPower(OTHER, "cycle", "alex"))
    simulation.advance(MINUTE)
    times = [entry.time for entry in bmc.sel(simulation.world, OTHER)]
    assert times == sorted(times)
    assert [event for _, event, _, _ in news(simulation)][:3] == [
        "S4/S5: soft-off",
        "S0/G0: working",
        "Initiated by power up",
    ]
