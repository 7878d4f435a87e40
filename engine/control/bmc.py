"""A node's BMC: sensors, system event log (SEL), chassis status. It runs while there is standby power, whatever the
node does.

The SEL follows from the node: the BMC compares its sensors with their limits when air, power or loads change, and
writes what is new.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.control.history.event_log import boot_events, past_events
from engine.control.sensor_kinds import redundancy
from engine.control.sensors import Sensor, noteworthy, sensors, violations
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.events import AirChanged, BiosClockDue, NodePowered, NodeStopping, SensorCheckDue
from engine.world.records import Power, Sel, SelEntry
from engine.world.world import World

__all__ = [
    "CAPACITY",
    "FIRMWARE_SENSORS",
    "HANDLERS",
    "ChassisStatus",
    "ClearSel",
    "Sensor",
    "add_sel",
    "chassis_status",
    "check",
    "sel",
    "sensor_number",
    "sensors",
]

CAPACITY = 3_639
"""Entries that a SEL holds: 64 KiB of 18 bytes each. A guess."""

FIRMWARE_SENSORS = {
    "SEL": (0x72, "Event Logging Disabled"),
    "ACPI_PWR": (0xE1, "System ACPI Power State"),
    "SEL_NV_BOOT": (0xE2, "System Boot Initiated"),
    "SEL_NV_BIOS": (0xE3, "System Event"),
    "SEL_NV_CHASSIS": (0xE4, "Chassis"),
}
"""Number and type of what only writes events and has no reading. Names are NVIDIA's, numbers are guesses."""

_SETTLES = 6 * SECOND
_BOOT = "System Boot Initiated"
_TO_CLOCK = 83 * SECOND
_SUPPLY = "Power Supply"


@dataclass(frozen=True, slots=True)
class ChassisStatus:
    """`ipmitool chassis status`."""

    power_on: bool
    last_power_event: str
    cooling_fault: bool
    power_fault: bool
    policy: str = "previous"


def sel(world: World, host: str) -> list[SelEntry]:
    """The system event log, oldest first: what was before the site's start unless cleared since, and what came."""
    state = world.sel[host]
    past = past_events(world, host) if state.cleared_at is None else ()
    return [*past, *state.entries]


def add_sel(
    simulation: Simulation[World],
    host: str,
    sensor_type: str,
    sensor: str,
    event: str,
    *,
    asserted: bool = True,
    detail: str = "",
) -> None:
    """Write an entry now."""
    entries = simulation.world.sel[host].entries
    entry = SelEntry(simulation.now, sensor_type, sensor, event, asserted, detail)
    simulation.world.sel.update(host, entries=(*entries, entry)[-CAPACITY:])


def sensor_number(world: World, host: str, name: str) -> int:
    """The number under which a plain `sel list` names a sensor; those of firmware have high ones."""
    if name in FIRMWARE_SENSORS:
        return FIRMWARE_SENSORS[name][0]
    return next((sensor.number for sensor in sensors(world, host, 0) if sensor.name == name), 0xFF)


def chassis_status(world: World, host: str, now: int) -> ChassisStatus:
    """Power and faults of the chassis."""
    node = world.node(host)
    on = world.nodes[host].power is Power.ON
    lost = any(world.psus[psu.id].input_lost for psu in node.psus)
    failed = any(world.psus[psu.id].failed for psu in node.psus)
    stopped = any(world.fans[fan.id].failed for fan in node.fans)
    return ChassisStatus(on, "ac-failed" if lost else "command", stopped, failed)


@dataclass(frozen=True, slots=True)
class ClearSel(Action):
    """ipmitool sel clear: only the entry that says so is left."""

    host: str
    by: str

    def perform(self, simulation: Simulation[World]) -> None:
        simulation.world.sel[self.host] = Sel((), simulation.now)
        add_sel(simulation, self.host, "Event Logging Disabled", "SEL", "Log area reset/cleared")


def check(simulation: Simulation[World], host: str) -> None:
    """Compare the sensors with their limits and with what the log has last told; write what is new."""
    world = simulation.world
    if world.nodes[host].power is Power.OFF:
        return
    told = _told(world, host)
    for sensor in noteworthy(world, host, simulation.now, frozenset(name for name, _ in told)):
        _check_limits(simulation, host, sensor, told)
    _check_supplies(simulation, host, told)


def _told(world: World, host: str) -> dict[tuple[str, str], bool]:
    """What the log has last told since the site's start: (sensor, event) -> asserted."""
    return {(entry.sensor, entry.event): entry.asserted for entry in world.sel[host].entries}


