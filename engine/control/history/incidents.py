"""Kernel messages between a boot and the site's start that mean nothing bad: users' programs that crashed on a GPU, a
port that flapped once.

A program that computes nonsense gives Xid 13 lines and, when its channel is torn down, Xid 43 with its name: the GPU is
well. Each is a job that the accounting has as FAILED some seconds later; which of the failed jobs crashed on a GPU is
drawn (a guess: most). Text from captures of H100 and A100 systems; the two lines with UUID and board serial come once
per GPU and loading of the driver.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.control.history.past import PastBoot, past_boots
from engine.control.process_ids import pid_at
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import Stream
from engine.kernel.units import DAY, HOUR, MICROSECOND, MINUTE, SECOND
from engine.world.inventory import Gpu
from engine.world.records import Job, LogEntry, Priority
from engine.world.world import World

_EXCEPTIONS = (
    ("Out Of Range Address", "0x11f000e", "0x1174"),
    ("Illegal Instruction Parameter", "0xc04000b", "0x1174"),
)
_CHANCE_OF_CRASH = (3, 4)
_CHANCE_OF_FLAP = (1, 4)
_WITHOUT_UNKNOWN_PROCESS = 570  # the branch of the driver from which an Xid without a process names none
_QUIET = 6 * HOUR  # before the site's start nothing of this happened
_PERF = ((2_514, 2_500, 79_250), (3_156, 3_142, 63_250), (3_952, 3_945, 50_500))


@dataclass(frozen=True, slots=True)
class Crash:
    """A program of a job that crashed on a GPU: the kernel wrote of it from `time` on, the job ended seconds later."""

    gpu: Gpu
    job: Job
    time: int
    pid: int
    name: str


def incidents(world: World, host: str) -> tuple[LogEntry, ...]:
    """Kernel messages of the boot that ran at the site's start, after it was up; by time."""
    boot = past_boots(world, host)[-1]
    return world.inventory.once(("incidents", world.seed, host, boot.start), lambda: _incidents(world, host, boot))


def _incidents(world: World, host: str, boot: PastBoot) -> tuple[LogEntry, ...]:
    entries = [*_perf(world, host, boot), *_flaps(world, host, boot)]
    named: set[str] = set()
    for crash in crashes(world, host):
        entries += _crash_messages(world, crash, boot, first=crash.gpu.id not in named)
        named.add(crash.gpu.id)
    return tuple(sorted(entries, key=lambda entry: entry.time))


def crashes(world: World, host: str) -> tuple[Crash, ...]:
    """Programs of failed jobs that crashed on a node's GPUs in the boot that ran at the site's start, by time."""
    boot = past_boots(world, host)[-1]
    return world.inventory.once(("crashes", world.seed, host, boot.start), lambda: _crashes(world, host, boot))


def _crashes(world: World, host: str, boot: PastBoot) -> tuple[Crash, ...]:
    from engine.control.slurm import accounting  # which looks at munge, and that at the journal, which looks in here

    found = [_crash(world, host, job, boot) for job in accounting.past_on(world, host) if job.state == "FAILED"]
    return tuple(sorted((crash for crash in found if crash is not None), key=lambda crash: crash.time))


def _crash(world: World, host: str, job: Job, boot: PastBoot) -> Crash | None:
    """How a failed job crashed on this node, if it did so, and here."""
    assert job.started is not None and job.ended is not None
    stream, step = Stream(world.seed, f"crash/{job.nodes[0]}/{job.started}"), job.steps[-1]
    here = stream.chance(*_CHANCE_OF_CRASH) and stream.choice(job.nodes) == host
    if not here or not job.gpus_per_node or job.started <= boot.start or job.ended > -_QUIET:
        return None
    index = stream.integer(0, job.gpus_per_node - 1)
    time = job.ended - stream.integer(2, 6) * SECOND + stream.bits() % SECOND
    pid = pid_at(world, host, boot.start, step.started) + index
    return Crash(world.node(host).gpus[index], job, time, pid, step.name)


