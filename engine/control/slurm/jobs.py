"""Jobs as slurmctld keeps them: their states, who may see and change them, and what they ask for in Slurm's notation
(TRES).

Source: SchedMD/slurm 24.11 src/common/slurm_protocol_defs.c (job_state_string, job_state_string_compact),
src/common/slurm_protocol_api.c (convert_num_unit2).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from enum import Enum

from engine.control.slurm.ledger import OLDEST, age_weight, ledger
from engine.kernel.errors import BreakfixError
from engine.kernel.units import SECOND
from engine.world.inventory import Inventory
from engine.world.records import Job
from engine.world.world import World

SLURM_USER = "slurm"
_MIN_AGE = 300 * SECOND  # MinJobAge's default


class JobState(Enum):
    """States of a job: base states in Slurm's order, then the two flags that this model has."""

    PENDING = "PD"
    RUNNING = "R"
    SUSPENDED = "S"
    COMPLETED = "CD"
    CANCELLED = "CA"
    FAILED = "F"
    TIMEOUT = "TO"
    NODE_FAIL = "NF"
    PREEMPTED = "PR"
    BOOT_FAIL = "BF"
    DEADLINE = "DL"
    OUT_OF_MEMORY = "OOM"
    COMPLETING = "CG"


def job(world: World, number: int) -> Job | None:
    """The job `number`, however long it has been over, if it was of this session."""
    try:
        return world.jobs[str(number)]
    except BreakfixError:
        return None


def active_job(world: World, number: int) -> Job:
    """The job `number`, which is known to exist."""
    return world.jobs[str(number)]


def recorded(world: World) -> list[Job]:
    """Every job since the site began, by number; those of the past are in the accounting."""
    return sorted((world.jobs[identifier] for identifier in world.jobs.changed()), key=lambda entry: entry.id)


def active(world: World) -> list[Job]:
    """Pending, running and completing jobs, by number."""
    known = ledger(world).active
    return [known[number] for number in sorted(known)]


def remembered(world: World, now: int) -> list[Job]:
    """What slurmctld still has in memory: active jobs, and those that ended within MinJobAge."""
    known = ledger(world)
    gone = now - _MIN_AGE
    late = [number for ended, number in known.ended[bisect_left(known.ended, (gone, 0)) :]]
    return [world.jobs[str(number)] for number in sorted({*known.active, *late})]


def running_on(world: World, host: str) -> list[Job]:
    """Jobs that run on a host."""
    known = ledger(world)
    held = known.usage.get(host)
    return [known.active[number] for number in sorted(held.running)] if held else []


def state_name(entry: Job) -> str:
    """`COMPLETING` while the nodes are being cleaned up, else the base state."""
    return "COMPLETING" if entry.completing else entry.state


def state_code(entry: Job) -> str:
    """`CG`, `R`, `PD`..."""
    return JobState[state_name(entry)].value


def is_over(entry: Job) -> bool:
    """Whether the job has ended, cleaned up or not."""
    return entry.state not in ("PENDING", "RUNNING", "SUSPENDED")


def is_operator(inventory: Inventory, user: str) -> bool:
    """Whether slurmctld lets `user` change nodes and everybody's jobs."""
    return user in ("root", SLURM_USER) or user in inventory.slurm_operators


def may_change(inventory: Inventory, entry: Job, user: str) -> bool:
    """Whether `user` may change or cancel the job."""
    return user == entry.user or is_operator(inventory, user)


def account_of(inventory: Inventory, name: str) -> str:
    """The default account of a user: the group that people of the site share."""
    user = inventory.user(name)
    return user.groups[-1] if user and user.groups else "root"


def priority(world: World, entry: Job, now: int) -> int:
    """Multifactor priority (engine.control.slurm.priority): while pending it grows with the age. Held jobs have 0."""
    if entry.held or entry.held_by_admin:
        return 0
    if entry.state != "PENDING" or entry.fixed_priority:
        return entry.priority
    waited = now - (entry.submitted if entry.eligible is None else entry.eligible)
    return entry.priority + age_weight(world) * min(max(waited, 0), OLDEST) // OLDEST


def memory_text(mib: int) -> str:
    """`1500G`, `2000000M`: the largest unit that loses nothing beyond a half (convert_num_unit2 with
    CONVERT_NUM_UNIT_EXACT).
    """
    if mib == 0:
        return "0"
    numerator, divisor, unit = mib, 1, 0
    while numerator >= 1024 * divisor and numerator // divisor % 512 == 0:
        divisor *= 1024
        unit += 1
    whole, rest = divmod(numerator, divisor)
    suffix = "MGTP"[unit]
    return f"{whole}{suffix}" if rest == 0 else f"{whole}.{rest * 100 // divisor:02d}{suffix}"


def total_cpus(entry: Job) -> int:
    """CPUs of the whole job."""
    return entry.cpus_per_node * entry.node_count


def total_gpus(entry: Job) -> int:
    """GPUs of the whole job."""
    return entry.gpus_per_node * entry.node_count


def tres(cpus: int, memory: int, nodes: int, gpus: int) -> str:
    """`cpu=64,mem=500G,node=2,billing=64,gres/gpu=16`, as scontrol and squeue show it."""
    parts = [f"cpu={cpus}", f"mem={memory_text(memory)}", f"node={nodes}", f"billing={cpus}"]
    return ",".join([*parts, *([f"gres/gpu={gpus}"] if gpus else [])])


def job_tres(entry: Job) -> str:
    """What a job asks for, which is what it gets."""
    return tres(total_cpus(entry), entry.memory_mib * entry.node_count, entry.node_count, total_gpus(entry))


def ranges(numbers: Iterable[int]) -> str:
    """`0-3,6`, as Slurm prints a bitmap; "" for none."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


def mask_ranges(mask: int) -> str:
    """The numbers of the bits that are set, as ranges."""
    return ranges(bit for bit in range(mask.bit_length()) if mask >> bit & 1)