def _check_limits(simulation: Simulation[World], host: str, sensor: Sensor, told: dict[tuple[str, str], bool]) -> None:
    beyond = dict(violations(sensor))
    for event, limit in beyond.items():
        if not told.get((sensor.name, event)):
            add_sel(simulation, host, sensor.kind, sensor.name, event, detail=_detail(sensor, event, limit))
    for (name, event), asserted in told.items():
        if name == sensor.name and asserted and event not in beyond and " going " in event:
            limit = _limit(sensor, event)
            add_sel(simulation, host, sensor.kind, name, event, asserted=False, detail=_detail(sensor, event, limit))


def _check_supplies(simulation: Simulation[World], host: str, told: dict[tuple[str, str], bool]) -> None:
    world = simulation.world
    state = redundancy(world, world.node(host))
    if _last_redundancy(world, host) != state:
        add_sel(simulation, host, _SUPPLY, "REDUNDANCY_PSU", state)
    for psu in world.node(host).psus:
        supply, name = world.psus[psu.id], f"STATUS_PSU{psu.index}"
        for event, there in (("Failure detected", supply.failed), ("Power Supply AC lost", supply.input_lost)):
            if told.get((name, event), False) != there:
                add_sel(simulation, host, _SUPPLY, name, event, asserted=there)


def _last_redundancy(world: World, host: str) -> str:
    """What the log has last told of the supplies together since the site's start, when all was well."""
    told = [entry.event for entry in world.sel[host].entries if entry.sensor == "REDUNDANCY_PSU"]
    return told[-1] if told else "Fully Redundant"


def _detail(sensor: Sensor, event: str, limit: int) -> str:
    sign = "<" if event.startswith("Lower") else ">"
    return f"Reading {_number(sensor.value or 0)} {sign} Threshold {_number(limit)} {sensor.unit}"


def _limit(sensor: Sensor, event: str) -> int:
    limits = sensor.thresholds
    lower = event.startswith("Lower")
    chosen = {
        "Non-critical": limits.lower_nc if lower else limits.upper_nc,
        "Critical": limits.lower_cr if lower else limits.upper_cr,
        "Non-recoverable": limits.lower_nr if lower else limits.upper_nr,
    }[event.split()[1]]
    return chosen or 0


def _number(thousandths: int) -> str:
    whole, rest = divmod(abs(thousandths), 1000)
    sign = "-" if thousandths < 0 else ""
    return f"{sign}{whole}" + (f".{rest:03d}".rstrip("0") if rest else "")


def _air_changed(simulation: Simulation[World], event: AirChanged) -> None:
    check(simulation, event.node)
    simulation.schedule(SensorCheckDue(event.node), _SETTLES)


def _check_due(simulation: Simulation[World], event: SensorCheckDue) -> None:
    check(simulation, event.node)


def _powered(simulation: Simulation[World], event: NodePowered) -> None:
    if event.on:
        for entry in boot_events(simulation.now, cold=True)[:2]:
            add_sel(simulation, event.node, entry.sensor_type, entry.sensor, entry.event)
        simulation.schedule(SensorCheckDue(event.node), 5 * _SETTLES)
        simulation.schedule(BiosClockDue(event.node, simulation.now), _TO_CLOCK)
    else:
        add_sel(simulation, event.node, "System ACPI Power State", "ACPI_PWR", "S4/S5: soft-off")


def _stopping(simulation: Simulation[World], event: NodeStopping) -> None:
    if event.cause in ("reboot", "reset"):
        how = "Initiated by warm reset" if event.graceful else "Initiated by hard reset"
        add_sel(simulation, event.node, _BOOT, "SEL_NV_BOOT", how)
        simulation.schedule(BiosClockDue(event.node, simulation.now), _TO_CLOCK)


def _clock_due(simulation: Simulation[World], event: BiosClockDue) -> None:
    """Two entries a second apart, before and after; none if that boot did not get so far."""
    boots = [entry.time for entry in simulation.world.sel[event.node].entries if entry.sensor_type == _BOOT]
    if boots[-1:] == [event.began] and simulation.world.nodes[event.node].power is Power.ON:
        add_sel(simulation, event.node, "System Event", "SEL_NV_BIOS", "Timestamp Clock Sync")
        if simulation.now - event.began == _TO_CLOCK:
            simulation.schedule(event, SECOND)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (AirChanged, _air_changed),
    (SensorCheckDue, _check_due),
    (NodePowered, _powered),
    (BiosClockDue, _clock_due),
    (NodeStopping, _stopping),
)
