"""What an nccl-tests program prints: header, devices, table, footer, errors. Pure text.

Source: NVIDIA/nccl-tests 2.17.6 src/util.cu and common.h (CUDACHECK, NCCLCHECK, TESTCHECK); compared with captures of
2.13 to 2.17.9.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan

from engine.commands.nccl._tests.settings import Settings

VERSION = "2.17.6"
TIME_FORMAT = "%Y-%m-%d %H:%M:%S"


@dataclass(frozen=True, slots=True)
class DeviceLine:
    """A rank as the header lists it; `address` is the PCI address (`0000:1b:00`)."""

    rank: int
    pid: int
    host: str
    device: int
    address: str
    name: str
    group: int = 0

    def text(self) -> str:
        place = f"Pid {self.pid:6} on {self.host:>10} device {self.device:2} [{self.address}] {self.name}"
        return f"#  Rank {self.rank:2} Group {self.group:2} {place}"


@dataclass(frozen=True, slots=True)
class Measured:
    """One side of a row: microseconds, and GB/s of algorithm and bus. `wrong` None: not checked."""

    time: float
    algorithm: float
    bus: float
    wrong: int | None = 0


def nccl_code(version: str) -> int:
    """NCCL_VERSION_CODE: 22809 of 2.28.9."""
    major, minor, patch = (int(part) for part in version.split(".")[:3])
    return major * 10_000 + minor * 100 + patch


def header(program: str, settings: Settings, nccl: str) -> list[str]:
    """The lines before the devices."""
    code = nccl_code(nccl)
    factor = settings.stepfactor > 1
    step = f"{settings.stepfactor}(factor)" if factor else f"{settings.stepbytes}(bytes)"
    lines = [
        f"# nccl-tests version {VERSION} nccl-headers={code} nccl-library={code}",
        f"# Collective test starting: {program}",
        f"# nThread {settings.nthreads} nGpus {settings.ngpus} minBytes {settings.minbytes} "
        f"maxBytes {settings.maxbytes} step: {step} warmup iters: {settings.warmup_iters} iters: {settings.iters} "
        f"agg iters: {settings.agg_iters} validation: {settings.check} graph: {settings.cudagraph}",
    ]
    if settings.blocking:
        lines.append("# Blocking Enabled: wait for completion and barrier after each collective ")
    if settings.parallel_init:
        lines.append("# Parallel Init Enabled: threads call into NcclInitRank concurrently ")
    return [*lines, "#", "# Using devices"]


def too_few_gpus(wanted: int, found: int) -> str:
    """What a process says that sees fewer GPUs than it is to use."""
    return (
        f"Invalid number of GPUs: {wanted} requested but only {found} were found.\n"
        "Please check the number of processes and GPUs per process.\n"
    )


def columns(settings: Settings) -> list[str]:
    """The head of the table."""
    stamp, width = ("timestamp", 19) if settings.report_timestamps else ("", 0)
    time = "cputime" if settings.report_cputime else "time"
    blank = f"# {'':>10}  {'':>12}  {'':>8}  {'':>6}  {'':>6}"
    names = f"# {'size':>10}  {'count':>12}  {'type':>8}  {'redop':>6}  {'root':>6}"
    units = f"# {'(B)':>10}  {'(elements)':>12}  {'':>8}  {'':>6}  {'':>6}"
    side = f"  {time:>7}  {'algbw':>6}  {'busbw':>6}  {'#wrong':>6}"
    unit_side = f"  {'(us)':>7}  {'(GB/s)':>6}  {'(GB/s)':>6}  {'':>6}"
    return [
        "#",
        f"{blank}           out-of-place                       in-place          ",
        f"{names}{side}{side} {stamp:>{width}}",
        f"{units}{unit_side}{unit_side} {TIME_FORMAT if settings.report_timestamps else '':>{width}}",
    ]


def row_start(size: int, count: int, kind: str, reduction: str, root: int) -> str:
    """A row up to its figures."""
    return f"{size:>12}  {count:>12}  {kind:>8}  {reduction:>6}  {root:>6}"


def side(measured: Measured) -> str:
    """The figures of one side of a row."""
    wrong = "   N/A" if measured.wrong is None else f"{measured.wrong:6g}"
    return f"  {figure(measured.time, 7):>7}  {figure(measured.algorithm, 6):>6}  {figure(measured.bus, 6):>6}  {wrong}"


def figure(value: float, width: int) -> str:
    """A number in so many characters, with as many digits after the point as fit (getFloatStr)."""
    power, bound = 0, 1
    while value >= bound:
        power, bound = power + 1, bound * 10
    if power < width - 2:
        return f"{value:{width}.2f}"
    if power < width - 1:
        return f"{value:{width}.1f}"
    if power < width + 1:
        return f"{value:{width}.0f}"
    return f"{value:{width}.1e}" if width >= 7 else f"{value:{width}.0e}"


def footer(
    program: str, average: float, least: float | None, memory: Sequence[tuple[str, int]], wrong: int = 0
) -> list[str]:
    """The lines after the table; `least` is NCCL_TESTS_MIN_BW, `memory` what -M tells (bytes by what they are for),
    `wrong` how many checks found wrong elements.
    """
    judged = "" if least is None else "FAILED" if average < least * 0.9 else "OK"
    lines = [
        f"# Out of bounds values : {wrong} {'FAILED' if wrong else 'OK'}",
        f"# Avg bus bandwidth    : {shortest(average)} {judged}",
        "#",
        f"# Collective test concluded: {program}",
    ]
    if memory:
        parts = " | ".join(f"{name} {amount(size)}" for name, size in memory)
        lines.append(f"# GPU memory usage     : {parts} | Total  {amount(sum(size for _, size in memory))}")
    return [*lines, "#", ""]


def shortest(value: float) -> str:
    """A number as C's %g prints it; nothing divided by nothing is -nan on x86."""
    return "-nan" if isnan(value) else f"{value:g}"


def amount(size: float) -> str:
    """Bytes as the memory report has them: three digits and a unit."""
    unit = "B"
    for name in ("KB", "MB", "GB"):
        if abs(size) >= 1024:
            size, unit = size / 1024, name
    digits = 2 if abs(size) < 10 else 1 if abs(size) < 100 else 0
    return f"{size:.{digits}f} {unit}"


def failure_lines(host: str, pid: int, reason: str, places: Iterable[str]) -> list[str]:
    """What a process prints on its way out: the call that failed (`NCCL failure`, `CUDA failure`, ...), then each
    caller.
    """
    first, *callers = places
    what, _, why = reason.partition("|")
    start = f"{host}: {what}" if what == "timeout" else f"{host}: Test {what} failure {first} '{why}'"
    if what == "timeout":
        start = f"{host}: Test timeout ({why}s) {first}"
    lines = [start] if reason else []
    callers = callers if reason else [first, *callers]
    return [*lines, *(f" .. {host} pid {pid}: Test failure {caller}" for caller in callers)]
