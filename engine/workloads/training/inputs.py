"""What the step of a run depends on, read from the world: its ranks, how fast each is, what keeps one from working, and
what storage takes.

A rank is slow when its SM clock or the bandwidth of its GPU's memory is below what the product has under this work. It
does not work at all while its process is stopped or its GPU hangs. Storage is a constant of the site: what NFS from one
server takes, or a parallel file system (guesses, GB/s).
"""

from __future__ import annotations

from engine.control import processes
from engine.kernel.quick_dataclass import dataclass
from engine.physics import thermal
from engine.physics.load import bound_gpus
from engine.physics.paths.figures import gpu_figures
from engine.workloads import cuda
from engine.workloads.training import model
from engine.world.records import BootPhase, Process, TrainingConfiguration, TrainingRun
from engine.world.world import World

_STOPPED = "T"
_CLIENT, _ONE_SERVER, _PARALLEL = 10.0, 12.0, 40.0


@dataclass(frozen=True, slots=True)
class Place:
    """A rank's GPU (`dgx-02/gpu5`) and process."""

    gpu: str
    process: Process


def places(world: World, job: int, host: str) -> list[Place]:
    """The ranks of a job on a host, in order."""
    bound = bound_gpus(world, host)
    ranks = sorted((each.gpus[0], each) for each in processes.of_job(world, host, job) if each.gpus)
    return [Place(bound[index].id, process) for index, process in ranks if index < len(bound)]


def slow_ranks(
    world: World, configuration: TrainingConfiguration, first: int, ranks: list[Place]
) -> tuple[tuple[int, int], ...]:
    """Ranks that compute longer than healthy ones, in ppm; `first` is the number of the first of `ranks`."""
    found = []
    for number, place in enumerate(ranks, first):
        ppm = _slowness(world, configuration, place.gpu)
        if ppm != model.PPM:
            found.append((number, ppm))
    return tuple(found)


def _slowness(world: World, configuration: TrainingConfiguration, gpu_id: str) -> int:
    product = world.inventory.gpu(gpu_id).product
    clock, memory = thermal.regime(world, gpu_id).sm_clock, world.gpus[gpu_id].memory_permille
    if clock >= product.clock_graphics_max and memory == 1000:
        return model.PPM
    return model.slowness(configuration, max(clock, 1) / product.clock_graphics_max, max(memory, 1) / 1000)


def idle_ranks(world: World, first: int, count: int, ranks: list[Place]) -> tuple[int, ...]:
    """Those of `count` ranks from number `first` that reach no collective: their process is stopped or gone, or their
    GPU hangs. Where some are gone, the last numbers are taken for theirs.
    """
    found = [
        number
        for number, place in enumerate(ranks, first)
        if place.process.state.startswith(_STOPPED) or world.gpus[place.gpu].hung
    ]
    return (*found, *range(first + len(ranks), first + count))


def refused(world: World, host: str, first: int, ranks: list[Place]) -> list[tuple[int, int]]:
    """(rank, CUDA's error) of those that cannot start: NVSwitches that nobody has programmed, a GPU that has to be
    reset first, or whose firmware does not answer.
    """
    found = []
    for number, place in enumerate(ranks, first):
        try:
            cuda.ask_fabric(world, host)
            cuda.make_context(world, world.inventory.gpu(place.gpu), place.process.pid)
        except cuda.CudaError as error:
            found.append((number, error.code))
    return found


def is_up(world: World, host: str) -> bool:
    """Whether the system of a host runs."""
    return world.nodes[host].phase is BootPhase.RUNNING


def checkpoint_time(world: World, configuration: TrainingConfiguration, nodes: int) -> float:
    """Seconds that saving a checkpoint holds the run up."""
    storage = _PARALLEL if "lustre" in world.inventory.software else _ONE_SERVER
    return model.checkpoint_seconds(configuration, nodes, _CLIENT, storage)


def step(
    world: World, run: TrainingRun, slow: tuple[tuple[int, int], ...], tensor: float, exchange: float
) -> model.Step:
    """The step of a run with these slow ranks; `tensor` and `exchange` in seconds as for model.step."""
    product = world.node(run.nodes[0]).gpus[0].product.name
    return model.step(run.configuration, gpu_figures(product), run.ranks, dict(slow), tensor, exchange)
