"""`dcgmi stats`: what GPUs did during a job or for a process. Texts: dcgmi/ProcessStats.cpp of DCGM 4.4.2.

PCIe throughput is not modelled: N/A. Of processes that ended before they were watched nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.commands.dcgm._dcgmi.arguments import HOST, VERBOSE, Argument, Parsed, Subsystem, not_negative
from engine.commands.dcgm._dcgmi.client import GROUP_NOT_FOUND, OK, Client, Return
from engine.commands.dcgm._dcgmi.output import fitted
from engine.control.dcgm import health, host_engine, job_stats
from engine.control.dcgm.job_stats import Summary, Usage
from engine.control.dcgm.readings import Reading
from engine.kernel.calendar import local
from engine.kernel.units import SECOND

SUBSYSTEM = Subsystem(
    "stats",
    "shows what the GPUs did during a job.",
    (
        VERBOSE,
        Argument("g", "group", "groupId", "the group", int),
        HOST,
        Argument("u", "update-interval", "ms", "milliseconds between samples [default = 30000]", int),
        Argument("m", "max-keep-age", "seconds", "how long samples are kept [default = 3600]", int),
    ),
    (
        Argument("p", "pid", "pid", "show a process", int),
        Argument("e", "enable", None, "begin to watch processes"),
        Argument("d", "disable", None, "end watching processes"),
        Argument("s", "jstart", "job id", "begin to record a job"),
        Argument("x", "jstop", "job id", "end recording a job"),
        Argument("j", "job", "job id", "show a job"),
        Argument("r", "jremove", "job id", "forget a job"),
        Argument("a", "jremoveall", None, "forget all jobs"),
    ),
)
_LONGEST_NAME = 63
_FOOTER = "+------------------------------------+-----------------------------------------+\n\n"
_WORDS = {health.Health.PASS: "Healthy", health.Health.WARN: "Warning", health.Health.FAIL: "Failure"}


def check(parsed: Parsed) -> None:
    """Raises Ended for options that do not fit."""
    not_negative(parsed, "group", "pid")


def run(client: Client, parsed: Parsed) -> int:
    """Do what is asked."""
    action = next(each.long for each in SUBSYSTEM.choices if each.long in parsed)
    if action in ("enable", "disable", "jstart"):
        return _begin(client, parsed, action)
    if action == "pid":
        return _process(client, parsed.number("pid"), "verbose" in parsed)
    if action == "job":
        return _job(client, parsed.text("job"), "verbose" in parsed)
    if action == "jremoveall":
        client.ctx.simulation.apply(job_stats.RemoveJob(client.host, ""))
        client.ctx.line("Successfully removed all jobs.")
        return OK
    return _end(client, action, parsed.text(action))


def _begin(client: Client, parsed: Parsed, action: str) -> int:
    group = client.group(parsed.number("group", host_engine.ALL_GPUS))
    verb = {"enable": "enable process watches for group", "jstart": "start job for group"}.get(action, "")
    if group is None:
        text = f"Error: Unable to {verb}. Return: {GROUP_NOT_FOUND}.\n"
        if action == "disable":
            text = f"Error: Unable to get group information. Return: {GROUP_NOT_FOUND}\n"
        raise Return.NOT_CONFIGURED.ends(text)
    if action == "disable":
        client.ctx.line("Process stats watches cannot be disabled at this time.")
        return OK
    if action == "enable":
        client.ctx.simulation.apply(job_stats.WatchProcesses(client.host))
        client.ctx.line("Successfully started process watches.")
        return OK
    name = parsed.text("jstart")
    if len(name) > _LONGEST_NAME:
        raise Return.GENERIC.ends("Error: Unable to start job for group. Return: Job ID too long.\n")
    gpus = tuple(gpu.index for gpu in client.gpus_of(group))
    if not client.ctx.simulation.apply(job_stats.StartJob(client.host, name, gpus)):
        failed = Return.DUPLICATE_KEY
        raise failed.ends(f"Error: Unable to start job for group. Return: {failed.text}.\n")
    client.ctx.line(f"Successfully started recording stats for {name}.")
    return OK


def _end(client: Client, action: str, name: str) -> int:
    kind = job_stats.StopJob if action == "jstop" else job_stats.RemoveJob
    if not client.ctx.simulation.apply(kind(client.host, name)):
        raise Return.NO_DATA.ends(f"Error: Job {name} was not found.\n")
    done = f"stopped recording stats for {name}" if action == "jstop" else f"removed job {name}"
    client.ctx.line(f"Successfully {done}.")
    return OK


@dataclass(frozen=True, slots=True)
class _Record:
    """A job or a process on GPUs: when, what each GPU did, processes by GPU. `of_job` says which words are used."""

    gpus: Sequence[Reading]
    start: int
    end: int | None
    usages: Sequence[Usage]
    of_job: bool
    pid: int = 0


def _job(client: Client, name: str, verbose: bool) -> int:
    found = job_stats.job(client.world, client.host, name)
    if found is None:
        failed = Return.NO_DATA
        raise failed.ends(f"Error: Unable to retrieve job statistics. Return: {failed.text}.\n")
    client.ctx.line(f"Successfully retrieved statistics for job: {name}. ")
    return _show(client, found.gpus, found.started, found.stopped, verbose, of_job=True)


def _process(client: Client, pid: int, verbose: bool) -> int:
    if client.engine.process_watches is None:
        raise Return.NOT_WATCHED.ends("Error: Watches have not been enabled. Unable to get PID info.\n")
    found = job_stats.run_of(client.world, client.host, pid)
    if found is None:
        failed = Return.NO_DATA
        text = f"Error: Unable to get information for process with PID {pid}. Return: {failed.text}.\n"
        raise failed.ends(text)
    client.ctx.line(f"Successfully retrieved process info for PID: {pid}. Process ran on {len(found.gpus)} GPUs.")
    start = max(found.started, client.engine.process_watches)
    return _show(client, found.gpus, start, found.ended, verbose, of_job=False, pid=pid)


def _show(
    client: Client, numbers: Sequence[int], start: int, end: int | None, verbose: bool, *, of_job: bool, pid: int = 0
) -> int:
    known = client.gpus()
    gpus = [known[number] for number in numbers if number < len(known)]
    until = client.ctx.now if end is None else end
    usages = [job_stats.usage(gpu, start, until) for gpu in gpus]
    record = _Record(gpus, start, end, usages, of_job, pid)
    if verbose:
        for gpu, used in zip(gpus, usages, strict=True):
            client.ctx.write("".join(_section(client, record, f"GPU ID: {gpu.index}", used, gpu)) + _FOOTER)
    elif usages:
        client.ctx.write("".join(_section(client, record, "Summary", job_stats.together(usages), None)) + _FOOTER)
    return OK


def _row(name: str, text: object) -> str:
    return f"| {fitted(name, 35)}| {fitted(str(text), 39)} |\n"


def _bar(name: str, first: str = "+") -> str:
    dashes = f"{first}-----  {name}  "
    return f"{dashes:-<37}+{'-' * 41}{first}\n"


def _section(client: Client, record: _Record, title: str, used: Usage, gpu: Reading | None) -> Iterator[str]:
    until = client.ctx.now if record.end is None else record.end
    yield f"+{'-' * 78}+\n| {fitted(title, 77)}|\n"
    yield _bar("Execution Stats", "|")
    mark = " " if record.of_job else "*"
    yield _row(f"{'Start Time':<31}{mark}", _moment(client, record.start))
    yield _row(f"{'End Time':<31}{mark}", "Still Running" if record.end is None else _moment(client, record.end))
    total = "Still Running" if record.end is None else f"{(record.end - record.start) // (SECOND // 100) / 100:g}"
    yield _row(f"{'Total Execution Time (sec)':<31}{mark}", total)
    pids = {pid for each in ([gpu] if gpu else record.gpus) for pid in job_stats.processes_on(each)}
    yield _row(
        "No. of Processes" if record.of_job else f"{'No. of Conflicting Processes':<31}{mark}",
        len(pids) if record.of_job else len(pids - {record.pid}),
    )
    yield from _performance(used, gpu is not None)
    yield from _events(record, used)
    yield from _slowdown(used, until - record.start)
    if gpu is not None:
        yield from _processes(record, used, job_stats.processes_on(gpu))
    yield _bar("Overall Health")
    incidents = health.check(client.world, client.host, host_engine.ALL_GPUS, client.ctx.now)
    chosen = {each.index for each in ([gpu] if gpu else record.gpus)}
    worst = health.overall([each for each in incidents if each.number in chosen])
    yield _row("Overall Health", _WORDS[worst])


def _moment(client: Client, time: int) -> str:
    moment = local(client.ctx.inventory.timezone, client.ctx.inventory.start + time)
    return f"{moment:%a %b} {moment.day:2d} {moment:%H:%M:%S %Y}"


def _summary(found: Summary, *, whole: bool = True) -> str:
    average, highest, lowest = (
        (f"{int(each)}" if whole else f"{each:g}") for each in (found.average, found.highest, found.lowest)
    )
    return f"Avg: {average}, Max: {highest}, Min: {lowest}"


def _performance(used: Usage, verbose: bool) -> Iterator[str]:
    yield _bar("Performance Stats")
    yield _row("Energy Consumed (Joules)", used.energy // 1000)
    yield _row("Power Usage (Watts)", _summary(used.power, whole=False))
    yield _row("Max GPU Memory Used (bytes)", used.memory)
    if not verbose:
        yield _row("Clocks and PCIe Performance", "Available per GPU in verbose mode")
        return
    yield _row("SM Clock (MHz)", _summary(used.sm_clock))
    yield _row("Memory Clock (MHz)", _summary(used.memory_clock))
    yield _row("SM Utilization (%)", _summary(used.sm))
    yield _row("Memory Utilization (%)", _summary(used.memory_busy))
    for way in ("Rx", "Tx"):
        yield _row(f"PCIe {way} Bandwidth (megabytes)", "Avg: N/A, Max: N/A, Min: N/A")


def _events(record: _Record, used: Usage) -> Iterator[str]:
    yield _bar("Event Stats")
    # Counts of memory errors have no time in the model; errors of the span cannot be told from earlier ones.
    yield _row("Single Bit ECC Errors", "Not Specified")
    yield _row("Double Bit ECC Errors", "Not Specified")
    yield _row("PCIe Replay Warnings", "Not Specified")
    yield _row("Critical XID Errors", len(used.xids))
    for position, (time, _) in enumerate(used.xids):
        seconds = (time - record.start) // SECOND
        shown = f"{seconds // 3600}:{seconds // 60:02d}:{seconds % 60:02d}"
        yield _row("" if position else "XID (Hr:Min:Sec since start)", shown)


def _slowdown(used: Usage, span: int) -> Iterator[str]:
    yield _bar("Slowdown Stats")
    figures = (
        ("Due to - Power (%)", used.power_violation),
        ("       - Thermal (%)", used.thermal_violation),
        ("       - Reliability (%)", 0),
        ("       - Board Limit (%)", 0),
        ("       - Low Utilization (%)", None),
        ("       - Sync Boost (%)", 0),
    )
    for name, held in figures:
        yield _row(name, "Not Supported" if held is None else f"{held * 100 / max(1, span):g}")


def _processes(record: _Record, used: Usage, pids: Sequence[int]) -> Iterator[str]:
    """Utilisation by process: what the GPU has is shared evenly by those on it."""
    if record.of_job and pids:
        yield "+--  Compute Process Utilization  ---+-----------------------------------------+\n"
    elif not record.of_job:
        yield _bar("Process Utilization")
    for pid in pids if record.of_job else [record.pid]:
        yield _row("PID", pid)
        yield _row("    Avg SM Utilization (%)", int(used.sm.average) // max(1, len(pids)))
        yield _row("    Avg Memory Utilization (%)", int(used.memory_busy.average) // max(1, len(pids)))
