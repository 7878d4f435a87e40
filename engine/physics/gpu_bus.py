"""GPUs on the PCIe bus: a board that drops off it, what a warm or a cold start brings back, and a defect that strikes
again.

Law: a board that has dropped off stays away through warm restarts. A cold start (chassis power off and on) revives it
for as long as its defect lets it, if at all; a board that merely switched itself off comes back for good. Sources:
operators' reports of Xid 79 (only a cold power cycle revives the card; warm reboots do not; reseating cured a badly
seated one). After a warm restart the firmware still enumerates the function and the driver finds it dead at probe
time (kernel logs of such boots); after a cold one without success it is not enumerated at all (guess).
"""

from __future__ import annotations

from dataclasses import replace

from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.physics.load import bound_gpus
from engine.world.events import BusDefectStrikes, GpuLost
from engine.world.records import BusDefect, BusState, GpuState, Power
from engine.world.world import World

__all__ = ["HANDLERS", "bound_gpus", "drop", "enumerate_gpus", "new_board", "plant_defect"]


def drop(simulation: Simulation[World], gpu_id: str) -> None:
    """A GPU stops answering on the bus."""
    if simulation.world.gpus[gpu_id].bus is BusState.PRESENT:
        simulation.world.gpus.update(gpu_id, bus=BusState.LOST)
        simulation.publish(GpuLost(gpu_id))


def plant_defect(simulation: Simulation[World], gpu_id: str, defect: BusDefect) -> None:
    """Give a board a defect, which strikes at once, or with the next start of its node."""
    simulation.world.gpus.update(gpu_id, defect=defect)
    if not defect.at_start:
        drop(simulation, gpu_id)


def new_board(simulation: Simulation[World], gpu_id: str, serial: str, uuid: str) -> None:
    """Put another board into a GPU's socket; the next start enumerates it."""
    before = simulation.world.gpus[gpu_id]
    limit = simulation.world.inventory.gpu(gpu_id).product.power_limit
    simulation.world.gpus[gpu_id] = GpuState(
        serial=serial, uuid=uuid, power_limit=limit, bus=BusState.ABSENT, bound=before.bound
    )


def enumerate_gpus(simulation: Simulation[World], node: str, cold: bool) -> None:
    """The firmware looks for the GPUs of a node that starts, `cold` after its power was off."""
    for gpu in simulation.world.node(node).gpus:
        state = simulation.world.gpus[gpu.id]
        if state.defect and state.defect.at_start:
            _fail_at_start(simulation, gpu.id, state.defect)
        elif cold:
            _start_cold(simulation, gpu.id, state)


def _fail_at_start(simulation: Simulation[World], gpu_id: str, defect: BusDefect) -> None:
    """The function is listed, and answers no more when the driver asks: from now on it is a board that dropped off."""
    struck = replace(defect, at_start=False)
    present = simulation.world.gpus[gpu_id].bus is BusState.PRESENT
    simulation.world.gpus.update(gpu_id, defect=struck, bus=BusState.LOST if present else BusState.ABSENT, bound=False)
    if present:
        simulation.publish(GpuLost(gpu_id))


def _start_cold(simulation: Simulation[World], gpu_id: str, state: GpuState) -> None:
    defect = state.defect
    if defect is None:
        simulation.world.gpus.update(gpu_id, bus=BusState.PRESENT)
    elif defect.holds_after_cold_start is None:
        simulation.world.gpus.update(gpu_id, bus=BusState.ABSENT)
    else:
        starts = state.cold_starts + 1
        simulation.world.gpus.update(gpu_id, bus=BusState.PRESENT, cold_starts=starts)
        simulation.schedule(BusDefectStrikes(gpu_id, state.serial, starts), defect.holds_after_cold_start)


def _strike(simulation: Simulation[World], event: BusDefectStrikes) -> None:
    state = simulation.world.gpus[event.gpu]
    powered = simulation.world.nodes[event.gpu.partition("/")[0]].power is Power.ON
    if powered and state.defect and (state.serial, state.cold_starts) == (event.serial, event.cold_starts):
        drop(simulation, event.gpu)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((BusDefectStrikes, _strike),)
