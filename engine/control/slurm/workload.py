"""What a job does: the script as far as it is understood, the processes that run for it, and what stands in its output
file.

Recognised are commands whose words name a kind of work (training, inference, burning in). Every other script is run by
a shell (engine.control.slurm.scripts); where there is none, `sleep N` and literal `echo` lines are understood, and
everything else takes a time drawn for the job. Times of work are guesses until workloads have a speed of their own.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from engine.control.slurm.times import timestamp
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import Stream
from engine.kernel.units import HOUR, MINUTE, SECOND
from engine.world.records import Job
from engine.world.world import World

_SLEEP = re.compile(r"(?:^|[;&|(]|\bsrun\b[^;|&]*?)\s*sleep\s+(\d{1,12})([smhd]?)\b")
_UNITS = {"": SECOND, "s": SECOND, "m": MINUTE, "h": HOUR, "d": 24 * HOUR}
_LITERAL_ECHO = re.compile(r"""echo\s+(?:"([^"$`\\]*)"|'([^']*)'|([\w .,:/@%+=-]*))\s*$""")
_QUICK = {
    "echo", "hostname", "date", "env", "set", "export", "cd", "module", "source", "exit", "true", "false", "printf",
    "srun", "ulimit",
}  # fmt: skip

# Words of a command -> load profile of engine.physics.load.
_KINDS = (
    ("hpl", ("hpl.sh", "xhpl", "hpl")),
    ("burn", ("gpu_burn", "gpu-burn", "dcgmproftester", "burnin")),
    ("inference", ("serve", "infer", "vllm", "eval", "generate", "tritonserver")),
    ("training", ("train", "pretrain", "finetune", "sft", "torchrun", "deepspeed", "nemo")),
)

# Load profile -> (what each process is called, GPU memory of each in MiB). The figures are guesses within 80 GB.
_RANKS = {
    "training": ("python -u train.py --config configs/{name}.yaml", 71_240),
    "inference": ("python -m vllm.entrypoints.openai.api_server --model {name}", 66_810),
    "burn": ("gpu_burn -tc 3600", 72_960),
    "hpl": ("xhpl HPL.dat", 74_120),
}
_OTHER_RANK = ("python {name}.py", 512)

_TELLING = ("training",)  # kinds of work that tell all the time how far they have come


@dataclass(frozen=True, slots=True)
class Work:
    """What a script does: the kind of GPU work ("script": none) and how long it takes (None: drawn or until it is
    stopped).
    """

    kind: str
    duration: int | None


def read_script(script: str) -> Work:
    """Understand a batch script."""
    lines = [line for line in script.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    body = "\n".join(lines)
    kind = kind_of(body)
    plain = kind == "script" and all(_SLEEP.search(line) or _is_quick(line) for line in lines)
    return Work(kind, slept(body) + SECOND if plain else None)


def slept(text: str) -> int:
    """How long the `sleep` commands of a text take together, ns."""
    return sum(int(count) * _UNITS[unit] for line in text.splitlines() for count, unit in _SLEEP.findall(line))


def kind_of(text: str) -> str:
    """The load profile that the words of a command call for."""
    words = set(re.findall(r"[\w.-]+", text.lower()))
    parts = words | {part for word in words for part in re.split(r"[._-]", word)}
    return next((kind for kind, names in _KINDS if not parts.isdisjoint(names)), "script")


def drawn_duration(world: World, job: Job) -> int:
    """How long work takes whose length the script does not tell."""
    stream = Stream(world.seed, f"slurm/job/{job.id}/duration")
    if job.workload == "script":
        return stream.integer(20, 600) * SECOND
    limit = job.time_limit or 24 * HOUR
    return limit * stream.integer(550, 960) // 1000


def rank_command(job: Job) -> tuple[str, int]:
    """What each process of the job is called, and how much memory it takes on each of its GPUs."""
    command, memory = _RANKS.get(job.workload, _OTHER_RANK)
    return command.format(name=job.name), memory


def output_path(job: Job, pattern: str = "") -> str:
    """The file that `pattern` (`slurm-%j.out`) stands for, absolute."""
    name = pattern or ("slurm-%A_%a.out" if job.array_job else "slurm-%j.out")
    fields = {
        "j": str(job.id),
        "A": str(job.array_job or job.id),
        "a": "4294967294" if job.array_task is None else str(job.array_task),
        "J": str(job.id),
        "x": job.name,
        "u": job.user,
        "N": job.nodes[0] if job.nodes else "",
        "%": "%",
    }
    expanded = re.sub(r"%\d*([%jAaJxuN])", lambda match: fields[match[1]], name)
    return expanded if expanded.startswith("/") else f"{job.working_directory.rstrip('/')}/{expanded}"


def live_files(job: Job) -> dict[str, str]:
    """The files that a job writes all the time, by path, and what stands in them (WrittenFile.source): of training jobs
    the output file, and the table of their ranks.
    """
    if job.workload not in _TELLING:
        return {}
    table = f"{job.working_directory.rstrip('/')}/ranks-{job.id}.tsv"
    return {output_path(job, job.standard_output): f"job/{job.id}/output", table: f"job/{job.id}/ranks"}


def output_text(world: World, job: Job) -> str:
    """What the job has left in its output file: its literal echo lines, and how it was stopped if it was."""
    return "".join(f"{line}\n" for line in [*echoed(job.script), *ending(world, job)])


def _is_quick(line: str) -> bool:
    """Whether a line takes no time worth telling."""
    try:
        words = shlex.split(line)
    except ValueError:
        return False
    return bool(words) and words[0] in _QUICK


def echoed(script: str) -> list[str]:
    """The literal echo lines of a script."""
    lines = []
    for line in script.splitlines():
        if match := _LITERAL_ECHO.fullmatch(line.strip()):
            lines.append(next((text for text in match.groups() if text is not None), ""))
    return lines


def ending(world: World, job: Job) -> Sequence[str]:
    """The line of slurmstepd or srun about a job that did not end by itself."""
    if said := stopped(world, job):
        return said
    if job.state == "FAILED" and job.failed_node:
        how = (
            f"Exited with exit code {job.exit_code}"
            if not job.signal
            else "Killed"
            if job.signal == 9
            else f"Signal {job.signal}"
        )
        return [f"srun: error: {job.failed_node}: task 0: {how}", f"srun: Terminating StepId={job.id}.0"]
    return []


def stopped(world: World, job: Job) -> Sequence[str]:
    """The line of slurmstepd about a job that was stopped from outside."""
    host = job.nodes[0] if job.nodes else ""
    when = timestamp(world.inventory, job.ended or 0)
    notice = f"slurmstepd: error: *** JOB {job.id} ON {host} CANCELLED AT {when}"
    if job.state == "CANCELLED":
        return [f"{notice} ***"]
    if job.state == "REQUEUED":
        return [f"{notice} DUE TO JOB REQUEUE ***"]
    if job.state == "PREEMPTED":
        return [f"{notice} DUE TO PREEMPTION ***"]
    if job.state == "TIMEOUT":
        return [f"{notice} DUE TO TIME LIMIT ***"]
    if job.state == "NODE_FAIL":
        return [f"{notice} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***"]
    return []
