"""sstat: what the steps of running jobs use now.

Slurm 24.11. Source: SchedMD/slurm src/sstat/options.c and sstat.c (fields, widths, which steps); compared with 22.05.
Memory and CPU time are those of the processes that run for the step; disk, pages and energy are not modelled and shown
as empty fields. The batch script is a step of its own (JOB.batch), shown with -a or when it is named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.options import Option, Parsed, UsageError
from engine.commands.slurm._support.client import Tool, command, error, reach, words
from engine.control import processes
from engine.control.slurm import arrays, jobs
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.times import full_time
from engine.kernel.units import SECOND
from engine.world.records import Job, JobStep, Process

_DEFAULT = (
    "jobid,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,maxrsstask,averss,maxpages,maxpagesnode,"
    "maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,avecpufreq,reqcpufreqmin,reqcpufreqmax,"
    "reqcpufreqgov,consumedenergy,maxdiskread,maxdiskreadnode,maxdiskreadtask,avediskread,maxdiskwrite,"
    "maxdiskwritenode,maxdiskwritetask,avediskwrite,tresusageinave,tresusageinmax,tresusageinmaxnode,"
    "tresusageinmaxtask,tresusageinmin,tresusageinminnode,tresusageinmintask,tresusageintot,tresusageoutave,"
    "tresusageoutmax,tresusageoutmaxnode,tresusageoutmaxtask,tresusageoutmin,tresusageoutminnode,"
    "tresusageoutmintask,tresusageouttot"
)

OPTIONS = (
    Option("a", "allsteps", help="all steps of the jobs"),
    Option("e", "helpformat", help="list the fields"),
    Option("h", "help", help="show this help and exit"),
    Option("i", "pidformat", help="processes of the steps"),
    Option("j", "jobs", "JOBS", help="these jobs, or steps (JOB.STEP)"),
    Option("n", "noheader", help="no heading"),
    Option(long="noconvert", help="do not convert units"),
    Option("o", "format", "FIELDS", help="these fields"),
    Option(long="fields", argument="FIELDS", name="format", help="the same"),
    Option("p", "parsable", help="fields with | after each"),
    Option("P", "parsable2", help="fields with | between them"),
    Option("v", "verbose", help="say more"),
)
_GAPS = ("pidformat",)


@dataclass(frozen=True, slots=True)
class _Task:
    """A process of a step: its node and the number of its task."""

    node: str
    rank: int
    process: Process


@dataclass(frozen=True, slots=True)
class _Row:
    """A step with its tasks."""

    ctx: Context
    job: Job
    step: JobStep
    tasks: tuple[_Task, ...]

    def most(self, value: Callable[[Process], int]) -> _Task | None:
        return max(self.tasks, key=lambda task: value(task.process), default=None)

    def mean(self, value: Callable[[Process], int]) -> int:
        return sum(value(task.process) for task in self.tasks) // len(self.tasks) if self.tasks else 0

    def cpu_seconds(self, process: Process) -> int:
        """CPU time of a process since its start."""
        return (self.ctx.now - process.started) * process.cpu_permille // (1000 * SECOND)


def _resident(process: Process) -> int:
    return process.resident_kib


def _virtual(process: Process) -> int:
    return process.virtual_kib


def _most(value: Callable[[Process], int], show: Callable[[_Task], str]) -> Callable[[_Row], str]:
    def text(row: _Row) -> str:
        task = row.most(value)
        return show(task) if task else "0"

    return text


def _cpu(row: _Row) -> list[tuple[int, _Task]]:
    return sorted(((row.cpu_seconds(task.process), task) for task in row.tasks), key=lambda entry: entry[0])


def _least_cpu(show: Callable[[int, _Task], str]) -> Callable[[_Row], str]:
    def text(row: _Row) -> str:
        found = _cpu(row)
        return show(*found[0]) if found else "00:00:00"

    return text


_FIELDS: dict[str, tuple[str, int, Callable[[_Row], str] | None]] = {
    "jobid": ("JobID", -12, lambda row: f"{arrays.shown_id(row.job)}.{row.step.id}"),
    "maxvmsize": ("MaxVMSize", 10, _most(_virtual, lambda task: f"{task.process.virtual_kib}K")),
    "maxvmsizenode": ("MaxVMSizeNode", 14, _most(_virtual, lambda task: task.node)),
    "maxvmsizetask": ("MaxVMSizeTask", 14, _most(_virtual, lambda task: str(task.rank))),
    "avevmsize": ("AveVMSize", 10, lambda row: f"{row.mean(_virtual)}K"),
    "maxrss": ("MaxRSS", 10, _most(_resident, lambda task: f"{task.process.resident_kib}K")),
    "maxrssnode": ("MaxRSSNode", 10, _most(_resident, lambda task: task.node)),
    "maxrsstask": ("MaxRSSTask", 10, _most(_resident, lambda task: str(task.rank))),
    "averss": ("AveRSS", 10, lambda row: f"{row.mean(_resident)}K"),
    "mincpu": ("MinCPU", 10, _least_cpu(lambda seconds, task: full_time(seconds))),
    "mincpunode": ("MinCPUNode", 10, _least_cpu(lambda seconds, task: task.node)),
    "mincputask": ("MinCPUTask", 10, _least_cpu(lambda seconds, task: str(task.rank))),
    "avecpu": ("AveCPU", 10, lambda row: full_time(sum(each for each, _ in _cpu(row)) // max(len(row.tasks), 1))),
    "ntasks": ("NTasks", 8, lambda row: str(row.step.tasks)),
    "nodelist": ("Nodelist", 20, lambda row: ",".join(row.step.nodes)),
}
_UNKNOWN = {
    "maxpages": ("MaxPages", 8), "maxpagesnode": ("MaxPagesNode", 12), "maxpagestask": ("MaxPagesTask", 14),
    "avepages": ("AvePages", 10), "avecpufreq": ("AveCPUFreq", 10), "reqcpufreqmin": ("ReqCPUFreqMin", 13),
    "reqcpufreqmax": ("ReqCPUFreqMax", 13), "reqcpufreqgov": ("ReqCPUFreqGov", 13),
    "consumedenergy": ("ConsumedEnergy", 14), "maxdiskread": ("MaxDiskRead", 12),
    "maxdiskreadnode": ("MaxDiskReadNode", 15), "maxdiskreadtask": ("MaxDiskReadTask", 15),
    "avediskread": ("AveDiskRead", 12), "maxdiskwrite": ("MaxDiskWrite", 12),
    "maxdiskwritenode": ("MaxDiskWriteNode", 16), "maxdiskwritetask": ("MaxDiskWriteTask", 16),
    "avediskwrite": ("AveDiskWrite", 12), "tresusageinave": ("TRESUsageInAve", 14),
    "tresusageinmax": ("TRESUsageInMax", 14), "tresusageinmaxnode": ("TRESUsageInMaxNode", 18),
    "tresusageinmaxtask": ("TRESUsageInMaxTask", 18), "tresusageinmin": ("TRESUsageInMin", 14),
    "tresusageinminnode": ("TRESUsageInMinNode", 18), "tresusageinmintask": ("TRESUsageInMinTask", 18),
    "tresusageintot": ("TRESUsageInTot", 14), "tresusageoutave": ("TRESUsageOutAve", 15),
    "tresusageoutmax": ("TRESUsageOutMax", 15), "tresusageoutmaxnode": ("TRESUsageOutMaxNode", 19),
    "tresusageoutmaxtask": ("TRESUsageOutMaxTask", 19), "tresusageoutmin": ("TRESUsageOutMin", 15),
    "tresusageoutminnode": ("TRESUsageOutMinNode", 19), "tresusageoutmintask": ("TRESUsageOutMinTask", 19),
    "tresusageouttot": ("TRESUsageOutTot", 15),
}  # fmt: skip
_FIELDS |= {key: (name, width, None) for key, (name, width) in _UNKNOWN.items()}


def run(ctx: Context, parsed: Parsed) -> int:
    """Ask slurmctld and the nodes, and print the table."""
    for gap in _GAPS:
        if gap in parsed:
            return ctx.not_modelled(f"sstat --{gap}")
    if "helpformat" in parsed:
        names = sorted(name for name, _, _ in _FIELDS.values())
        for index in range(0, len(names), 4):
            ctx.line(" ".join(f"{name:<19}" for name in names[index : index + 4]))
        return 0
    fields = _chosen(ctx, parsed)
    lacking = next((name for name, _, value in fields if value is None), None)
    if lacking and parsed["format"]:
        return ctx.not_modelled(f"sstat field {lacking}")
    if not parsed["jobs"] and not parsed.operands:
        error(ctx, "You didn't give me any jobs to stat.")
        return 1
    style = "|" if "parsable2" in parsed else "||" if "parsable" in parsed else ""
    if "noheader" not in parsed:
        for line in _heading(fields, style):
            ctx.line(line)
    status = 0
    for word in words(parsed["jobs"] or ",".join(parsed.operands)):
        rows = _rows(ctx, word, "allsteps" in parsed)
        if rows is None:
            status = 1
        for row in rows or ():
            cells = [(value(row) if value else "", width) for _, width, value in fields]
            ctx.line(_line(cells, style))
    return status


def _heading(fields: list[tuple[str, int, Callable[[_Row], str] | None]], style: str) -> list[str]:
    cells = [(name, width) for name, width, _ in fields]
    return [_line(cells, style), *([] if style else ["".join("-" * abs(width) + " " for _, width in cells)])]


def _line(cells: list[tuple[str, int]], style: str) -> str:
    if style:
        return "|".join(text for text, _ in cells) + ("|" if style == "||" else "")
    parts = []
    for text, width in cells:
        size = abs(width)
        short = text if len(text) <= size else f"{text[: size - 1]}+"
        parts.append((short.ljust(size) if width < 0 else short.rjust(size)) + " ")
    return "".join(parts)


def _chosen(ctx: Context, parsed: Parsed) -> list[tuple[str, int, Callable[[_Row], str] | None]]:
    found = []
    for word in words(parsed["format"] or _DEFAULT):
        name, percent, size = word.partition("%")
        key = next((key for key in _FIELDS if key.startswith(name.lower())), None)
        if key is None:
            error(ctx, f'Invalid field requested: "{name}"')
            raise UsageError("")
        shown, width, value = _FIELDS[key]
        found.append((shown, int(size) if percent and size.lstrip("-").isdigit() else width, value))
    return found


def _rows(ctx: Context, word: str, every: bool) -> list[_Row] | None:
    """The running steps that a word means; None where the job was refused, which is told."""
    text, _, name = word.partition(".")
    meant = arrays.parse_id(text)
    refused = reach(ctx)
    found = arrays.addressed(ctx.world, *meant) if meant and not refused else []
    running = [job for job in found if job.state == "RUNNING"]
    if not running:
        why = refused or SlurmError.INVALID_JOB
        error(ctx, f"couldn't get steps for job {text}: {why.text}" if refused else "no steps running for job " + text)
        return None
    rows = []
    for job in running:
        steps = [step for step in job.steps if step.ended is None]
        numbered = [step for step in steps if step.id.isdigit()]
        chosen = [step for step in steps if step.id == name] if name else steps if every else numbered[:1]
        rows += [_Row(ctx, job, step, tuple(_tasks(ctx, job, step))) for step in chosen]
    return [row for row in rows if jobs.may_change(ctx.inventory, row.job, ctx.identity.name)]


def _tasks(ctx: Context, job: Job, step: JobStep) -> list[_Task]:
    """The processes of a step: of the batch step those beside the work on GPUs."""
    found: list[_Task] = []
    for node in step.nodes:
        for process in processes.of_job(ctx.world, node, job.id):
            works = bool(process.gpus)
            daemon = process.command.startswith("slurmstepd:")
            if not daemon and works != (step.id == "batch"):
                found.append(_Task(node, len(found), process))
    return found


COMMAND = command(
    Tool(
        "sstat",
        "show what the steps of running jobs use",
        "sstat [<OPTION>] -j <job(.stepid)>",
        OPTIONS,
        run,
        manual="Memory and CPU time of the tasks of a running step: sstat -a -j JOB --format=JobID,MaxRSS,AveCPU. When "
        "the job is over ask sacct.",
    )
)
