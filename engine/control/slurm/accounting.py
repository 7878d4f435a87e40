"""The accounting: jobs of the days before the site's start, made when looked at, and what the database keeps of each
run of a job.

The past follows from the site and the seed alone. Neighbouring nodes take turns of jobs back to the start of the last
boot, ending before the standing jobs begin, so that no GPU had two owners. Numbers of jobs fall with their age at a
pace that suits the size of the site. What failing jobs left in kernel logs follows from here (history.incidents).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from engine.control.slurm import configuration, files
from engine.control.slurm.configuration import PartitionConfiguration, SlurmConfiguration
from engine.control.slurm.jobs import recorded
from engine.control.slurm.request import Wanted, resolve
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import Stream, hash64
from engine.kernel.units import DAY, HOUR, MINUTE, SECOND
from engine.world.inventory import Inventory, StandingJob
from engine.world.records import Job, JobStep
from engine.world.world import World

T = TypeVar("T", bound=tuple[Any, ...])

PAST = 8 * DAY  # every node has been up for longer (World._new_node)
_NODE_MINUTES_PER_NUMBER = 180
_LANE = 2  # nodes that take turns together
# slurmctld looks for jobs beyond their limit every 30 s (PERIODIC_TIMEOUT of controller.c); KillWait is as long again.
_OVER_LIMIT = (1, 30)
_ROUND_LIMITS = ((4 * HOUR, HOUR), (HOUR, 30 * MINUTE), (20 * MINUTE, 10 * MINUTE), (0, MINUTE))
"""What people ask for: (from so much on, in steps of)."""

# (weight, name, workload, whole nodes, minutes from-to): what people of a research cluster run; a guess
_KINDS = (
    (5, "llama-sft", "training", True, (120, 1_300)),
    (4, "pretrain-1b", "training", True, (300, 1_400)),
    (4, "eval-mmlu", "inference", False, (20, 180)),
    (3, "tokenize", "script", False, (5, 90)),
    (3, "nccl-test", "nccl", True, (2, 12)),
    (2, "rlhf-ppo", "training", True, (90, 700)),
    (2, "jupyter", "script", False, (60, 480)),
)

# (weight, state, exit code, signal, reason)
_ENDS = (
    (68, "COMPLETED", 0, 0, "None"),
    (14, "FAILED", 1, 0, "NonZeroExitCode"),
    (10, "CANCELLED", 0, 0, "None"),
    (5, "TIMEOUT", 0, 0, "TimeLimit"),
    (2, "OUT_OF_MEMORY", 0, 125, "OutOfMemory"),
    (1, "NODE_FAIL", 1, 0, "NodeDown"),
)


@dataclass(frozen=True, slots=True)
class Run:
    """One line of the accounting: a job as it stood in one of its runs. `job` has that run's times, nodes and state."""

    job: Job
    last: bool


def next_number(inventory: Inventory, seed: int) -> int:
    """The number of the first job after the site's start."""
    return 40_000 + hash64(inventory.name, seed, "slurm job number") % 20_000


