"""What light and copper do between two ports: which plug sits in which cage, what it is, whether it works, how warm it
is, how much light arrives on each lane, and what that means for the link.

A twin-port OSFP serves two ports: cages of a switch hold ports 2n-1 and 2n, those of a DGX the two adapters that its
manual names together (`OSFP4P1`, `OSFP4P2`). Parts: NVIDIA's cable guides (MMA4Z00 twin-port SR4 transceiver, MCP4Y10
passive copper, MCA4J80 active copper). Limits: those that mlxlink shows of a 400G OSFP transceiver (temperature -5 to
75 °C, voltage 2970 to 3630 mV, bias 2 to 15 mA, light in -10.41 to 6 dBm, light out -8.508 to 5 dBm; a capture).

Guesses: a transceiver in use is 48 to 58 °C warm, sends 1.4 to 1.8 dBm, two clean connectors and fibre take 0.4 to
0.8 dB; a receiver is clean down to -4 dBm and loses three powers of ten of its error rate for each dB below; past its
warning temperature a laser leaves one bit error in 10^12; it switches itself off 5 °C later; a module that gets hotter
does so evenly over 20 minutes. The part number of the slower cable is made up.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.world.events import ModuleHeats
from engine.world.inventory import Cable, Inventory
from engine.world.records import CableState, ConnectorState, ModuleState
from engine.world.world import World

LANES = 4
HEATING_TIME = 20 * MINUTE
WARNING, SHUT_DOWN = 75_000, 80_000
"""m°C: the warning limit of a transceiver, and where it switches itself off."""

TEMPERATURE_RANGE, VOLTAGE_RANGE, BIAS_RANGE = (-5, 75), (2970, 3630), (2, 15)
RECEIVED_RANGE, SENT_RANGE = ("-10.41", "6"), ("-8.508", "5")

_CLEAN = CableState().error_exponent
_LEAST_LIGHT = -400
_POWERS_PER_DB, _WORST = 3, 5
_HOT_EXPONENT = 12
_DARK = -4000
_ALARM, _OFF = "alarm", "shut_down"


@dataclass(frozen=True, slots=True)
class Product:
    """A kind of plug: `rate` is what it passes in Gb/s, `optical` says whether it has a transmitter and a sensor."""

    part: str
    vendor: str
    rate: int
    technology: str
    kind: str
    optical: bool = False
    wavelength: str = "N/A"


SLOWER_CABLE = "OSFP-2X200G-PC02"
_COPPER = "Copper cable, passive, unequalized"
PRODUCTS: Mapping[str, Product] = MappingProxyType(
    {
        product.part: product
        for product in (
            Product("MCP4Y10-N002", "NVIDIA", 400, _COPPER, "Passive copper cable"),
            Product("MCA4J80-N004", "NVIDIA", 400, "Copper cable, linear active equalizers", "Active cable (active copper / optics)"),  # noqa: E501
            Product("MMA4Z00-NS", "NVIDIA", 400, "850 nm VCSEL", "Optical Module (separated)", True, "850"),
            Product(SLOWER_CABLE, "GENERIC", 200, _COPPER, "Passive copper cable"),
        )
    }
)  # fmt: skip


def cage(inventory: Inventory, port: str) -> str:
    """The cage that a port belongs to: `leaf-01/cage9` of ports 17 and 18, `dgx-01/OSFP4` of two adapters."""
    device, _, number = port.rpartition("/")
    if "/" not in device:
        return f"{device}/cage{(int(number) + 1) // 2}"
    hca = inventory.hca(device)
    slot = (hca.cage or "").rpartition("P")[0] if (hca.cage or "").startswith("OSFP") else ""
    return f"{hca.node}/{slot}" if slot else device


def ports_of(inventory: Inventory, port: str) -> tuple[str, ...]:
    """The ports that share the cage of `port`, itself among them, in order."""
    device, _, number = port.rpartition("/")
    if "/" not in device:
        first = (int(number) + 1) // 2 * 2 - 1
        return tuple(f"{device}/{each}" for each in (first, first + 1) if each <= inventory.switches[device].ports)
    own = cage(inventory, port)
    return tuple(hca.port for hca in inventory.node(port.partition("/")[0]).hcas if cage(inventory, hca.port) == own)


def product(world: World, port: str) -> Product | None:
    """What is plugged into a port, or None."""
    cable = world.inventory.cables.get(port)
    if cable is None or cable.internal or not world.cables[cable.id].plugged or world.cables[cable.id].in_hand:
        return None
    return PRODUCTS[world.cables[cable.id].part or cable.part_number]


def serial(world: World, port: str) -> str:
    """The serial number of the plug: a transceiver has its own, both ends of a cable have the same."""
    cable = world.inventory.cables[port]
    state, kind = world.cables[cable.id], product(world, port)
    if kind and kind.optical:
        place = cage(world.inventory, port)
        return _serial("module", place, world.optics[place].spare)
    return _serial("cable", cable.id, state.spare) if state.spare or state.part else cable.serial


def working(world: World, port: str) -> bool:
    """Whether the plug in a port does its work; copper always does."""
    if not world.optics.generation:
        return True
    state = world.optics[cage(world.inventory, port)]
    return not (state.dead or state.shut_down)


def temperature(world: World, port: str, now: int) -> int | None:
    """m°C of the transceiver in a port; None where nothing measures."""
    kind = product(world, port)
    if kind is None or not kind.optical:
        return None
    place = cage(world.inventory, port)
    state = world.optics[place]
    lasted = min(now - state.heating, HEATING_TIME) if state.heating is not None else 0
    heated = state.heat * lasted // HEATING_TIME
    return _usual_temperature(world, place) + (0 if state.shut_down else heated)


def sent(world: World, port: str) -> tuple[int, ...]:
    """Light that the transceiver in a port sends by lane, in hundredths of a dBm; dark where it does not."""
    if not working(world, port):
        return (_DARK,) * LANES
    place = cage(world.inventory, port)
    spare = world.optics[place].spare
    return tuple(140 + hash64(world.seed, "light", place, port, lane, spare) % 40 for lane in range(LANES))


def received(world: World, port: str) -> tuple[int, ...]:
    """Light that comes in by a port by lane, in hundredths of a dBm: what the far end sends, less fibre and dirt."""
    cable = world.inventory.cables[port]
    far = cable.other(port)
    if product(world, far) is None:
        return (_DARK,) * LANES
    loss = world.connectors[port].loss or (0,) * LANES
    light = sent(world, far)
    way = (40 + hash64(world.seed, "fibre", cable.id, lane) % 40 for lane in range(LANES))
    return tuple(max(_DARK, out - taken - dirt) for out, taken, dirt in zip(light, way, loss, strict=True))


def bias(world: World, port: str) -> tuple[int, ...]:
    """Current of the lasers by lane in µA."""
    if not working(world, port):
        return (0,) * LANES
    place = cage(world.inventory, port)
    return tuple(7_800 + hash64(world.seed, "bias", place, port, lane) % 900 for lane in range(LANES))


def voltage(world: World, port: str) -> int:
    """Supply of the transceiver in tenths of a mV."""
    return 32_400 + hash64(world.seed, "voltage", cage(world.inventory, port)) % 500


def error_exponent(world: World, port: str) -> int:
    """Of the bit error rate, after correction, of the signal that comes in by a port; 15 is clean."""
    cable = world.inventory.cables.get(port)
    if cable is None:
        return _CLEAN
    found = world.cables[cable.id].error_exponent
    if world.connectors.generation:
        found = min(found, _by_light(world, port))
    if world.optics.generation and world.optics[cage(world.inventory, cable.other(port))].alarm:
        found = min(found, _HOT_EXPONENT)
    return found


def worst_exponent(world: World, cable: Cable) -> int:
    """Of the worse of both directions of a cable."""
    if not (world.connectors.generation or world.optics.generation):
        return world.cables[cable.id].error_exponent
    return min(error_exponent(world, end) for end in cable.ends)


def fastest(world: World, cable: Cable, between: int) -> int:
    """Gb/s that a link over a cable runs at whose ends both do `between`: its generation's rate for the lanes left."""
    state = world.cables[cable.id]
    limit = min(between, state.rate_limit or between)
    if state.part:
        limit = min(limit, PRODUCTS[state.part].rate)
    return limit * state.lanes // LANES


