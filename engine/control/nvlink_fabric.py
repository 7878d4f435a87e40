"""Whether the NVSwitches of a node have been programmed, and whether that is stale: the fabric manager's work as the
driver tells of it.

The routes stay in the switches when the fabric manager was stopped in good order, until a reset of the node; a fabric
manager that has never come up since the boot, or that failed, leaves the GPUs unregistered. One that is started again
under GPUs that were not reset leaves the groups of NVLink SHARP stale (NVIDIA/nccl#1488, #1562: NVLS fails, all else
works), and what is stale is so until every GPU that answers has been reset under a running fabric manager. A GPU
for which the fabric manager has no place registers all the same, with the status Insufficient Resources and no routes
(Azure/azhpc-images#506: state Completed, so nothing looks wrong); a new start of the fabric manager makes room, and the
GPU gets its place with its next reset (both guesses).
"""

from __future__ import annotations

from engine.control import service_state
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.physics.load import bound_gpus
from engine.world.events import GpuReset, ModuleChanged, NodeStopping, NvLinksChanged, ServiceChanged
from engine.world.records import BusState, NvFabricState
from engine.world.world import World

FABRIC_MANAGER = "nvidia-fabricmanager.service"


def registered(world: World, node: str) -> bool:
    """Whether the fabric manager has programmed the routes of a node's GPUs."""
    service = service_state.service(world, node, FABRIC_MANAGER)
    has_run = bool(service.pid)
    return service.active or (has_run and not service.failed)


def make_stale(simulation: Simulation[World], node: str) -> None:
    """The partition that the switches route by is no longer the one that the GPUs belong to."""
    simulation.world.nvlink_fabric.update(node, peer_access=False, reset=())
    simulation.publish(NvLinksChanged(node))


def refuse(simulation: Simulation[World], gpu_id: str) -> None:
    """The fabric manager has no place for a GPU."""
    world, node = simulation.world, gpu_id.partition("/")[0]
    refused = tuple(sorted({*world.nvlink_fabric[node].refused, gpu_id}))
    world.nvlink_fabric.update(node, refused=refused, room=False)
    simulation.publish(NvLinksChanged(node))


def refused(world: World, gpu_id: str) -> bool:
    """Whether a GPU is registered without a place in the fabric."""
    return gpu_id in world.nvlink_fabric[gpu_id.partition("/")[0]].refused


def _gpu_reset(simulation: Simulation[World], event: GpuReset) -> None:
    """A GPU registers anew; when all have, nothing is stale any more."""
    world, node = simulation.world, event.gpu.partition("/")[0]
    state = world.nvlink_fabric[node]
    if event.gpu in state.refused and state.room and registered(world, node):
        kept = tuple(each for each in state.refused if each != event.gpu)
        world.nvlink_fabric.update(node, refused=kept)
        simulation.publish(NvLinksChanged(node))
    if state.peer_access and state.multicast:
        return
    done = {*state.reset, event.gpu}
    answering = {gpu.id for gpu in bound_gpus(world, node) if world.gpus[gpu.id].bus is BusState.PRESENT}
    if answering <= done and registered(world, node):
        world.nvlink_fabric.update(node, peer_access=True, multicast=True, reset=())
        simulation.publish(NvLinksChanged(node))
    else:
        world.nvlink_fabric.update(node, reset=tuple(sorted(done)))


def _service_changed(simulation: Simulation[World], event: ServiceChanged) -> None:
    """The fabric manager came up: for the first time, or over routes and groups that are there already."""
    world = simulation.world
    if event.unit != FABRIC_MANAGER or not event.active or not world.node(event.host).nvswitches:
        return
    if world.nvlink_fabric[event.host].programmed:
        world.nvlink_fabric.update(event.host, multicast=False, reset=(), room=True)
    else:
        world.nvlink_fabric.forget(event.host)
    simulation.publish(NvLinksChanged(event.host))


def _switches_reset(simulation: Simulation[World], event: NodeStopping | ModuleChanged) -> None:
    """The node goes down, or its driver is unloaded: the switches forget what they were told."""
    host = event.node if isinstance(event, NodeStopping) else event.host
    if isinstance(event, ModuleChanged) and (event.module != "nvidia" or event.loaded):
        return
    if simulation.world.node(host).nvswitches:
        simulation.world.nvlink_fabric[host] = NvFabricState(programmed=False)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (GpuReset, _gpu_reset),
    (ServiceChanged, _service_changed),
    (NodeStopping, _switches_reset),
    (ModuleChanged, _switches_reset),
)
