"""Replace a part by a spare of the same kind, with a serial number of its own."""

from __future__ import annotations

from types import MappingProxyType

from engine.hands.action import HandsAction, Job
from engine.hands.reseat import pull_cable
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import links, nvlink_errors
from engine.physics.air import change_fan
from engine.physics.gpu_bus import new_board
from engine.physics.pcie import restore_link
from engine.world.inventory import stable_hexadecimal, uuid_text
from engine.world.records import CableState, PsuState
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
    simulation.world.psus[target] = PsuState(failed=False, input_lost=state.input_lost, serial=serial)
    light = "no light: there is no power on its cord" if state.input_lost else "a green light"
    return f"Replaced power supply {part.removeprefix('psu')} of {node}. The new one shows {light}."


def replace_cable(simulation: Simulation[World], target: str, number: int) -> str:
    """A cable with its transceivers, by one of the same kind and length."""
    found = simulation.world.inventory.cables[target]
    new = CableState()
    links.change_cable(
        simulation,
        found,
        plugged=True,
        in_hand=False,
        error_exponent=new.error_exponent,
        rate_limit=None,
        flapping=None,
    )
    return f"Replaced the cable {found.serial} from {found.ends[0]} to {found.ends[1]} by a new one of the same kind."


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
            "port": Job(duration=15 * MINUTE, power_off=False, work=replace_cable, start=pull_cable),
        }
    ),
    doc="A GPU needs the node without power; fans, power supplies and cables are changed while the node runs.",
)
