"""Training jobs: what is trained and how, and how far a run has come, kept as regimes between changes of its pace."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass

UNIT = 1_000_000_000
"""Parts of a step in which positions are counted."""


@dataclass(frozen=True, slots=True)
class TrainingConfiguration:
    """What a job trains, and how it is spread over its GPUs.

    `parameters`, `layers`, `hidden` and `sequence` are the model's; a step takes `microbatches` times `micro_batch`
    sequences on each replica of `tensor_parallel` x `pipeline_parallel` GPUs. `interleave` is the number of pipeline
    chunks on each of them, `sharded` says that parameters are spread over the replicas (ZeRO-3, FSDP). A checkpoint is
    saved every `checkpoint_interval` steps (0: never) and a line logged every `log_interval`. `clock_bound` is the part
    of computing that follows the SM clock (permille), `watchdog` how long a collective may take (ns).
    """

    parameters: int
    layers: int
    hidden: int
    sequence: int
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    interleave: int = 1
    micro_batch: int = 1
    microbatches: int = 1
    sharded: bool = False
    checkpoint_interval: int = 500
    log_interval: int = 10
    clock_bound: int = 800
    watchdog: int = 600_000_000_000


@dataclass(frozen=True, slots=True)
class TrainingStall:
    """Why a run makes no progress.

    `cause` is `rank` (those named are stopped, or their GPU hangs), `network` (the ports named have no link or no way),
    `node` (a node's system is down), `collective` (NCCL made no communicator) or `cuda` (the ranks named got the error
    of number `cuda_error` from CUDA as they started).
    """

    cause: str
    ranks: tuple[int, ...] = ()
    ports: tuple[str, ...] = ()
    cuda_error: int = 0


@dataclass(frozen=True, slots=True)
class TrainingRegime:
    """The pace of a run since a moment (ns).

    `position` is where it then stood: each step counts UNIT, and so does each checkpoint. A step takes `step` ns (None:
    it stands still, see `stall`), saving a checkpoint `saving` ns. Of a step a healthy rank computes `compute` ns and
    spends `common` ns in what all do together; `slow` gives for other ranks how long they compute, in ppm of that.
    `tensor` and `exchange` are the ns of one all-reduce within a tensor parallel group, and of the exchange of
    gradients and parameters between replicas.
    """

    since: int
    position: int = 0
    step: int | None = None
    saving: int = 0
    compute: int = 0
    common: int = 0
    slow: tuple[tuple[int, int], ...] = ()
    tensor: int = 0
    exchange: int = 0
    stall: TrainingStall | None = None


@dataclass(frozen=True, slots=True)
class TrainingEnding:
    """How a run ended by itself: `cause` is watchdog, network, collective, gpu_lost, gpu_error, cuda or
    killed.

    `ranks` are those that it came from (`network`: pairs that lost each other, one after the other, by `ports`), `pids`
    the processes of those, `cuda_error` the number of the error that CUDA gave them (0: none).
    """

    time: int
    cause: str
    ranks: tuple[int, ...] = ()
    ports: tuple[str, ...] = ()
    pids: tuple[int, ...] = ()
    cuda_error: int = 0


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """One run of a training job, by the job's number.

    `nodes` hold `gpus` ranks each, in order. It began at `first_step`, which a checkpoint had kept, and is to reach
    `last_step`. `ports` are those that its collectives use. `messages` are the lines that each rank's NCCL printed when
    it made the communicator; where none could be made, `error` is what some ranks got after `patience` ns, in their
    first collective if `asynchronous`. `ended` is None while it runs.
    """

    configuration: TrainingConfiguration
    started: int
    nodes: tuple[str, ...]
    gpus: int
    first_step: int = 0
    last_step: int = 0
    regimes: tuple[TrainingRegime, ...] = ()
    ports: tuple[str, ...] = ()
    messages: tuple[tuple[str, ...], ...] = ()
    error: str = ""
    patience: int = 0
    asynchronous: bool = False
    ended: int | None = None
    ending: TrainingEnding | None = None

    @property
    def ranks(self) -> int:
        """How many ranks take part."""
        return len(self.nodes) * self.gpus


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The last checkpoint below a job's directory: the step that it keeps, and when it was complete."""

    step: int = 0
    saved: int = 0
