"""Air of a node: inlet temperature, fan modules, filter, and how much of the flow reaches each GPU socket.

Zones: a board's GPU sockets stand in four columns of two, one behind the other in the air stream, and the fan modules
in front of them in as many groups. A column draws nine tenths of its air from its own group and the rest from the
others; a stopped module is also a hole through which air runs back, which costs half of what it gave. The two rows
differ: the rear one gets air that the front one has warmed. All of this is a guess that stands for a DGX H100 (12
modules of 2 rotors in front); no vendor publishes it.
"""

from __future__ import annotations

from engine.kernel.events import Event, Handler
from engine.kernel.random import hash64
from engine.kernel.shapes import Approach, Constant, Jitter, Linear
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics.fan_control import LEAST_DUTY, settled_duty
from engine.physics.gpu_power import draw
from engine.physics.load import gpu_loads
from engine.physics.thermal_law import RATED_FLOW, resistance
from engine.world.events import AirChanged, GpuLoadChanged, GpuLost, GpuSettingsChanged, InletDue, NodePowered
from engine.world.inventory import Fan, Gpu
from engine.world.records import BusState, Power
from engine.world.world import World

COLUMNS = 4
OWN_SHARE, OTHER_SHARE = 900, 100
BACKFLOW = 500
NATURAL_FLOW = 40
"""Permille of the full flow that remains in a node whose fans stand still."""

# Module number of a GPU socket -> factor of its thermal resistance in permille (guess: which sockets form the rear
# row).
_POSITION = {1: 1080, 2: 1000, 3: 1000, 4: 1080, 5: 1080, 6: 1000, 7: 1000, 8: 1080}

SLOWEST_ROTOR = 900
"""No working rotor turns slower than so many permille of what the fans' duty asks."""

_ROTOR_RPM = (1000, 940)  # permille of the module's speed: the rear rotor of a counter-rotating pair is slower (guess)
_ROTOR_SETTLES = 4 * SECOND
_DEGREE = 1000


def inlet(world: World, node: str, time: int) -> int:
    """The air temperature (m°C) at a node's inlet. A change that is under way ends after its `per`."""
    shape = world.cooling[node].inlet
    return shape.value(min(time, shape.since + shape.per)) if isinstance(shape, Linear) else shape.value(time)


def change_inlet(simulation: Simulation[World], node: str, change: int, duration: int) -> None:
    """Let a node's inlet temperature change by `change` m°C within `duration` ns (at least a second)."""
    here = inlet(simulation.world, node, simulation.now)
    simulation.world.cooling.update(node, inlet=Linear(simulation.now, here, change, max(duration, SECOND)))
    simulation.publish(AirChanged(node))
    _await_next_degree(simulation, node)


def stop_fan(simulation: Simulation[World], fan_id: str) -> None:
    """A fan module comes to a stop."""
    simulation.world.fans.update(fan_id, failed=True)
    simulation.publish(AirChanged(fan_id.partition("/")[0]))


def change_fan(simulation: Simulation[World], fan_id: str, serial: str) -> None:
    """A fan module is replaced by one that works."""
    simulation.world.fans.update(fan_id, failed=False, serial=serial)
    simulation.publish(AirChanged(fan_id.partition("/")[0]))


def block_filter(simulation: Simulation[World], node: str, permille: int) -> None:
    """A node's inlet filter lets `permille` of the air through no longer."""
    simulation.world.cooling.update(node, filter_blocked_permille=permille)
    simulation.publish(AirChanged(node))


def system_fans(world: World, node: str) -> list[Fan]:
    """The fan modules that cool the node, in order."""
    return [fan for fan in world.node(node).fans if fan.zone == "system"]


def fan_duty(world: World, node: str, time: int) -> int:
    """The duty (permille) at which the fans run: they follow what is asked within seconds. 0 without chassis power."""
    if world.nodes[node].power is Power.OFF:
        return 0
    state = world.cooling[node]
    return Approach(state.duty_changed_at, state.previous_duty_permille, state.fan_duty_permille, _ROTOR_SETTLES).value(
        time
    )


def fan_rpm(world: World, fan_id: str, rotor: int, time: int) -> int:
    """Revolutions per minute of a rotor as its sensor shows them."""
    node = fan_id.partition("/")[0]
    fan = next(fan for fan in world.node(node).fans if fan.id == fan_id)
    return rotor_rpm(world, fan, rotor, fan_duty(world, node, time), time)


