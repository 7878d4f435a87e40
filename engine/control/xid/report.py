"""Reporting an Xid with its place in a causal chain: the line, the processes that die of it, the recovery action.

What an Xid does stands in the catalogue. Those that die with others' errors are told of by Xid 45 and the number of the
first (`caused by previous Xid`, from 570 on); memory errors name each channel that they end by their own number (logs
of H100 systems). The GPU keeps which Xid ended its work last, so that programs can tell the CUDA error that it means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from engine.control import processes
from engine.control.modules import driver_version
from engine.control.xid import catalogue, lines
from engine.control.xid.catalogue import Values
from engine.control.xid.recovery import demand_recovery
from engine.kernel.simulation import Simulation
from engine.physics.load import gpu_processes
from engine.world.records import BootPhase, BusState, FatalXid, Process
from engine.world.world import World

PREEMPTIVE_REMOVAL = 45
ENDED = "gpu_error"
"""Why processes ended of which an Xid took the GPU's work (see ProcessesEnded)."""

_NAMES_PREVIOUS_XID = 570
_UP = (BootPhase.KERNEL, BootPhase.SERVICES, BootPhase.RUNNING)
_FIRST_CHANNEL, _OWN = 8, "own"


def watches(world: World, gpu_id: str) -> bool:
    """Whether the driver runs, holds this GPU and hears from it."""
    node, state = gpu_id.partition("/")[0], world.gpus[gpu_id]
    loaded = driver_version(world, node) is not None and world.nodes[node].phase in _UP
    return loaded and state.bound and state.bus is BusState.PRESENT


def report(
    simulation: Simulation[World],
    gpu_id: str,
    number: int,
    values: Values = MappingProxyType({}),
    *,
    form: str = "",
    process: Process | None = None,
    previous: int = 0,
    recover: bool = True,
    harmless: bool = False,
) -> None:
    """The driver reports an Xid: `form` and `values` give its text, `process` is the one whose channel it is,
    `previous` the first Xid of the chain. What dies of it ends, and the recovery action follows.

    With `recover` false the caller asks for that later in the chain; a `harmless` one is only told.
    """
    world, entry = simulation.world, catalogue.xids()[number]
    if not watches(world, gpu_id):
        return
    text = catalogue.text(number, lines.loaded_release(world, gpu_id.partition("/")[0]), values, form)
    if entry.told == _OWN:
        lines.xid(simulation, gpu_id, number, text)
    else:
        _tell(simulation, gpu_id, number, text, process)
    if harmless:
        return
    doomed = _doomed(world, gpu_id, entry.dies, process)
    _tell_the_dying(simulation, gpu_id, entry, doomed, process)
    if entry.recovery and recover:
        demand_recovery(simulation, gpu_id, entry.recovery)
    end_work(simulation, gpu_id, previous or number, doomed)


def tell_removal(simulation: Simulation[World], gpu_id: str, previous: int, doomed: Sequence[Process]) -> None:
    """Xid 45 for each of the processes that the driver takes off a GPU because of an earlier Xid."""
    named = lines.loaded_release(simulation.world, gpu_id.partition("/")[0]) >= _NAMES_PREVIOUS_XID
    text = f"Ch {_FIRST_CHANNEL:08x}" + (f" caused by previous Xid {previous}" if named else "")
    for process in doomed:
        _tell(simulation, gpu_id, PREEMPTIVE_REMOVAL, text, process)


def end_work(simulation: Simulation[World], gpu_id: str, number: int, doomed: Sequence[Process]) -> None:
    """Processes end because of an Xid; the GPU keeps which."""
    end_work_on(simulation, {gpu_id: doomed}, number)


def end_work_on(simulation: Simulation[World], doomed: Mapping[str, Sequence[Process]], number: int) -> None:
    """Processes on GPUs of one node, by GPU, end at once because of an Xid; each GPU keeps which."""
    error, pids = catalogue.xids()[number].cuda_error, set[int]()
    for gpu_id, processes_there in doomed.items():
        running = {process.pid for process in gpu_processes(simulation.world, gpu_id)}
        ended = tuple(sorted(process.pid for process in processes_there if process.pid in running))
        if ended:
            simulation.world.gpus.update(gpu_id, fatal=FatalXid(number, simulation.now, error, ended))
            pids |= set(ended)
    if pids:
        processes.end(simulation, next(iter(doomed)).partition("/")[0], sorted(pids), ENDED)


def main_process(world: World, gpu_id: str) -> Process | None:
    """The process that has most of a GPU's memory: the one that an error in it most likely meets."""
    return max(gpu_processes(world, gpu_id), key=lambda each: (each.gpu_memory, -each.pid), default=None)


def _doomed(world: World, gpu_id: str, dies: str, process: Process | None) -> list[Process]:
    if dies == "all":
        return gpu_processes(world, gpu_id)
    return [process] if dies == "process" and process is not None else []


def _tell_the_dying(
    simulation: Simulation[World],
    gpu_id: str,
    entry: catalogue.Xid,
    doomed: Sequence[Process],
    named: Process | None,
) -> None:
    if entry.told == _OWN:
        text = catalogue.text(entry.number, 0, {"channel": _FIRST_CHANNEL}, "channel")
        for process in doomed:
            _tell(simulation, gpu_id, entry.number, text, process)
    elif entry.told == str(PREEMPTIVE_REMOVAL):
        others = [process for process in doomed if named is None or process.pid != named.pid]
        tell_removal(simulation, gpu_id, entry.number, others)


def _tell(simulation: Simulation[World], gpu_id: str, number: int, text: str, process: Process | None) -> None:
    if process is None:
        lines.xid(simulation, gpu_id, number, text)
    else:
        lines.xid(simulation, gpu_id, number, text, process.pid, lines.short_name(process))
