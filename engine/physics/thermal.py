"""Temperatures, powers and clocks of GPUs over time: regimes that begin when load, air, settings or presence change.

A regime holds shapes; what a gauge shows at any time, now or before, is worked out from the regime of that time.
Gauges carry a little noise that is a function of seed, component and time. A GPU that nothing has happened to has no
regime: it has been idle in its usual air for long.
"""

from __future__ import annotations

from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.shapes import Approach, Constant, Jitter
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import air, supplies
from engine.physics.fan_control import LEAST_DUTY
from engine.physics.gpu_bus import drop
from engine.physics.gpu_power import CLOCK_STEP, Draw, Reason, clock, draw, under_power_brake
from engine.physics.load import gpu_load, gpu_loads
from engine.physics.thermal_law import Plan, approach, cooling, memory_target, memory_time_constant, plan
from engine.world.events import (
    AirChanged,
    GpuLoadChanged,
    GpuLost,
    GpuSettingsChanged,
    NodePowered,
    PowerInputChanged,
    ThermalRegimeDue,
)
from engine.world.inventory import Gpu
from engine.world.records import BusState, GpuLoad, Power, ThermalHistory, ThermalRegime
from engine.world.world import World

LONG_AGO = -(10**18)
"""Since when a GPU without a history has been idle (ns; thirty years before the site's start)."""

_TEMPERATURE_NOISE, _TEMPERATURE_BUCKET = 250, 5 * SECOND
_POWER_NOISE = 8  # permille
_POWER_BUCKET = SECOND
_CLOCK_STEPS = 2
_OFF = Draw(power=0, demand=0, static=0, clock_idle=0, reasons=0, clock_most=0)


@dataclass(frozen=True, slots=True)
class _Work:
    """What a GPU is given: its load, and its air in permille of the full flow."""

    load: GpuLoad
    flow: int


def history(world: World, gpu_id: str) -> ThermalHistory:
    """The regimes of a GPU; at least one."""
    stored = world.thermal[gpu_id]
    return stored if stored.regimes else ThermalHistory((_usual(world, world.inventory.gpu(gpu_id)),))


def regime(world: World, gpu_id: str) -> ThermalRegime:
    """The regime that holds now."""
    return history(world, gpu_id).regimes[-1]


def regime_at(world: World, gpu_id: str, time: int) -> ThermalRegime:
    """The regime that held at `time`."""
    regimes = world.thermal[gpu_id].regimes
    found = next((each for each in reversed(regimes) if each.since <= time), None)
    return found or _usual(world, world.inventory.gpu(gpu_id))


def temperature(world: World, gpu_id: str, time: int) -> int:
    """What the GPU's temperature sensor shows (m°C)."""
    shown = regime_at(world, gpu_id, time).temperature.value(time)
    return shown + Jitter(world.seed, f"{gpu_id}/temperature", _TEMPERATURE_NOISE, _TEMPERATURE_BUCKET).value(time)


def memory_temperature(world: World, gpu_id: str, time: int) -> int:
    """What the memory's temperature sensor shows (m°C)."""
    shown = regime_at(world, gpu_id, time).memory_temperature.value(time)
    return shown + Jitter(world.seed, f"{gpu_id}/memory", _TEMPERATURE_NOISE, _TEMPERATURE_BUCKET).value(time)


def temperature_margin(world: World, gpu_id: str, time: int) -> int:
    """m°C to the highest operating temperature (nvidia-smi's T.Limit): what is left at the hottest spot of the chip.

    Fits three captures of an H100 (41 C idle shows 46, 42 C idle 45, 59 C at 630 W shows 26): the spot is hotter than
    the sensor by 3.5 m°C per W.
    """
    product = world.inventory.gpu(gpu_id).product
    hottest = (average_power(world, gpu_id, time) - product.power_limit) * 7 // 2000 - 400
    return product.temperature_max_operating - hottest - temperature(world, gpu_id, time)


