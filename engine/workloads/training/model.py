"""The time of a training step: the slowest rank's computing, and what of communication nothing hides.

A replica of the model lies on `tensor_parallel` x `pipeline_parallel` GPUs; a tensor parallel group moves together, the
slowest stage of a pipeline paces it, the slowest replica paces the step. Ranks are numbered tensor parallel first, then
data parallel, then pipeline (Megatron's order).

Floating point operations of a token: 6 P + 6 L h s (dense layers and causal attention). Fitted: what whole layers reach
of the best matrix product, 0.615, and the part of computing that follows the SM clock, 0.80, to the Llama 3 report (430
TFLOP/s per GPU of a 405B model on 8,192 H100, 400 on 16,384). Guesses: four tenths of the tensor parallel traffic
hide under computing, and up to 85 % of what replicas exchange; the optimizer moves 16 bytes for each parameter.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.kernel.quick_dataclass import dataclass
from engine.physics.paths.figures import GpuFigures
from engine.world.records import TrainingConfiguration

PPM = 1_000_000
_TERA = 1e12
_GIGA = 1e9
_LAYER_SHARE = 0.615
_TENSOR_EXPOSED = 0.6
_TENSOR_REDUCTIONS = 4  # of a layer and microbatch: two forward, two backward
_OVERLAP = 0.85
_BACKWARD = 2 / 3
_OPTIMIZER_BYTES = 16
_OPTIMIZER_MEMORY_SHARE = 0.7
_BYTES = 2  # of a number in bfloat16
CHECKPOINT_BYTES = 14
"""Of each parameter: bfloat16, a 32 bit master and two moments of Adam as frameworks save them."""


@dataclass(frozen=True, slots=True)
class Step:
    """Seconds of a step and of its parts: what a healthy rank computes, and what all ranks do together."""

    seconds: float
    compute: float
    common: float


def operations_per_token(configuration: TrainingConfiguration) -> int:
    """Floating point operations, forward and backward."""
    attention = configuration.layers * configuration.hidden * configuration.sequence
    return 6 * configuration.parameters + 6 * attention


def replicas(configuration: TrainingConfiguration, ranks: int) -> int:
    """Copies of the model that work on different data."""
    return max(1, ranks // (configuration.tensor_parallel * configuration.pipeline_parallel))


def tokens_per_step(configuration: TrainingConfiguration, ranks: int) -> int:
    """Tokens that all replicas take in one step."""
    sequences = configuration.micro_batch * configuration.microbatches * replicas(configuration, ranks)
    return configuration.sequence * sequences


def tensor_bytes(configuration: TrainingConfiguration) -> int:
    """Size of one all-reduce within a tensor parallel group: the activations of a microbatch."""
    return configuration.sequence * configuration.micro_batch * configuration.hidden * _BYTES


def exchange_bytes(configuration: TrainingConfiguration) -> int:
    """Size of the gradients that a node's GPUs exchange with other replicas: the rings of a tensor parallel group share
    the node's adapters and move like one.
    """
    return configuration.parameters * _BYTES // configuration.pipeline_parallel


def microbatch(configuration: TrainingConfiguration, figures: GpuFigures) -> float:
    """Seconds that a healthy rank computes for one microbatch."""
    split = configuration.tensor_parallel * configuration.pipeline_parallel
    work = operations_per_token(configuration) * configuration.sequence * configuration.micro_batch / split
    return work / (figures.bf16 * figures.bf16_share * _LAYER_SHARE * _TERA)


def slowness(configuration: TrainingConfiguration, clock: float, memory: float) -> int:
    """How long a rank computes, in ppm of a healthy one, with its SM clock and the bandwidth of its memory as parts of
    what they should be.
    """
    bound = configuration.clock_bound / 1000
    return round(PPM * (bound / clock + (1 - bound) / memory))


def step(
    configuration: TrainingConfiguration,
    figures: GpuFigures,
    ranks: int,
    slow: Mapping[int, int],
    tensor: float,
    exchange: float,
) -> Step:
    """The step of `ranks` ranks, of which those in `slow` compute longer (ppm of a healthy one).

    `tensor` is the time of one all-reduce within a group, `exchange` of what replicas exchange in a step, in seconds.
    """
    base = microbatch(configuration, figures)
    count = configuration.microbatches
    together = tensor * _TENSOR_REDUCTIONS * configuration.layers / configuration.pipeline_parallel * _TENSOR_EXPOSED
    pipe = _pipeline(configuration, ranks, slow, base, together)
    window = _OVERLAP * pipe if configuration.sharded else _OVERLAP * _BACKWARD * pipe / max(1, count)
    exposed = max(exchange * (1 - _OVERLAP), exchange - window)
    common = exposed + _optimizer(configuration, figures, ranks)
    return Step(pipe + common, base * count, common)


def _pipeline(
    configuration: TrainingConfiguration, ranks: int, slow: Mapping[int, int], base: float, together: float
) -> float:
    """Seconds of the slowest replica: its slowest stage paces all microbatches, each other stage fills and drains."""
    stages, count = configuration.pipeline_parallel, configuration.microbatches
    copies = replicas(configuration, ranks)
    healthy = base + together
    slowest: dict[tuple[int, int], int] = {}
    for rank, ppm in slow.items():
        group = rank // configuration.tensor_parallel
        place = (group % copies, group // copies)
        slowest[place] = max(slowest.get(place, PPM), ppm)
    longest = count * healthy + (stages - 1) * healthy / configuration.interleave
    for replica in {copy for copy, _ in slowest}:
        times = [base * slowest.get((replica, stage), PPM) / PPM + together for stage in range(stages)]
        worst = max(times)
        longest = max(longest, count * worst + (sum(times) - worst) / configuration.interleave)
    return longest


def _optimizer(configuration: TrainingConfiguration, figures: GpuFigures, ranks: int) -> float:
    """Seconds in which the optimizer goes through memory."""
    split = configuration.tensor_parallel * configuration.pipeline_parallel
    if configuration.sharded:
        split *= replicas(configuration, ranks)
    rate = figures.memory_bandwidth * _OPTIMIZER_MEMORY_SHARE * _GIGA
    return _OPTIMIZER_BYTES * configuration.parameters / split / rate


def flops_per_gpu(configuration: TrainingConfiguration, ranks: int, seconds: float) -> float:
    """TFLOP/s that each GPU delivers, counted by the model's operations."""
    work = operations_per_token(configuration) * tokens_per_step(configuration, ranks)
    return work / seconds / ranks / _TERA


def checkpoint_seconds(configuration: TrainingConfiguration, nodes: int, client: float, storage: float) -> float:
    """Seconds that saving a checkpoint takes, where a node can write `client` and the storage takes `storage` GB/s."""
    size = configuration.parameters * CHECKPOINT_BYTES / _GIGA
    return size / min(nodes * client, storage)