def standing_numbers(inventory: Inventory, seed: int) -> list[int]:
    """The numbers of the standing jobs, in the site's order: the older, the lower, none twice."""
    pace, jobs = _pace(inventory), inventory.standing_jobs
    numbers, number = dict[int, int](), next_number(inventory, seed)
    for place in sorted(range(len(jobs)), key=lambda place: (jobs[place].started_before, -place)):
        number = min(number - 1, next_number(inventory, seed) - 1 - jobs[place].started_before // pace)
        numbers[place] = number
    return [numbers[place] for place in range(len(jobs))]


def runs(world: World) -> list[Run]:
    """Everything the database holds, oldest first."""
    return sorted(
        [*(Run(job, True) for job in past(world)), *_recorded_runs(world)],
        key=lambda run: (run.job.id, run.job.started or 0, run.last),
    )


def past(world: World) -> tuple[Job, ...]:
    """Jobs that were over when the site opened, by number."""
    inventory, seed = world.inventory, world.seed
    return inventory.once(("slurm past", seed), lambda: _past(inventory, seed))


def last_end(world: World, node: str) -> int | None:
    """When the last job of the past ended on a node; it had none otherwise."""
    return max((job.ended for job in past_on(world, node) if job.ended is not None), default=None)


def past_on(world: World, node: str) -> tuple[Job, ...]:
    """The jobs of the past that ran on a node, newest first and without their numbers, which take the whole site."""
    inventory, seed = world.inventory, world.seed
    names = _names(configuration.parse_slurm_conf(files.slurm_conf(inventory)))
    if node not in names:
        return ()
    lane = _lane(inventory, seed, names.index(node) // _LANE * _LANE)
    return tuple(job for job in lane if node in job.nodes)


def _recorded_runs(world: World) -> Iterator[Run]:
    for job in recorded(world):
        for earlier in job.earlier_runs:
            done = replace(
                job, state=earlier.state, submitted=earlier.submitted, started=earlier.started, ended=earlier.ended,
                nodes=earlier.nodes, exit_code=earlier.exit_code, signal=earlier.signal, completing=False, steps=(),
            )  # fmt: skip
            yield Run(done, False)
        yield Run(job, True)


def _pace(inventory: Inventory) -> int:
    """ns between two job numbers."""
    nodes = {name for partition in inventory.partitions for name in partition.nodes}
    return max(_NODE_MINUTES_PER_NUMBER * MINUTE // max(len(nodes), 1), SECOND)


def _past(inventory: Inventory, seed: int) -> tuple[Job, ...]:
    names = _names(configuration.parse_slurm_conf(files.slurm_conf(inventory)))
    found = [job for start in range(0, len(names), _LANE) for job in _lane(inventory, seed, start)]
    return _numbered(inventory, seed, sorted(found, key=lambda job: (-job.submitted, job.nodes)))


def _names(known: SlurmConfiguration) -> list[str]:
    """The nodes that the past ran on: those of the default partition."""
    return list(known.default_partition.nodes) if known.default_partition else []


def _lane(inventory: Inventory, seed: int, start: int) -> tuple[Job, ...]:
    """The jobs of a few neighbouring nodes, newest first and without numbers."""
    return inventory.once(("slurm lane", seed, start), lambda: tuple(_lane_jobs(inventory, seed, start)))


def _numbered(inventory: Inventory, seed: int, newest_first: list[Job]) -> tuple[Job, ...]:
    """The jobs with numbers that fall with their age and are not those of standing jobs."""
    pace, taken = _pace(inventory), set(standing_numbers(inventory, seed))
    number, result = next_number(inventory, seed), []
    for job in newest_first:
        number = min(number - 1, next_number(inventory, seed) - 1 + job.submitted // pace)
        while number in taken:
            number -= 1
        result.append(replace(job, id=number))
    return tuple(reversed(result))


def _lane_jobs(inventory: Inventory, seed: int, start: int) -> Iterator[Job]:
    """Jobs on a few nodes, backwards in time from when they were last free."""
    everything = configuration.parse_slurm_conf(files.slurm_conf(inventory))
    names = _names(everything)[start : start + _LANE]
    known = replace(everything, partitions=_only(everything, names))
    people = [user.name for user in inventory.users if user.name not in inventory.slurm_operators]
    stream = Stream(seed, f"slurm/past/{start}")
    if not people:
        return
    free = min((-standing.started_before for standing in _on(inventory, names)), default=0)
    while free > -PAST:
        free -= stream.integer(1, 90) * MINUTE
        _, name, workload, whole, (shortest, longest) = _weighted(stream, _KINDS)
        users = stream.sample(people, 2) if len(people) > 1 else people * 2
        lasts = stream.integer(shortest * 60, longest * 60) * SECOND
        if whole:
            yield _made(inventory, known, stream, (name, workload, users[0]), tuple(names), 8, (free - lasts, free))
        else:
            for node, user in zip(names, users, strict=False):
                shorter = lasts * stream.integer(300, 1000) // 1000
                yield _made(
                    inventory,
                    known,
                    stream,
                    (name, workload, user),
                    (node,),
                    stream.choice((1, 2, 4)),
                    (free - lasts, free - lasts + shorter),
                )
        free -= lasts


def _only(known: SlurmConfiguration, names: list[str]) -> tuple[PartitionConfiguration, ...]:
    """The default partition as if it had these nodes alone: a job of theirs is worked out without the others."""
    return tuple(replace(each, nodes=tuple(names)) for each in known.partitions if each.default)


def _on(inventory: Inventory, names: list[str]) -> list[StandingJob]:
    return [standing for standing in inventory.standing_jobs if not set(names).isdisjoint(standing.nodes)]


def _made(
    inventory: Inventory,
    known: SlurmConfiguration,
    stream: Stream,
    what: tuple[str, str, str],
    nodes: tuple[str, ...],
    gpus: int,
    span: tuple[int, int],
) -> Job:
    """A job that is over, with its steps."""
    name, workload, user = what
    started, ended = span
    gpus = min([gpus, *(known.nodes[node].gpus for node in nodes)]) if workload != "script" else 0
    _, state, exit_code, signal, reason = _weighted(stream, _ENDS)
    hours = -(-(ended - started) // HOUR)
    if state == "TIMEOUT":
        limit = _round_limit(ended - started - _OVER_LIMIT[1] * SECOND)
        ended = started + limit + stream.integer(*_OVER_LIMIT) * SECOND
    else:
        limit = (hours + stream.integer(1, 12)) * HOUR
    submitted = started - stream.choice((1, 2, 3, 40, 600, 4000)) * SECOND
    blank = Job(
        id=0, name=name, user=user, partition="", node_count=1, gpus_per_node=0, cpus_per_task=1, tasks_per_node=0,
        memory_mib=0, time_limit=0, submitted=submitted, state=state, reason=reason, started=started, ended=ended,
        nodes=nodes, exit_code=exit_code, signal=signal, workload=workload, working_directory=f"/home/{user}/{name}",
        eligible=submitted, submit_host=inventory.login_host, submit_line=f"sbatch {name}.sbatch",
        command=f"/home/{user}/{name}/{name}.sbatch",
        cancelled_by=_uid(inventory, user) if state == "CANCELLED" else None,
    )  # fmt: skip
    wanted = Wanted(nodes=len(nodes), tasks_per_node=max(gpus, 1), gpus_per_node=gpus, time_limit=limit)
    job = resolve(known, wanted, blank, inventory)
    return replace(job, steps=_steps(job, started, ended))


def _round_limit(longest: int) -> int:
    """A time limit that somebody would ask for, up to `longest`; Slurm counts limits in minutes, so at least one."""
    step = next(step for least, step in _ROUND_LIMITS if longest >= least or not least)
    return max(longest // step, 1) * step


def _steps(job: Job, started: int, ended: int) -> tuple[JobStep, ...]:
    stopped = job.state in ("CANCELLED", "TIMEOUT", "NODE_FAIL")
    state = "CANCELLED" if stopped else job.state
    exit_code, signal = (0, 15) if stopped else (job.exit_code, job.signal)
    batch = JobStep("batch", "batch", job.nodes[:1], 1, started, ended, state, exit_code, signal)
    if job.workload == "script":
        return (batch,)
    return batch, JobStep(
        "0", "python", job.nodes, job.task_count, started + 2 * SECOND, ended, state, exit_code, signal
    )


def _uid(inventory: Inventory, name: str) -> int:
    user = inventory.user(name)
    return user.uid if user else 0


def _weighted(stream: Stream, choices: Sequence[T]) -> T:
    """One of `choices` by the weight that each has in front."""
    drawn = stream.integer(1, sum(choice[0] for choice in choices))
    for choice in choices:
        drawn -= choice[0]
        if drawn <= 0:
            return choice
    raise ValueError("weights must be positive")