def _perf(world: World, host: str, boot: PastBoot) -> Iterator[LogEntry]:
    stream, time = Stream(world.seed, f"perf/{host}/{boot.start}"), boot.start
    for took, limit, rate in _PERF[: stream.integer(1, len(_PERF))]:
        time += stream.integer(2, 40) * HOUR + stream.bits() % HOUR
        if time < -HOUR:
            reaction = f"lowering kernel.perf_event_max_sample_rate to {rate}"
            yield LogEntry(time, f"perf: interrupt took too long ({took} > {limit}), {reaction}")


def _flaps(world: World, host: str, boot: PastBoot) -> Iterator[LogEntry]:
    """One InfiniBand port of some nodes lost its link for seconds, days ago."""
    stream = Stream(world.seed, f"flap/{host}/{boot.start}")
    ports = [
        hca for hca in world.node(host).hcas if hca.link_layer == "InfiniBand" and hca.port in world.inventory.cables
    ]
    if not ports or not stream.chance(*_CHANCE_OF_FLAP):
        return
    hca, time = stream.choice(ports), _moment(stream, boot)
    name = f"mlx5_core {hca.address} {hca.name}: Port: 1 Link"
    yield LogEntry(time, f"{name} DOWN")
    yield LogEntry(time + stream.integer(2, 9) * SECOND + stream.bits() % SECOND, f"{name} INIT")
    yield LogEntry(time + 11 * SECOND + stream.bits() % SECOND, f"{name} ACTIVE")


def _crash_messages(world: World, crash: Crash, boot: PastBoot, first: bool) -> list[LogEntry]:
    stream, gpu, time = Stream(world.seed, f"crash/{crash.gpu.id}/{crash.time}"), crash.gpu, crash.time
    device = gpu.address.rpartition(".")[0]
    texts = [f"NVRM: GPU at PCI:{device}: {gpu.uuid}", f"NVRM: GPU Board Serial Number: {gpu.serial}"] if first else []
    for _ in range(stream.integer(1, 3)):
        texts += _exception(stream, device, boot.driver or "")
    texts.append(f"NVRM: Xid (PCI:{device}): 43, pid={crash.pid}, name={crash.name}, Ch {stream.integer(8, 24):08x}")
    entries = []
    for text in texts:
        time += stream.integer(60, 260) * MICROSECOND
        entries.append(LogEntry(time, text, priority=Priority.WARNING))
    return entries


def _exception(stream: Stream, device: str, driver: str) -> list[str]:
    """The lines of one multiprocessor's exception; its registers lie at 0x504000, then by cluster and position."""
    what, first, last = stream.choice(_EXCEPTIONS)
    cluster, processor, unit = stream.integer(0, 6), stream.integer(0, 8), stream.integer(0, 1)
    place = f"(GPC {cluster}, TPC {processor}, SM {unit})"
    base = 0x504730 + cluster * 0x8000 + processor * 0x800 + unit * 0x80
    registers = f"{base:#x}={first} {base + 4:#x}=0x24 {base - 8:#x}=0xf81eb60 {base - 4:#x}={last}"
    context = (
        "pid='<unknown>', name=<unknown>, " if int(driver.partition(".")[0] or 0) < _WITHOUT_UNKNOWN_PROCESS else ""
    )
    start = f"NVRM: Xid (PCI:{device}): 13, {context}".rstrip()
    return [
        f"{start} Graphics SM Warp Exception on {place}: {what}",
        f"{start} Graphics SM Global Exception on {place}: Multiple Warp Errors",
        f"{start} Graphics Exception: ESR {registers}",
    ]


def _moment(stream: Stream, boot: PastBoot) -> int:
    """Some time after the first day of the boot and before the last six hours."""
    first, last = boot.start + DAY, -_QUIET
    return first + stream.integer(0, (last - first) // MINUTE) * MINUTE + stream.bits() % MINUTE
