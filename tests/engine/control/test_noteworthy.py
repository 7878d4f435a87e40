"""What the BMC looks at before it writes is just what its sensors show beyond their limits, cheaply found."""

from __future__ import annotations

import pytest

from engine.control.sensor_kinds import Moment, sensor_kinds
from engine.control.sensors import noteworthy, sensors, violations
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, MINUTE, SECOND
from engine.physics import air
from engine.simulation import open_site
from engine.world.world import World

NODE = "dgx-01"


@pytest.fixture(params=range(1, 5))
def simulation(request: pytest.FixtureRequest) -> Simulation[World]:
    return open_site("dgx-h100-4", request.param)


def beyond(world: World, host: str, now: int) -> list[str]:
    return [sensor.name for sensor in sensors(world, host, now) if sensor.unit and violations(sensor)]


def found(world: World, host: str, now: int) -> list[str]:
    return [sensor.name for sensor in noteworthy(world, host, now, frozenset())]


@pytest.mark.parametrize("host", [NODE, "dgx-04", "head-01"])
def test_nothing_is_noteworthy_where_all_is_well(simulation: Simulation[World], host: str) -> None:
    for minute in range(0, 60, 7):
        now = minute * MINUTE
        assert found(simulation.world, host, now) == beyond(simulation.world, host, now) == []


def test_what_is_beyond_a_limit_is_found(simulation: Simulation[World]) -> None:
    air.stop_fan(simulation, f"{NODE}/fan3")
    air.block_filter(simulation, NODE, 400)
    air.change_inlet(simulation, NODE, 22_000, HOUR)
    for _ in range(40):
        simulation.advance(2 * MINUTE + 17 * SECOND)
        assert found(simulation.world, NODE, simulation.now) == beyond(simulation.world, NODE, simulation.now)
    assert {"SPD_FAN_SYS3_F", "SPD_FAN_SYS3_R", "TEMP_AMBIENT"} <= set(beyond(simulation.world, NODE, simulation.now))


def test_a_sensor_that_was_told_of_is_given_though_it_is_well_again(simulation: Simulation[World]) -> None:
    given = noteworthy(simulation.world, NODE, 0, frozenset({"SPD_FAN_SYS3_F"}))
    assert [sensor.name for sensor in given] == ["SPD_FAN_SYS3_F"] and not violations(given[0])


def test_calm_sensors_read_between_their_limits(simulation: Simulation[World]) -> None:
    for duty in (150, 200, 300, 600, 1000):
        simulation.world.cooling.update(NODE, fan_duty_permille=duty, previous_duty_permille=duty)
        for now in range(0, 5 * MINUTE, 41 * SECOND):
            moment = Moment(simulation.world, simulation.world.node(NODE), now)
            for kind in sensor_kinds(simulation.world, moment.node):
                reading = kind.read(moment)
                if kind.calm(moment):
                    assert isinstance(reading, int) and kind.above < reading < kind.below, (kind.name, duty, now)
