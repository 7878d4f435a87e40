"""A node's BMC: sensors, system event log (SEL), chassis status, its own life. It runs while there is standby power,
whatever the node does.

The SEL follows from the node: the BMC compares its sensors with their limits when air, power or loads change, and
writes what is new.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.control.history.event_log import boot_events
from engine.control.sel import CAPACITY, ClearSel, SetSelTime, add_sel, clock, fullness, sel
from engine.control.sensor_kinds import redundancy
from engine.control.sensors import Sensor, noteworthy, sensors, violations
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import supplies
from engine.world.events import (
    AirChanged,
    BiosClockDue,
    NodePowered,
    NodeStopping,
    PowerInputChanged,
    SensorCheckDue,
)
from engine.world.records import Power
from engine.world.world import World

__all__ = [
    "CAPACITY",
    "FIRMWARE_SENSORS",
    "HANDLERS",
    "POLICIES",
    "RESTORED",
    "ChassisStatus",
    "ClearSel",
    "ResetBmc",
    "Sensor",
    "SetPolicy",
    "SetSelTime",
    "ShineLight",
    "add_sel",
    "answers",
    "chassis_status",
    "check",
    "clock",
    "fullness",
    "sel",
    "sensor_number",
    "sensors",
]

FIRMWARE_SENSORS = {
    "SEL": (0x72, "Event Logging Disabled"),
    "ACPI_PWR": (0xE1, "System ACPI Power State"),
    "SEL_NV_BOOT": (0xE2, "System Boot Initiated"),
    "SEL_NV_BIOS": (0xE3, "System Event"),
    "SEL_NV_CHASSIS": (0xE4, "Chassis"),
}
"""Number and type of what only writes events and has no reading. Names are NVIDIA's, numbers are guesses."""

POLICIES = ("always-off", "previous", "always-on")
"""What a BMC can do with its node when power comes back."""

RESTORED = {"always-on": 6, "previous": 7}
"""Restart cause (as IPMI numbers them) of a node that was started because power came back, by policy."""

_BY_COMMAND, _SOFT = 1, 10

_COLD_START, _WARM_START = 110 * SECOND, 50 * SECOND
"""From a reset of the BMC until it answers again (guess, MegaRAC takes one to three minutes)."""

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
    policy: str
    light_on: bool


def sensor_number(world: World, host: str, name: str) -> int:
    """The number under which a plain `sel list` names a sensor; those of firmware have high ones."""
    if name in FIRMWARE_SENSORS:
        return FIRMWARE_SENSORS[name][0]
    return next((sensor.number for sensor in sensors(world, host, 0) if sensor.name == name), 0xFF)


def answers(world: World, host: str, now: int, *, network: bool) -> bool:
    """Whether the BMC answers who asks it over the network, or its own host."""
    state = world.bmcs[host]
    silent = state.hung == "all" or (network and state.hung == "network")
    return not silent and now >= state.busy_until and supplies.standby(world, world.node(host))


def chassis_status(world: World, host: str, now: int) -> ChassisStatus:
    """Power and faults of the chassis."""
    node, state = world.node(host), world.bmcs[host]
    on = world.nodes[host].power is Power.ON
    failed = any(world.psus[psu.id].failed for psu in node.psus)
    stopped = any(world.fans[fan.id].failed for fan in node.fans)
    dark = world.platforms[host].went_dark or state.restart_cause in RESTORED.values()
    light = now < state.light_until
    return ChassisStatus(on, "ac-failed" if dark else "command", stopped, failed, state.policy, light)


@dataclass(frozen=True, slots=True)
class ResetBmc(Action):
    """ipmitool mc reset cold|warm, or Redfish's Manager.Reset: the BMC starts again, the node runs on."""

    host: str
    cold: bool
    by: str

    def perform(self, simulation: Simulation[World]) -> None:
        restart(simulation, self.host, cold=self.cold)


@dataclass(frozen=True, slots=True)
class SetPolicy(Action):
    """ipmitool chassis policy: what the BMC does when power comes back."""

    host: str
    policy: str
    by: str

    def perform(self, simulation: Simulation[World]) -> None:
        simulation.world.bmcs.update(self.host, policy=self.policy)


