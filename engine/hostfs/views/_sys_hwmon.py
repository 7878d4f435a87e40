"""/sys/class/hwmon in a first form: package temperatures of the processors, by Linux 6.8's drivers/hwmon/coretemp.c.

The processor and the BMC read one thermometer, so the values are those of the BMC's sensors. The limits are guesses.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.control import modules, sensors
from engine.control.sensor_kinds import DEGREES
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file, link
from engine.hostfs.tree import ErrorCode, FileError

MAXIMUM, CRITICAL = 84_000, 94_000
_DRIVER = "coretemp"


def platform(machine: Machine) -> dict[str, Node]:
    """The devices, below /sys/devices."""
    if not modules.is_loaded(machine.world, machine.host, _DRIVER):
        return {}
    return {_place(package): directory(_thermometer(package)) for package in range(machine.node.cpu.sockets)}


def links(machine: Machine) -> Children:
    """/sys/class/hwmon."""
    return {path.rpartition("/")[2]: link(f"../../devices/{path}") for path in platform(machine)}


def _place(package: int) -> str:
    return f"platform/{_DRIVER}.{package}/hwmon/hwmon{package}"


def _thermometer(package: int) -> Children:
    return {
        "name": file(f"{_DRIVER}\n", 0o444),
        "temp1_label": file(f"Package id {package}\n", 0o444),
        "temp1_input": file(_temperature(package), 0o444),
        "temp1_max": file(f"{MAXIMUM}\n", 0o444),
        "temp1_crit": file(f"{CRITICAL}\n", 0o444),
        "device": link(f"../../../{_DRIVER}.{package}"),
    }


def _temperature(package: int) -> Callable[[Machine], str]:
    def content(machine: Machine) -> str:
        known = machine.remember(("sensors",), lambda: sensors.sensors(machine.world, machine.host, machine.now))
        of_processors = [sensor for sensor in known if "CPU" in sensor.name and sensor.unit == DEGREES]
        if package >= len(of_processors) or of_processors[package].value is None:
            raise FileError(ErrorCode.IO)
        return f"{of_processors[package].value}\n"

    return content
