"""What ranks print when their run ends by itself: the watchdog of PyTorch's process group, NCCL's error, CUDA's.

Forms and line numbers of ProcessGroupNCCL.cpp are those of PyTorch 2.5.1 (XPixelGroup/BasicSR issue 737 shows 616 and
1785; the others are recalled, 542 is a guess); stack frames are left out. NCCL's line is that of NCCL 2.28's
src/transport/net_ib.cc, its number a guess. What a lost GPU shows (`unspecified launch failure`) is a guess among the
errors that people report with Xid 79. srun's lines: SchedMD/slurm src/srun/libsrun and src/api/step_launch.c.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.control.slurm import jobs, script
from engine.control.slurm.times import timestamp
from engine.kernel.calendar import local
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.units import MILLISECOND, SECOND
from engine.workloads.cuda import LAUNCH_FAILED, NOT_READY, cuda_error
from engine.workloads.training import model, progress
from engine.world.records import Job, TrainingEnding, TrainingRun
from engine.world.world import World

_GROUP = "PG ID 0 PG GUID 0(default_pg) Rank"
_FAILED = (
    "Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU "
    "operations might run on corrupted/incomplete data."
)
_DOWN = "To avoid data inconsistency, we are taking the entire process down."
_CUDA = (
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be "
    "incorrect.",
    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
)
_LOUD = ("WARN", "INFO", "ABORT", "TRACE")
_REMOTE = "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely."
_AFTER = {616: 0, 542: 0, 1785: 2_600_000, 1834: 2_700_000, 630: 2_800_000, 636: 2_900_000, 1595: 3_400_000}
"""ns between the first line of a rank and each further one."""
_SCATTER = 90_000
_PROXY_THREAD = 311  # from a process to its proxy thread, by id
_QUEUED = 2  # collectives that ranks enqueue beyond the one that hangs
_LAYER_COLLECTIVES = 3  # of a layer and step where parameters are spread: two gathers, one scatter


@dataclass(frozen=True, slots=True)
class _Work:
    """The collective that did not end: number, kind, elements in and out of each rank."""

    number: int
    kind: str
    elements_in: int
    elements_out: int


@dataclass(frozen=True, slots=True)
class _Voice:
    """A rank that tells something at a time."""

    world: World
    rank: int
    time: int

    def says(self, line: int, text: str) -> str:
        """A line of PyTorch's C++ log."""
        inventory = self.world.inventory
        moment = inventory.start + self.time + _AFTER[line]
        moment += hash64(self.world.seed, "log", self.rank, self.time, line) % _SCATTER
        when = local(inventory.timezone, moment)
        stamp = f"{when.month}{when.day:02d} {when:%H:%M:%S}.{moment % SECOND:09d}"
        return f"[rank{self.rank}]:[E{stamp} ProcessGroupNCCL.cpp:{line}] {text}"

    def nccl(self, run: TrainingRun, pid: int) -> str:
        """The head of a line of NCCL's proxy thread."""
        inventory = self.world.inventory
        when = local(inventory.timezone, inventory.start + self.time)
        host, device = run.nodes[self.rank // run.gpus], self.rank % run.gpus
        return f"[{when:%Y-%m-%d %H:%M:%S}] {host}:{pid}:{pid + _PROXY_THREAD} [{device}]"


def lines(world: World, job: Job, run: TrainingRun) -> list[str]:
    """Everything that is printed about the end of a run; nothing where it did not end by itself."""
    ending = run.ending
    if ending is None:
        return []
    by_cause = {
        "watchdog": _watchdog,
        "network": _network,
        "gpu_lost": _gpu_error,
        "gpu_error": _gpu_error,
        "collective": _collective,
        "cuda": _cuda_refuses,
    }
    told = by_cause[ending.cause](world, job, run, ending) if ending.cause in by_cause else iter(())
    return [*told, *_launcher(world, job, run, ending)]


def _watchdog(world: World, job: Job, run: TrainingRun, ending: TrainingEnding) -> Iterator[str]:
    """Every rank that waited tells the same collective; those that did not come to it tell nothing."""
    work = _work(run, ending.time)
    limit = run.configuration.watchdog // MILLISECOND
    for rank in range(run.ranks):
        if rank in ending.ranks:
            continue
        late = hash64(world.seed, "watchdog", job.id, rank) % 100
        error = f"[Rank {rank}] Watchdog caught collective operation timeout: {_named(work, limit)} ran for "
        error += f"{limit + late} milliseconds before timing out."
        teller = _Voice(world, rank, ending.time + late * MILLISECOND)
        yield teller.says(616, error)
        yield from _aborts(teller, work, [error], timeout=True)


def _aborts(teller: _Voice, work: _Work, error: list[str], *, timeout: bool) -> Iterator[str]:
    """A rank's process group takes the process down."""
    state = f"last enqueued NCCL work: {work.number + _QUEUED}, last completed NCCL work: {work.number - 1}."
    group = f"[{_GROUP} {teller.rank}]"
    seen = "Exception (either an error or timeout) detected by watchdog at work:"
    yield teller.says(1785, f"{group} {seen} {work.number}, {state}")
    if timeout:
        yield teller.says(1834, f"{group} Timeout at NCCL work: {work.number}, {state}")
    yield teller.says(630, f"[Rank {teller.rank}] {_FAILED}")
    yield teller.says(636, f"[Rank {teller.rank}] {_DOWN}")
    yield from _terminates(teller, error)


def _terminates(teller: _Voice, error: list[str]) -> Iterator[str]:
    head = f"[{_GROUP} {teller.rank}] Process group watchdog thread terminated with exception: {error[0]}"
    yield teller.says(1595, head)
    yield from error[1:]
    yield ""
    yield "terminate called after throwing an instance of 'c10::DistBackendError'"
    yield f"  what():  {head}"
    yield from error[1:]
    yield ""


def _network(world: World, job: Job, run: TrainingRun, ending: TrainingEnding) -> Iterator[str]:
    """Both peers of each connection that broke get an error; the launcher ends the others."""
    work = _work(run, ending.time)
    limit = run.configuration.watchdog // MILLISECOND
    loud = dict(script.exports(job.script)).get("NCCL_DEBUG", "").upper() in _LOUD
    pids = dict(zip(ending.ranks, ending.pids, strict=False))
    for rank, peer, device, way in _connections(ending):
        address, number = _address(world, run, peer), 32_768 + hash64(world.seed, "port", job.id, peer) % 28_000
        completion = f"NET/IB: Got completion from peer {address}<{number}> with status=12 opcode=0 len=0 "
        completion += f"vendor err 129 ({way}) hca {device}"
        version = world.inventory.software.get("nccl", "")
        error = [
            f"NCCL error: remote process exited or there was a network error, NCCL version {version}",
            _REMOTE,
            "Last error:",
            completion,
        ]
        teller = _Voice(world, rank, ending.time + hash64(world.seed, "peer", job.id, rank) % (40 * MILLISECOND))
        if loud:
            yield ""
            yield f"{teller.nccl(run, pids.get(rank, 0))} transport/net_ib.cc:2317 NCCL WARN {completion}"
        raised = f"[Rank {rank}] Collective {_named(work, limit)} raised the following async exception: {error[0]}"
        yield teller.says(542, raised)
        yield from error[1:]
        yield from _aborts(teller, work, error, timeout=False)


def _connections(ending: TrainingEnding) -> Iterator[tuple[int, int, str, str]]:
    """(rank, its peer, device, way) of each end of each broken connection."""
    for index, port in enumerate(ending.ports):
        first, second = ending.ranks[2 * index : 2 * index + 2]
        device = port.split("/")[1]
        yield first, second, device, "Send"
        yield second, first, device, "Recv"


def _collective(world: World, job: Job, run: TrainingRun, ending: TrainingEnding) -> Iterator[str]:
    """No communicator could be made, or the first collective failed: NCCL's own lines, and what PyTorch says in each
    rank that got the error.
    """
    work, limit = _work(run, ending.time), run.configuration.watchdog // MILLISECOND
    version = world.inventory.software.get("nccl", "")
    where = "../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:317"
    for rank, told in enumerate(run.messages):
        yield from told
        if run.asynchronous and run.error and rank in ending.ranks:
            teller = _Voice(world, rank, ending.time + hash64(world.seed, "peer", job.id, rank) % (40 * MILLISECOND))
            error = [f"NCCL error: {run.error}, NCCL version {version}"]
            raised = f"[Rank {rank}] Collective {_named(work, limit)} raised the following async exception: {error[0]}"
            yield teller.says(542, raised)
            yield from _aborts(teller, work, error, timeout=False)
        elif run.error and rank in ending.ranks:
            head = "torch.distributed.DistBackendError: NCCL error in"
            yield f"[rank{rank}]: {head}: {where}, {run.error}, NCCL version {version}"


def _gpu_error(world: World, job: Job, run: TrainingRun, ending: TrainingEnding) -> Iterator[str]:
    """The ranks whose GPU is gone find that their last kernel failed, those whose GPU met an error what it was."""
    del run
    told = (f"CUDA error: {cuda_error(ending.cuda_error or LAUNCH_FAILED).text}", *_CUDA)
    for rank in ending.ranks:
        teller = _Voice(world, rank, ending.time + hash64(world.seed, "lost", job.id, rank) % (30 * MILLISECOND))
        yield from _terminates(teller, list(told))


def _cuda_refuses(world: World, job: Job, run: TrainingRun, ending: TrainingEnding) -> Iterator[str]:
    """Ranks that got an error from CUDA as they started: PyTorch raises an exception in each."""
    del world, job, run
    error = cuda_error(ending.cuda_error)
    for rank in ending.ranks:
        if error.code == NOT_READY:
            text = "Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling "
            text += "NumCudaDevices() that might have already set an error? "
            yield f"[rank{rank}]: RuntimeError: {text}Error {error.code}: {error.text}"
        else:
            yield f"[rank{rank}]: RuntimeError: CUDA error: {error.text}"
            yield from (f"[rank{rank}]: {line}" for line in _CUDA)


_ABORTED, _EXCEPTION = "Aborted (core dumped)", "Exited with exit code 1"


def _launcher(world: World, job: Job, run: TrainingRun, ending: TrainingEnding) -> Iterator[str]:
    """srun tells which tasks died of what, and ends the rest. A task of torchrun's is a whole node."""
    raised = ending.cause == "cuda" or (ending.cause == "collective" and not run.asynchronous)
    died, ended = "Killed" if ending.cause == "killed" else _EXCEPTION if raised else _ABORTED, "Terminated"
    waited = [rank for rank in range(run.ranks) if rank not in ending.ranks]
    told = waited if ending.cause == "watchdog" else sorted({*ending.ranks})
    others = [rank for rank in range(run.ranks) if rank not in told]
    by_node = script.is_launched_by(job.script, "torchrun")
    if by_node:
        died = _EXCEPTION
        told = sorted({rank // run.gpus * run.gpus for rank in told})
        others = [rank for rank in range(0, run.ranks, run.gpus) if rank not in told]
    elif ending.cause == "watchdog":
        ended = "Killed"
    first = [rank for rank in told if rank // run.gpus == told[0] // run.gpus]
    yield from _exits(run, first, died, by_node=by_node)
    yield f"srun: Terminating StepId={job.id}.0"
    host = run.nodes[0]
    yield f"slurmstepd: error: *** STEP {job.id}.0 ON {host} CANCELLED AT {timestamp(world.inventory, ending.time)} ***"
    yield from _exits(run, told[len(first) :], died, by_node=by_node)
    yield from _exits(run, others, ended, by_node=by_node)


def _exits(run: TrainingRun, ranks: Iterable[int], how: str, *, by_node: bool) -> Iterator[str]:
    """srun's line for the tasks of each node."""
    nodes: dict[int, list[int]] = {}
    for rank in ranks:
        nodes.setdefault(rank // run.gpus, []).append(rank // run.gpus if by_node else rank)
    for node, tasks in nodes.items():
        word = "tasks" if len(tasks) > 1 else "task"
        yield f"srun: error: {run.nodes[node]}: {word} {jobs.ranges(tasks)}: {how}"


def _work(run: TrainingRun, time: int) -> _Work:
    """The collective in which ranks were."""
    configuration, done = run.configuration, progress.steps_done(run, time) - run.first_step
    if configuration.sharded:
        layer = configuration.parameters // configuration.layers
        each = configuration.layers * _LAYER_COLLECTIVES * configuration.microbatches + 1
        return _Work(done * each + each // 2, "_ALLGATHER_BASE", layer // run.ranks, layer // run.ranks * run.ranks)
    shard = model.exchange_bytes(configuration) // 2 // configuration.tensor_parallel
    each = 2 + configuration.microbatches * (configuration.tensor_parallel > 1)
    return _Work(done * each + each, "ALLREDUCE", shard, shard)


def _named(work: _Work, limit: int) -> str:
    return (
        f"WorkNCCL(SeqNum={work.number}, OpType={work.kind}, NumelIn={work.elements_in}, "
        f"NumelOut={work.elements_out}, Timeout(ms)={limit})"
    )


def _address(world: World, run: TrainingRun, rank: int) -> str:
    """The address by which NCCL names a peer: that of its node on the in-band network."""
    addresses = world.inventory.addresses(run.nodes[rank // run.gpus])
    return addresses.get("inband", next(iter(addresses.values()), "")).partition("/")[0]
