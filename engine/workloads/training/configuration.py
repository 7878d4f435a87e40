"""What a script trains, and how it is spread over the GPUs that it got.

Parameters are those of Megatron-LM's arguments (`--num-layers`, `--hidden-size`, `--seq-length`,
`--tensor-model-parallel-size`, `--pipeline-model-parallel-size`, `--micro-batch-size`, `--global-batch-size`,
`--save-interval`, `--log-interval`, `--num-layers-per-virtual-pipeline-stage`, `--distributed-timeout-minutes`) with a
few spellings of other frameworks, and DeepSpeed's DEEPSPEED_TIMEOUT (minutes). What a script does not say follows from
the number of its GPUs: a model of a size that people train on so many, spread as they do it (guesses). Parameters of a
model: 12 L h^2 for its layers, and an embedding of 64,000 words on both ends.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.control.slurm import script
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.units import MINUTE
from engine.world.records import TrainingConfiguration

_VOCABULARY = 64_000
_MINUTES_VARIABLE = "DEEPSPEED_TIMEOUT"


@dataclass(frozen=True, slots=True)
class _Usual:
    """What is usual on up to `gpus` GPUs."""

    gpus: int
    layers: int
    hidden: int
    sequence: int
    micro_batch: int
    microbatches: int
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    interleave: int = 1


_USUAL = (
    _Usual(4, 24, 2048, 4096, 4, 2),
    _Usual(16, 32, 4096, 4096, 2, 2),
    _Usual(64, 40, 5120, 4096, 2, 1),
    _Usual(1 << 30, 80, 8192, 8192, 1, 32, 8, 4, 5),
)

# Our field -> long options that give it, the first one that is there counts.
_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "layers": ("num-layers", "n-layers"),
    "hidden": ("hidden-size", "hidden-dim"),
    "sequence": ("seq-length", "sequence-length", "max-seq-length", "cutoff-len"),
    "tensor_parallel": ("tensor-model-parallel-size", "tensor-parallel-size", "tp"),
    "pipeline_parallel": ("pipeline-model-parallel-size", "pipeline-parallel-size", "pp"),
    "micro_batch": ("micro-batch-size", "per-device-train-batch-size"),
    "microbatches": ("gradient-accumulation-steps",),
    "checkpoint_interval": ("save-interval", "save-steps", "checkpoint-interval"),
    "log_interval": ("log-interval", "logging-steps"),
}
_GLOBAL_BATCH = "global-batch-size"
_CHUNK_LAYERS = "num-layers-per-virtual-pipeline-stage"
_SHARDED = ("fsdp", "use-torch-fsdp2", "use-fsdp", "zero-stage", "deepspeed")
_TIMEOUT_MINUTES = "distributed-timeout-minutes"


def from_script(text: str, ranks: int, gpus_per_node: int) -> TrainingConfiguration:
    """What a batch script trains on `ranks` GPUs, `gpus_per_node` on each node. Numbers that do not fit are made to."""
    given = script.options(text)
    usual = next(each for each in _USUAL if ranks <= each.gpus)
    said = {field: value for field in _OPTIONS if (value := _number(given, _OPTIONS[field])) is not None}
    layers, hidden = said.get("layers", usual.layers), said.get("hidden", usual.hidden)
    tensor, pipeline = _parallel(said, usual, ranks, gpus_per_node, layers)
    copies = max(1, ranks // (tensor * pipeline))
    micro = said.get("micro_batch", usual.micro_batch)
    count = said.get("microbatches", _fitting(usual, pipeline))
    if (batch := _number(given, (_GLOBAL_BATCH,))) is not None:
        count = max(1, batch // (copies * micro))
    return TrainingConfiguration(
        parameters=parameters(layers, hidden),
        layers=layers,
        hidden=hidden,
        sequence=said.get("sequence", usual.sequence),
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        interleave=_interleave(given, usual, layers, pipeline),
        micro_batch=micro,
        microbatches=count,
        sharded=_sharded(given, tensor, pipeline),
        checkpoint_interval=said.get("checkpoint_interval", 500),
        log_interval=max(1, said.get("log_interval", 10)),
        watchdog=_watchdog(given, dict(script.exports(text))),
    )


def parameters(layers: int, hidden: int) -> int:
    """Parameters of a dense transformer."""
    return 12 * layers * hidden * hidden + 2 * _VOCABULARY * hidden


def _parallel(said: Mapping[str, int], usual: _Usual, ranks: int, gpus: int, layers: int) -> tuple[int, int]:
    """Sizes of tensor and pipeline parallel groups that divide the ranks: the largest that are not above what was
    asked for.
    """
    tensor = _divisor(min(said.get("tensor_parallel", usual.tensor_parallel), gpus), gpus)
    wanted = min(said.get("pipeline_parallel", usual.pipeline_parallel), layers)
    return tensor, _divisor(wanted, ranks // tensor)


def _divisor(wanted: int, of: int) -> int:
    return next(size for size in range(max(1, min(wanted, of)), 0, -1) if of % size == 0)


def _fitting(usual: _Usual, pipeline: int) -> int:
    return max(usual.microbatches, pipeline)


def _interleave(given: Mapping[str, str], usual: _Usual, layers: int, pipeline: int) -> int:
    """Pipeline chunks on each GPU."""
    if pipeline == 1:
        return 1
    chunk = _number(given, (_CHUNK_LAYERS,))
    return max(1, layers // pipeline // chunk) if chunk else usual.interleave


def _sharded(given: Mapping[str, str], tensor: int, pipeline: int) -> bool:
    """Whether parameters are spread over the replicas: said, or usual where there is no other parallelism."""
    return any(name in given for name in _SHARDED) or (tensor == 1 and pipeline == 1)


def _watchdog(given: Mapping[str, str], exported: Mapping[str, str]) -> int:
    """After how long a collective counts as hung: torch.distributed's ten minutes unless the script says otherwise."""
    minutes = _number(given, (_TIMEOUT_MINUTES,)) or _number(exported, (_MINUTES_VARIABLE,))
    return (minutes or 10) * MINUTE


def _number(given: Mapping[str, str], names: tuple[str, ...]) -> int | None:
    """The first of some options that has a positive number."""
    found = (given[name] for name in names if name in given)
    return next((int(value) for value in found if value.isdecimal() and 0 < int(value) < 10**9), None)
