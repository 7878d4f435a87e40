"""What sensors a node's BMC has, and what each reads at a moment.

Names on NVIDIA's boards follow what is public of DGX A100 and H100 (SPD_FAN_SYS3_F, PWR_PSU0, STATUS_PSU0,
REDUNDANCY_PSU, STATUS_GB_GPU, PWRGD_GB_GPU, TEMP_*, VOLT_*, SEL_FULLNESS); which of the hundred temperatures there are
is cut down, and thresholds but the fans' 2000 RPM are guesses. Other boards have plain names. Readings are in
thousandths of the unit.

The kinds follow from the board alone and are made once for a node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

from engine.control import sel
from engine.kernel.shapes import Jitter
from engine.kernel.units import SECOND
from engine.physics import supplies
from engine.physics.air import SLOWEST_ROTOR, fan_duty, inlet, rotor_rpm
from engine.physics.power import input_for, node_draw, psu_working, share
from engine.physics.thermal import temperature
from engine.world.inventory import Fan, Gpu, Node, Psu
from engine.world.records import BusState, Power
from engine.world.world import World

DEGREES, RPM, WATTS, VOLTS, PERCENT = "degrees C", "RPM", "Watts", "Volts", "percent"
_FAR_BELOW, _FAR_ABOVE = -(1 << 62), 1 << 62
_TYPES = {
    DEGREES: "Temperature",
    RPM: "Fan",
    WATTS: "Power Supply",
    VOLTS: "Voltage",
    PERCENT: "Event Logging Disabled",
}


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Lower and upper limits (non-critical, critical, non-recoverable) in thousandths, or None where there is none."""

    lower_nc: int | None = None
    lower_cr: int | None = None
    lower_nr: int | None = None
    upper_nc: int | None = None
    upper_cr: int | None = None
    upper_nr: int | None = None