def set_dirt(simulation: Simulation[World], port: str, loss: tuple[int, ...]) -> None:
    """Let dirt take so much of the light that comes in, in hundredths of a dB by lane; () cleans."""
    simulation.world.connectors[port] = ConnectorState(loss)


def heat(simulation: Simulation[World], port: str, by: int) -> None:
    """The transceiver in a port gets hotter by `by` m°C from now on; its limits are crossed on the way."""
    world, place = simulation.world, cage(simulation.world.inventory, port)
    world.optics.update(place, heat=by, heating=simulation.now)
    for stage, limit in ((_ALARM, WARNING), (_OFF, SHUT_DOWN)):
        rise = limit - _usual_temperature(world, place)
        if 0 < rise <= by:
            event = ModuleHeats(place, port, simulation.now, stage)
            simulation.schedule(event, max(1, HEATING_TIME * rise // by))


def fitting(state: ModuleState) -> ModuleState:
    """A new module in the place of one."""
    return ModuleState(spare=state.spare + 1)


def _by_light(world: World, port: str) -> int:
    """What the weakest lane leaves of the signal; a loss that stands for a clean connector leaves it clean."""
    if not world.connectors[port].loss:
        return _CLEAN
    kind = product(world, port)
    if kind is None or not kind.optical:
        return _CLEAN
    missing = _LEAST_LIGHT - min(received(world, port))
    return _CLEAN if missing <= 0 else max(_WORST, _CLEAN - 1 - _POWERS_PER_DB * missing // 100)


def _usual_temperature(world: World, place: str) -> int:
    return 48_000 + hash64(world.seed, "module temperature", place) % 10_000


def _serial(*parts: object) -> str:
    return f"MT{hash64('plug serial', *parts) % 10**11:011d}"