@dataclass(frozen=True, slots=True)
class ShineLight(Action):
    """ipmitool chassis identify: the blue light shines for `duration` ns from now."""

    host: str
    duration: int
    by: str

    def perform(self, simulation: Simulation[World]) -> None:
        simulation.world.bmcs.update(self.host, light_until=simulation.now + self.duration)


def restart(simulation: Simulation[World], host: str, *, cold: bool) -> None:
    """The BMC begins anew: it has nothing that hung, and controls the fans itself."""
    until = simulation.now + (_COLD_START if cold else _WARM_START)
    simulation.world.bmcs.update(host, hung="", busy_until=until, light_until=0, fan_duty=None)
    simulation.publish(AirChanged(host))


def check(simulation: Simulation[World], host: str) -> None:
    """Compare the sensors with their limits and with what the log has last told; write what is new."""
    world = simulation.world
    told = _told(world, host)
    if world.nodes[host].power is Power.ON:
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
        lost = not supplies.has_input(world, psu)
        for event, there in (("Failure detected", supply.failed), ("Power Supply AC lost", lost)):
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


def _input_changed(simulation: Simulation[World], event: PowerInputChanged) -> None:
    check(simulation, event.node)


def _check_due(simulation: Simulation[World], event: SensorCheckDue) -> None:
    check(simulation, event.node)


def _powered(simulation: Simulation[World], event: NodePowered) -> None:
    if event.on:
        _take_bios(simulation, event.node)
        state, dark = simulation.world.bmcs[event.node], simulation.world.platforms[event.node].went_dark
        cause = RESTORED.get(state.policy, _BY_COMMAND) if dark else _BY_COMMAND
        simulation.world.bmcs.update(event.node, restart_cause=cause)
        simulation.world.platforms.update(event.node, went_dark=False)
        for entry in boot_events(simulation.now, cold=True)[:2]:
            add_sel(simulation, event.node, entry.sensor_type, entry.sensor, entry.event)
        simulation.schedule(SensorCheckDue(event.node), 5 * _SETTLES)
        simulation.schedule(BiosClockDue(event.node, simulation.now), _TO_CLOCK)
    else:
        add_sel(simulation, event.node, "System ACPI Power State", "ACPI_PWR", "S4/S5: soft-off")


def _take_bios(simulation: Simulation[World], host: str) -> None:
    """The BIOS takes over what was set for its next start."""
    state = simulation.world.bmcs[host]
    if state.bios_pending:
        taken = tuple(sorted((dict(state.bios) | dict(state.bios_pending)).items()))
        simulation.world.bmcs.update(host, bios=taken, bios_pending=())


def _stopping(simulation: Simulation[World], event: NodeStopping) -> None:
    if event.cause in ("reboot", "reset"):
        _take_bios(simulation, event.node)
        cause = _SOFT if event.graceful else _BY_COMMAND
        simulation.world.bmcs.update(event.node, restart_cause=cause)
        how = "Initiated by warm reset" if event.graceful else "Initiated by hard reset"
        add_sel(simulation, event.node, _BOOT, "SEL_NV_BOOT", how)
        simulation.schedule(BiosClockDue(event.node, simulation.now), _TO_CLOCK)


def _clock_due(simulation: Simulation[World], event: BiosClockDue) -> None:
    """The BIOS sets the BMC's clock: two entries a second apart; none if that boot did not get so far."""
    world = simulation.world
    boots = [entry.time for entry in world.sel[event.node].entries if entry.sensor_type == _BOOT]
    began = clock(world, event.node, event.began)
    first = simulation.now - event.began == _TO_CLOCK
    if world.nodes[event.node].power is not Power.ON or (boots and boots[-1] > began and first):
        return
    add_sel(simulation, event.node, "System Event", "SEL_NV_BIOS", "Timestamp Clock Sync")
    if first:
        world.bmcs.update(event.node, clock_skew=0)
        simulation.schedule(event, SECOND)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (AirChanged, _air_changed),
    (PowerInputChanged, _input_changed),
    (SensorCheckDue, _check_due),
    (NodePowered, _powered),
    (BiosClockDue, _clock_due),
    (NodeStopping, _stopping),
)