def rotor_rpm(world: World, fan: Fan, rotor: int, duty: int, time: int) -> int:
    """What the sensor of a rotor shows while the fans run at a duty (permille)."""
    state = world.fans[fan.id]
    if state.failed or not duty:
        return 0
    key = ("rotor", fan.id, rotor, state.serial)
    made = world.inventory.once(key, lambda: _made(world.inventory.name, fan.id, rotor, state.serial))
    speed = fan.rpm_max * duty // 1000 * _ROTOR_RPM[rotor % len(_ROTOR_RPM)] // 1000 * made // 1000
    return speed + Jitter(world.seed, f"{fan.id}/rotor{rotor}", speed // 150, 5 * SECOND).value(time)


def _made(site: str, fan_id: str, rotor: int, serial: str | None) -> int:
    """No two rotors turn alike: the speed of one, in permille of what its kind makes."""
    return 1000 + hash64("fan", site, fan_id, rotor, serial) % 31 - 15


def airflow_permille(world: World, node: str) -> int:
    """The air that moves through a node, in permille of what all its fans move at full speed through a clean filter."""
    fans = system_fans(world, node)
    return _flow(world, node, _given(len(fans), sum(world.fans[fan.id].failed for fan in fans), 1000))


def column_flows(world: World, node: str) -> tuple[int, ...]:
    """The air (permille of full) that reaches the GPU sockets of each column."""
    return tuple(_flow(world, node, share) for share in column_shares(world, node))


def column_shares(world: World, node: str) -> tuple[int, ...]:
    """The part (permille) of its rightful air that the working fan modules give each column."""
    fans = system_fans(world, node)
    failed = [position for position, fan in enumerate(fans) if world.fans[fan.id].failed]
    if not failed:
        return (OWN_SHARE + OTHER_SHARE,) * COLUMNS
    groups = [position * COLUMNS // len(fans) for position in range(len(fans))]
    broken = [groups[position] for position in failed]
    return tuple(_share(column, groups, broken) for column in range(COLUMNS))


def column(gpu: Gpu) -> int:
    """The column of a board in which a GPU's socket stands."""
    return (gpu.module - 1) // 2 % COLUMNS


def position(gpu: Gpu) -> int:
    """The factor (permille) by which a GPU's place raises its thermal resistance."""
    return _POSITION.get(gpu.module, 1000)


def _share(column: int, groups: list[int], broken: list[int]) -> int:
    own, own_failed = groups.count(column), broken.count(column)
    others, others_failed = len(groups) - own, len(broken) - own_failed
    return _given(own, own_failed, OWN_SHARE) + _given(others, others_failed, OTHER_SHARE)


def _given(modules: int, failed: int, share: int) -> int:
    """What a group of fan modules gives of `share` permille; stopped ones take some away."""
    return share * max(0, 1000 * (modules - failed) - BACKFLOW * failed) // (1000 * modules) if modules else share


def _flow(world: World, node: str, share: int) -> int:
    """The flow for a share of the fans, at the duty asked for."""
    state = world.cooling[node]
    duty = 0 if world.nodes[node].power is Power.OFF else state.fan_duty_permille
    return max(NATURAL_FLOW, duty * share // 1000 * (1000 - state.filter_blocked_permille) // 1000)


def _await_next_degree(simulation: Simulation[World], node: str) -> None:
    """Schedule the moment at which a changing inlet reaches its next whole degree, or its end."""
    shape = simulation.world.cooling[node].inlet
    if not isinstance(shape, Linear):
        return
    step = _DEGREE if shape.change > 0 else -_DEGREE
    here = shape.value(simulation.now)
    level = (here // _DEGREE + 1) * _DEGREE if step > 0 else (-(-here // _DEGREE) - 1) * _DEGREE
    end = shape.since + shape.per
    crossing = shape.next_crossing(level, simulation.now) if shape.change else None
    simulation.schedule_at(InletDue(node, shape.since), min(crossing or end, end))


def _inlet_due(simulation: Simulation[World], event: InletDue) -> None:
    shape = simulation.world.cooling[event.node].inlet
    if not isinstance(shape, Linear) or shape.since != event.since:
        return
    if simulation.now >= shape.since + shape.per:
        simulation.world.cooling.update(event.node, inlet=Constant(shape.level + shape.change))
    simulation.publish(AirChanged(event.node))
    _await_next_degree(simulation, event.node)


def _set_fans(simulation: Simulation[World], node: str) -> None:
    """The BMC asks for the duty at which the hottest GPU settles where its fan curve wants it, unless somebody has
    set the fans by hand.
    """
    world = simulation.world
    state = world.cooling[node]
    duty = world.bmcs[node].fan_duty
    if duty is None:
        duty = settled_duty(inlet(world, node, simulation.now), state.filter_blocked_permille, _heat(world, node))
    if duty != state.fan_duty_permille:
        before = fan_duty(world, node, simulation.now) or LEAST_DUTY
        world.cooling.update(
            node, fan_duty_permille=duty, previous_duty_permille=before, duty_changed_at=simulation.now
        )


def _heat(world: World, node: str) -> tuple[tuple[int, int], ...]:
    """What the fan control works with, per GPU: (rise above the inlet at rated flow in m°C, share of the air in
    permille).
    """
    loads, shares = gpu_loads(world, node), column_shares(world, node)
    heat = set()
    for gpu in world.node(node).gpus:
        state = world.gpus[gpu.id]
        if state.bus is BusState.PRESENT:
            power = draw(gpu.product, state, loads[gpu.id]).power
            factor = position(gpu) * state.contact_permille // 1000
            heat.add((power * resistance(gpu.product, factor, RATED_FLOW) // 1_000_000, shares[column(gpu)]))
    return tuple(sorted(heat))


def _changed(
    simulation: Simulation[World], event: AirChanged | GpuLoadChanged | GpuSettingsChanged | NodePowered
) -> None:
    _set_fans(simulation, event.node)


def _lost(simulation: Simulation[World], event: GpuLost) -> None:
    _set_fans(simulation, event.gpu.partition("/")[0])


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (AirChanged, _changed),
    (GpuLoadChanged, _changed),
    (GpuSettingsChanged, _changed),
    (NodePowered, _changed),
    (GpuLost, _lost),
    (InletDue, _inlet_due),
)
