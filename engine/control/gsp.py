"""A GPU's firmware (GSP) as the driver meets it: calls that wait in vain, and what comes of that.

Law (kernel_gsp.c of the open kernel modules by release): a call waits 6 s (one and a half of the default timeout of 4
s; logs of 535 to 580 show 6 s), each that ends in vain is an Xid 119 with the process that made it; the third in a
row marks the GPU for reset, from 580 on with an assertion. Then calls fail at once (a simplification: the driver
tries on, and prints one of thirty). Whoever asks the driver waits: nvidia-smi, DCGM's host engine (which asks by
itself), programs that open the GPU. What already computes on the GPU goes on (guess).
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.control import gsp_history
from engine.control.dcgm import daemon
from engine.control.xid import catalogue, demand_recovery, lines, watches
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics.load import bound_gpus
from engine.world.events import GspCallDue
from engine.world.records import RecoveryAction
from engine.world.world import World

CALL_WAITS = 6 * SECOND
GIVES_UP_AFTER = 3
"""Calls in a row that wait in vain until the driver gives the firmware up."""

RPC_TIMEOUT = 119
# Lines of the assertion in kernel_gsp.c by release (580.65.06, 590.48.01).
_ASSERTED_AT = ((590, 2428), (580, 2344))
_CONTROL = (76, "GSP_RM_CONTROL")
_ALLOC = (103, "GSP_RM_ALLOC")
_CALLS = ((*_ALLOC, 0x2081, 0x4), (*_CONTROL, 0x20803032, 0x58C), (*_CONTROL, 0x20802A02, 0x8))
_FIRST_ASKED = 2 * SECOND


def stalled(world: World, gpu_id: str) -> bool:
    """Whether the firmware of a GPU answers no calls."""
    return world.gpus[gpu_id].gsp_stalled


def given_up(world: World, gpu_id: str) -> bool:
    """Whether the driver calls a GPU's firmware no more: calls fail at once until the GPU is reset."""
    state = world.gpus[gpu_id]
    return state.gsp_stalled and state.gsp_timeouts >= GIVES_UP_AFTER


def patience(world: World, gpu_id: str) -> int:
    """For how long (ns) a call to a GPU's firmware waits in vain now; 0 where it is answered or fails at once."""
    return CALL_WAITS if stalled(world, gpu_id) and not given_up(world, gpu_id) else 0


@dataclass(frozen=True, slots=True)
class CallInVain(Action):
    """A call of the process `pid` to the firmware of a GPU (nvidia-smi's index) has waited for its patience in vain."""

    host: str
    index: int
    client: str
    pid: int

    def perform(self, simulation: Simulation[World]) -> None:
        gpus = bound_gpus(simulation.world, self.host)
        if 0 <= self.index < len(gpus) and patience(simulation.world, gpus[self.index].id):
            time_out(simulation, gpus[self.index].id, self.client, self.pid)


def stall(simulation: Simulation[World], gpu_id: str) -> None:
    """The firmware answers no more. A host engine that runs will ask soon."""
    world, node = simulation.world, gpu_id.partition("/")[0]
    world.gpus.update(gpu_id, gsp_stalled=True, gsp_timeouts=0)
    engine = daemon.pid(world, node)
    if engine:
        call = GspCallDue(gpu_id, world.gpus[gpu_id].serial, engine, "cache_mgr_main", 0)
        simulation.schedule(call, _FIRST_ASKED + CALL_WAITS)


def time_out(simulation: Simulation[World], gpu_id: str, client: str, pid: int) -> None:
    """A call has waited in vain: the driver says so, and marks the GPU for reset with the third."""
    world, node = simulation.world, gpu_id.partition("/")[0]
    count = world.gpus[gpu_id].gsp_timeouts + 1
    world.gpus.update(gpu_id, gsp_timeouts=count)
    if not watches(world, gpu_id):
        return
    index = [gpu.id for gpu in bound_gpus(world, node)].index(gpu_id)
    function, name, first, second = _CALLS[(count - 1) % len(_CALLS)]
    release = lines.loaded_release(world, node)
    values: catalogue.Values = {
        "seconds": CALL_WAITS // SECOND,
        "index": index,
        "function": function,
        "name": name,
        "sequence": 10_000 + hash64(world.seed, "sequence", gpu_id, count) % 80_000,
        "first": first,
        "second": second,
    }
    text = catalogue.text(RPC_TIMEOUT, release, values)
    lines.xid(simulation, gpu_id, RPC_TIMEOUT, text, pid, client[:15])
    if count == 1:
        sequence = int(values["sequence"])
        call = gsp_history.Call(function, name, first, second, sequence)
        moment = world.inventory.start + simulation.now
        for line in gsp_history.lines(release, index, call, moment, CALL_WAITS):
            lines.say(simulation, node, line)
    if count == GIVES_UP_AFTER:
        _give_up(simulation, gpu_id, release)


def _give_up(simulation: Simulation[World], gpu_id: str, release: int) -> None:
    line = next((number for since, number in _ASSERTED_AT if release >= since), None)
    if line:
        what = "Back to back GSP RPC timeout detected! GPU marked for reset"
        text = f"NVRM: nvAssertFailedNoLog: Assertion failed: {what} @ kernel_gsp.c:{line}"
        lines.say(simulation, gpu_id.partition("/")[0], text)
    slot = lines.slot(simulation.world.inventory.gpu(gpu_id).address)
    limited = f"NVRM: Rate limiting GSP RPC error prints for GPU at PCI:{slot} (printing 1 of every 30)."
    lines.say(simulation, gpu_id.partition("/")[0], f"{limited}  The GPU likely needs to be reset.")
    demand_recovery(simulation, gpu_id, RecoveryAction.RESET)


def _call_due(simulation: Simulation[World], event: GspCallDue) -> None:
    """The host engine's call was in vain; it asks again."""
    world, node = simulation.world, event.gpu.partition("/")[0]
    asks = daemon.pid(world, node) == event.pid and world.gpus[event.gpu].serial == event.serial
    if not asks or not patience(world, event.gpu):
        return
    time_out(simulation, event.gpu, event.process, event.pid)
    if patience(world, event.gpu):
        again = GspCallDue(event.gpu, event.serial, event.pid, event.process, event.count + 1)
        simulation.schedule(again, CALL_WAITS)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((GspCallDue, _call_due),)