@dataclass(frozen=True)
class Moment:
    """A node at a time; what several sensors depend on is worked out once."""

    world: World
    node: Node
    time: int

    @cached_property
    def on(self) -> bool:
        return self.world.nodes[self.node.name].power is Power.ON

    @cached_property
    def duty(self) -> int:
        return fan_duty(self.world, self.node.name, self.time)

    @cached_property
    def inlet(self) -> int:
        return inlet(self.world, self.node.name, self.time)

    @cached_property
    def draw(self) -> int:
        return node_draw(self.world, self.node.name, self.time)

    @cached_property
    def share(self) -> int:
        """What each working power supply gives (mW)."""
        return share(self.world, self.node.name, self.draw)

    @cached_property
    def busy(self) -> int:
        """How busy the processors are (permille)."""
        cpu = self.node.cpu
        asked = sum(process.cpu_permille for process in self.world.systems[self.node.name].processes)
        return min(asked // max(1, cpu.sockets * cpu.cores), 1000)


@dataclass(frozen=True, slots=True)
class State:
    """What a discrete sensor reads; a text of None is no reading."""

    text: str | None
    raw: int


Reading = int | State | None


def _never(moment: Moment) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class SensorKind:
    """A sensor without its reading: name, entity, type (as in the SEL), unit ("" for a discrete one) and limits.

    Between `above` and `below` no limit is reached. `calm` says cheaply that the reading is between them now; where it
    does not, it may be all the same.
    """

    name: str
    entity: str
    kind: str
    unit: str
    read: Callable[[Moment], Reading]
    thresholds: Thresholds = Thresholds()
    above: int = _FAR_BELOW
    below: int = _FAR_ABOVE
    calm: Callable[[Moment], bool] = _never


_RAILS = (("12V", 12_060), ("5V", 5_040), ("3V3", 3_310), ("BAT", 3_070))
_INLET_LIMITS = Thresholds(upper_nc=35_000, upper_cr=40_000, upper_nr=45_000)
_CPU_LIMITS = Thresholds(upper_nc=90_000, upper_cr=95_000, upper_nr=100_000)
_LOG_LIMITS = Thresholds(upper_nc=75_000, upper_cr=90_000)
_FAN_SLOW = 2_500_000
_FAN_LIMITS = Thresholds(lower_nc=_FAN_SLOW, lower_cr=2_000_000)


def sensor_kinds(world: World, node: Node) -> tuple[SensorKind, ...]:
    """Every sensor of a node's BMC, in the order of the SDR."""
    return world.inventory.once(("sensors", node.name), lambda: tuple(_kinds(node)))


def _kinds(node: Node) -> Iterator[SensorKind]:
    ours = bool(node.gpus)
    yield from _temperatures(node, ours)
    for fan in node.fans:
        for rotor in range(fan.rotors):
            yield _fan(fan, rotor, ours)
    for psu in node.psus:
        yield from _psu(psu)
    yield SensorKind("REDUNDANCY_PSU", "10.0", "Power Supply", "", _redundancy)
    name = "PWR_SYSTEM" if ours else "System Power"
    yield SensorKind(name, "7.1", "Other Units Based Sensor", WATTS, lambda moment: _whole(moment.draw))
    for name, millivolts in _RAILS:
        yield _rail(name, millivolts)
    if ours:
        yield SensorKind("STATUS_GB_GPU", "7.1", "Module / Board", "", _baseboard_present)
        yield SensorKind("PWRGD_GB_GPU", "7.1", "Module / Board", "", _baseboard_power)
        yield _analogue("SEL_FULLNESS", "6.1", PERCENT, _log_fullness, _LOG_LIMITS, _log_has_room)
    yield SensorKind("WATCHDOG2", "7.1", "Watchdog2", "", lambda moment: State("", 0x0080))


def _analogue(
    name: str,
    entity: str,
    unit: str,
    read: Callable[[Moment], Reading],
    thresholds: Thresholds,
    calm: Callable[[Moment], bool] = _never,
) -> SensorKind:
    lower = (thresholds.lower_nc, thresholds.lower_cr, thresholds.lower_nr)
    upper = (thresholds.upper_nc, thresholds.upper_cr, thresholds.upper_nr)
    above = max((limit for limit in lower if limit is not None), default=_FAR_BELOW)
    below = min((limit for limit in upper if limit is not None), default=_FAR_ABOVE)
    return SensorKind(name, entity, _TYPES[unit], unit, read, thresholds, above, below, calm)


def _temperatures(node: Node, ours: bool) -> Iterator[SensorKind]:
    name = "TEMP_AMBIENT" if ours else "Inlet Temp"
    yield _analogue(name, "64.1", DEGREES, lambda moment: _whole(moment.inlet), _INLET_LIMITS)
    for socket in range(node.cpu.sockets):
        name = f"TEMP_CPU{socket}" if ours else f"CPU{socket + 1} Temp"
        yield _analogue(name, f"3.{socket + 1}", DEGREES, partial(_cpu_temperature, socket), _CPU_LIMITS)
    for gpu in node.gpus:
        yield _gpu(gpu)


def _cpu_temperature(socket: int, moment: Moment) -> Reading:
    if not moment.on:
        return None
    shake = Jitter(moment.world.seed, f"{moment.node.name}/cpu{socket}", 900, 4 * SECOND).value(moment.time)
    return _whole(moment.inlet + 17_000 + 1_500 * socket + 28 * moment.busy + shake)


def _gpu(gpu: Gpu) -> SensorKind:
    """The baseboard's own path to a GPU's sensor ends where the GPU does."""
    limits = Thresholds(
        upper_nc=gpu.product.temperature_max_operating,
        upper_cr=gpu.product.temperature_slowdown,
        upper_nr=gpu.product.temperature_shutdown,
    )

    def read(moment: Moment) -> Reading:
        answers = moment.on and moment.world.gpus[gpu.id].bus is BusState.PRESENT
        return _whole(temperature(moment.world, gpu.id, moment.time)) if answers else None

    return _analogue(f"TEMP_GPU_SXM_{gpu.module}", f"11.{gpu.module}", DEGREES, read, limits)


def _fan(fan: Fan, rotor: int, ours: bool) -> SensorKind:
    plain = f"FAN{fan.index + 1}{' ' + 'AB'[rotor] if fan.rotors > 1 else ''}"
    name = f"SPD_FAN_SYS{fan.index}_{'FR'[rotor % 2]}" if ours else plain

    def read(moment: Moment) -> Reading:
        rpm = rotor_rpm(moment.world, fan, rotor, moment.duty, moment.time) if moment.on else None
        return None if rpm is None else rpm // 60 * 60 * 1000

    def calm(moment: Moment) -> bool:
        least = fan.rpm_max * moment.duty // 1000 * SLOWEST_ROTOR
        return least - 60_000 > _FAN_SLOW and not moment.world.fans[fan.id].failed

    return _analogue(name, f"29.{fan.index + 1}", RPM, read, _FAN_LIMITS, calm)


def _psu(psu: Psu) -> Iterator[SensorKind]:
    most, entity = psu.watts * 1000, f"10.{psu.index + 1}"
    limits = Thresholds(upper_nc=most * 95 // 100, upper_cr=most * 105 // 100)
    yield _analogue(f"PWR_PSU{psu.index}", entity, WATTS, partial(_psu_input, psu), limits)
    yield SensorKind(f"STATUS_PSU{psu.index}", entity, "Power Supply", "", partial(_psu_state, psu))


def _psu_input(psu: Psu, moment: Moment) -> Reading:
    if not (moment.on or psu_working(moment.world, psu)):
        return None
    output = moment.share if psu_working(moment.world, psu) else 0
    return _whole(input_for(moment.world, psu, output, moment.time))


def _psu_state(psu: Psu, moment: Moment) -> Reading:
    state, dead = moment.world.psus[psu.id], not supplies.has_input(moment.world, psu)
    failed = ", Failure detected" if state.failed else ""
    lost = ", Power Supply AC lost" if dead else ""
    return State(f"Presence detected{failed}{lost}", 0x0180 | 0x0200 * state.failed | 0x0800 * dead)


def redundancy(world: World, node: Node) -> str:
    """What the supplies are together: four of six carry a DGX H100; a server with two needs one."""
    working, needed = supplies.working(world, node), supplies.needed(node)
    if working == len(node.psus):
        return "Fully Redundant"
    if working < needed:
        return "Non-Redundant: Insufficient Resources"
    return "Redundancy Degraded" if working > needed else "Redundancy Lost"


def _redundancy(moment: Moment) -> Reading:
    state = redundancy(moment.world, moment.node)
    return State(state, 0x0180 if state == "Fully Redundant" else 0x0280)


def _rail(name: str, millivolts: int) -> SensorKind:
    """A voltage; the battery is there without power."""
    low, lower, high, higher = (millivolts * percent // 100 for percent in (93, 90, 107, 110))

    def read(moment: Moment) -> Reading:
        if not (moment.on or name == "BAT"):
            return None
        shake = Jitter(moment.world.seed, f"{moment.node.name}/{name}", 20, 7 * SECOND).value(moment.time)
        return millivolts + shake // 10 * 10

    return _analogue(
        f"VOLT_{name}", "7.1", VOLTS, read, Thresholds(low, lower, None, high, higher), lambda moment: moment.on
    )


def _baseboard_present(moment: Moment) -> Reading:
    """The GPU baseboard as a whole is there."""
    return State("Device Present" if moment.on else None, 0x0280)


def _baseboard_power(moment: Moment) -> Reading:
    """The power of the GPU baseboard is good."""
    return State("State Asserted", 0x0280) if moment.on else State("State Deasserted", 0x0180)


def _log_fullness(moment: Moment) -> Reading:
    return sel.fullness(moment.world, moment.node.name) * 1000


def _log_has_room(moment: Moment) -> bool:
    state = moment.world.sel[moment.node.name]
    return state.flood is None and len(state.entries) < sel.CAPACITY // 2


def _whole(thousandths: int) -> int:
    """Rounded to the whole unit, as the sensors are."""
    return (thousandths + 500) // 1000 * 1000