def power(world: World, gpu_id: str, time: int) -> int:
    """What the GPU's power sensor shows (mW)."""
    drawn = average_power(world, gpu_id, time)
    return max(
        0, drawn + Jitter(world.seed, f"{gpu_id}/power", drawn * _POWER_NOISE // 1000, _POWER_BUCKET).value(time)
    )


def average_power(world: World, gpu_id: str, time: int) -> int:
    """The GPU's power without the gauge's noise (mW); its integral is the energy counter."""
    return regime_at(world, gpu_id, time).power.value(time)


def energy(world: World, gpu_id: str, start: int, end: int) -> int:
    """Energy (mJ) that a GPU took between two moments."""
    regimes = world.thermal[gpu_id].regimes
    total, until = 0, end
    for each in reversed(regimes):
        begin = max(start, each.since)
        if begin < until:
            total += each.power.integral(begin, until)
            until = begin
    if until > start:
        total += _usual(world, world.inventory.gpu(gpu_id)).power.integral(start, until)
    return total // SECOND


def sm_clock(world: World, gpu_id: str, time: int) -> int:
    """The SM clock (MHz); one that heat or a power cap holds down moves by a step or two."""
    held = regime_at(world, gpu_id, time)
    if not held.reasons & (Reason.SW_THERMAL | Reason.SW_POWER_CAP):
        return held.sm_clock
    steps = Jitter(world.seed, f"{gpu_id}/clock", _CLOCK_STEPS, SECOND).value(time)
    product = world.inventory.gpu(gpu_id).product
    moved = held.sm_clock + steps * CLOCK_STEP
    return min(max(moved, product.clock_graphics_min), product.clock_graphics_max)


def reasons(world: World, gpu_id: str) -> int:
    """Clock event reasons that hold now (NVML bit mask)."""
    return regime(world, gpu_id).reasons


def reason_time(world: World, gpu_id: str, bit: int, until: int) -> int:
    """How long (ns) a clock event reason has held between the node's boot and `until`."""
    start = world.nodes[gpu_id.partition("/")[0]].booted_at
    total, end = 0, until
    for each in reversed(world.thermal[gpu_id].regimes):
        if each.reasons & bit and each.since < end:
            total += end - max(each.since, start)
        end = min(end, each.since)
        if end <= start:
            break
    return max(total, 0)


def _usual(world: World, gpu: Gpu) -> ThermalRegime:
    """Idle in the node's usual air, settled long ago."""
    drawn = draw(gpu.product, world.gpus[gpu.id], GpuLoad())
    usual = cooling(gpu.product, _position(world, gpu), LEAST_DUTY, world.usual_inlet(gpu.node))
    settled = usual.settled(drawn.power)
    return ThermalRegime(
        since=LONG_AGO,
        temperature=Constant(settled),
        memory_temperature=Constant(memory_target(settled, powered=True)),
        power=Constant(drawn.power),
        sm_clock=clock(gpu.product, drawn, drawn.power),
        reasons=drawn.reasons,
        load=GpuLoad(),
    )


def _position(world: World, gpu: Gpu) -> int:
    """Permille of the product's thermal resistance: by the socket, and by how well the cooler touches the chip."""
    return air.position(gpu) * world.gpus[gpu.id].contact_permille // 1000


def _draw_now(world: World, gpu: Gpu, load: GpuLoad) -> Draw:
    """What a GPU would draw now; nothing when its node is off or the board has dropped off the bus."""
    state = world.gpus[gpu.id]
    if world.nodes[gpu.node].power is Power.OFF or state.bus is not BusState.PRESENT:
        return _OFF
    drawn = draw(gpu.product, state, load)
    return under_power_brake(gpu.product, drawn) if supplies.braked(world, gpu.node) else drawn


def _begin(world: World, gpu: Gpu, since: int, work: _Work, before: ThermalRegime) -> tuple[ThermalRegime, Plan]:
    """The regime that begins at `since` after the regime `before`, and the plan behind it."""
    drawn = _draw_now(world, gpu, work.load)
    cooled = cooling(gpu.product, _position(world, gpu), work.flow, air.inlet(world, gpu.node, since))
    level = before.temperature.value(since)
    planned = plan(gpu.product, drawn, cooled, level)
    memory = memory_target(planned.target, powered=planned.power > 0)
    return ThermalRegime(
        since=since,
        temperature=approach(since, level, planned.target, cooled.time_constant),
        memory_temperature=approach(
            since, before.memory_temperature.value(since), memory, memory_time_constant(cooled)
        ),
        power=Constant(planned.power),
        sm_clock=clock(gpu.product, drawn, planned.power),
        reasons=planned.reasons,
        load=work.load,
    ), planned


def _same(before: ThermalRegime, after: ThermalRegime) -> bool:
    """Whether nothing has changed for a GPU: its load, power and clock, and where its temperature goes how fast."""
    same = (before.load, before.power, before.sm_clock, before.reasons) == (
        after.load,
        after.power,
        after.sm_clock,
        after.reasons,
    )
    return same and _goal(before) == _goal(after)


def _goal(held: ThermalRegime) -> tuple[int, int]:
    shape = held.temperature
    return (shape.target, shape.time_constant) if isinstance(shape, Approach) else (shape.value(0), 0)


def _settle(simulation: Simulation[World], gpu: Gpu, work: _Work, since: int, past: tuple[ThermalRegime, ...]) -> None:
    """Begin a new regime at `since` after those of the `past`, unless nothing has changed."""
    world = simulation.world
    before = past[-1] if past else _usual(world, gpu)
    begun, planned = _begin(world, gpu, since, work, before)
    if _same(before, begun):
        return
    kept = past[:-1] if past and past[-1].since == since else past
    world.thermal[gpu.id] = ThermalHistory((*kept, begun))
    if planned.ends_at is not None:
        reached = begun.temperature.next_crossing(planned.ends_at, simulation.now)
        if reached is not None:
            simulation.schedule_at(ThermalRegimeDue(gpu.id, since), reached)


def _work(world: World, node: str) -> list[tuple[Gpu, _Work]]:
    """The GPUs of a node with their load and their air."""
    loads, flows = gpu_loads(world, node), air.column_flows(world, node)
    return [(gpu, _Work(loads[gpu.id], flows[air.column(gpu)])) for gpu in world.node(node).gpus]


def _settle_node(simulation: Simulation[World], node: str) -> None:
    world = simulation.world
    for gpu, work in _work(world, node):
        _settle(simulation, gpu, work, simulation.now, world.thermal[gpu.id].regimes)


def _load_changed(simulation: Simulation[World], event: GpuLoadChanged) -> None:
    if simulation.now == 0:
        _open_node(simulation, event.node)
    else:
        _settle_node(simulation, event.node)


def _open_node(simulation: Simulation[World], node: str) -> None:
    """Work that is under way when the site opens began before: its GPUs have been warm since then."""
    world = simulation.world
    started = max((process.started for process in world.systems[node].processes if process.gpus), default=0)
    for gpu, work in _work(world, node):
        past = world.thermal[gpu.id].regimes
        opening = started < 0 and all(each.since < 0 and each.load in (GpuLoad(), work.load) for each in past)
        _settle(simulation, gpu, work, started if opening else 0, () if opening else past)


def _node_changed(
    simulation: Simulation[World], event: AirChanged | GpuSettingsChanged | NodePowered | PowerInputChanged
) -> None:
    _settle_node(simulation, event.node)


def _due(simulation: Simulation[World], event: ThermalRegimeDue) -> None:
    """A limit is reached. Past the shutdown limit the board switches itself off and is gone from the bus."""
    world = simulation.world
    gpu, current = world.inventory.gpu(event.gpu), regime(world, event.gpu)
    if current.since != event.since:
        return
    if current.temperature.value(simulation.now) >= gpu.product.temperature_shutdown:
        drop(simulation, gpu.id)
        return
    work = _Work(gpu_load(world, gpu.id), air.column_flows(world, gpu.node)[air.column(gpu)])
    _settle(simulation, gpu, work, simulation.now, world.thermal[gpu.id].regimes)


def _lost(simulation: Simulation[World], event: GpuLost) -> None:
    _settle_node(simulation, event.gpu.partition("/")[0])


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (GpuLoadChanged, _load_changed),
    (GpuSettingsChanged, _node_changed),
    (AirChanged, _node_changed),
    (NodePowered, _node_changed),
    (PowerInputChanged, _node_changed),
    (ThermalRegimeDue, _due),
    (GpuLost, _lost),
)
