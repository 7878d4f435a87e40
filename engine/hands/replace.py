"""Replace a part by a spare of the same kind, with a serial number of its own."""

from __future__ import annotations

from types import MappingProxyType

from engine.hands.action import HandsAction, Job
from engine.hands.reseat import pull_cable
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import links, nvlink_errors, plugs, supplies
from engine.physics.air import change_fan
from engine.physics.gpu_bus import new_board
from engine.physics.pcie import restore_link
from engine.world.inventory import stable_hexadecimal, uuid_text
from engine.world.records import CableState
from engine.world.world import World


def replace_gpu(simulation: Simulation[World], target: str, number: int) -> str:
    """A GPU board: the spare has another serial number and UUID and a clean record."""
    gpu, old = simulation.world.inventory.gpu(target), simulation.world.gpus[target].serial
    chance = simulation.stream(f"spare/{target}/{number}")
    serial = f"165{chance.integer(0, 10**10 - 1):010d}"
    restore_link(simulation, gpu.node, gpu.address)
    nvlink_errors.new_module(simulation, target)
    new_board(simulation, target, serial, "GPU-" + uuid_text("spare", simulation.seed, target, number))
    return f"Replaced the GPU module in SXM socket {gpu.module} of {gpu.node}: serial {old} out, {serial} in."


def replace_fan(simulation: Simulation[World], target: str, number: int) -> str:
    """A fan module, changed while the node runs."""
    node, _, part = target.partition("/")
    stopped = simulation.world.fans[target].failed
    change_fan(simulation, target, _serial(simulation, target, number))
    found = "The old one stood still" if stopped else "The old one was turning as it should"
    return f"Replaced fan module {part.removeprefix('fan')} of {node}. {found}; the new one turns."


def replace_psu(simulation: Simulation[World], target: str, number: int) -> str:
    """A power supply, changed while the others carry the node."""
    node, _, part = target.partition("/")
    state = simulation.world.psus[target]
    serial = _serial(simulation, target, number)
    dead = not supplies.has_input(simulation.world, next(p for p in simulation.world.node(node).psus if p.id == target))
    supplies.change_psu(simulation, target, failed=False, latched=False, serial=serial)
    light = "no light: there is no power on its cord" if dead else "a green light"
    light += ". The old one is dead" if state.failed and not state.latched else ""
    return f"Replaced power supply {part.removeprefix('psu')} of {node}. The new one shows {light}."


def replace_fuse(simulation: Simulation[World], target: str, number: int) -> str:
    """The fuse of a PDU's strip, by one of the same rating, after a look at what hangs on it."""
    strip = supplies.strips(simulation.world.inventory)[target]
    blown = simulation.world.pdus[strip.pdu].blown
    supplies.change_pdu(simulation, strip.pdu, blown=tuple(each for each in blown if each != strip.number))
    found = "The old one was blown; nothing on the strip is short" if strip.number in blown else "The old one was good"
    lives = "has power" if supplies.strip_is_live(simulation.world, strip) else "still has no power: its PDU has none"
    return f"Replaced the fuse of strip {strip.number} of PDU {strip.feed} in {strip.rack}. {found}; the strip {lives}."


def replace_cable(simulation: Simulation[World], target: str, number: int) -> str:
    """A cable with its transceivers, by one of the kind and length that belong there."""
    found = simulation.world.inventory.cables[target]
    new, before = CableState(), simulation.world.cables[found.id]
    for end in found.ends:
        plugs.soil(simulation, end, ())
        plugs.replace_module(simulation, end)
    spare = simulation.world.cables[found.id].spare + 1
    links.change_cable(
        simulation,
        found,
        plugged=True,
        in_hand=False,
        error_exponent=new.error_exponent,
        rate_limit=None,
        flapping=None,
        lanes=new.lanes,
        part=new.part,
        spare=spare,
    )
    other = simulation.world.cables[found.id].part != before.part
    kind = "of the kind that belongs there; the old one was another" if other else "of the same kind"
    return f"Replaced the cable {found.serial} from {found.ends[0]} to {found.ends[1]} by a new one {kind}."


def _serial(simulation: Simulation[World], target: str, number: int) -> str:
    return stable_hexadecimal(12, "spare", simulation.seed, target, number).upper()


HANDS = HandsAction(
    name="replace",
    title="Replace a part by a spare",
    jobs=MappingProxyType(
        {
            "gpu": Job(duration=75 * MINUTE, power_off=True, work=replace_gpu),
            "fan": Job(duration=10 * MINUTE, power_off=False, work=replace_fan),
            "psu": Job(duration=10 * MINUTE, power_off=False, work=replace_psu),
            "strip": Job(duration=10 * MINUTE, power_off=False, work=replace_fuse),
            "port": Job(duration=15 * MINUTE, power_off=False, work=replace_cable, start=pull_cable),
        }
    ),
    doc="A GPU needs the node without power; fans, power supplies, cables and the fuse of a PDU's strip are changed "
    "while the node runs.",
)
