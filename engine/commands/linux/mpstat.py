"""mpstat of sysstat 12.6.1: how CPUs spend their time, from /proc/stat. Format after sysstat's source."""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context, Interrupted
from engine.commands.linux._support import clock, paths
from engine.commands.options import Option, UsageError, option_lines
from engine.control import kernel_image
from engine.kernel.units import SECOND

_COLUMNS = ("%usr", "%nice", "%sys", "%iowait", "%irq", "%soft", "%steal", "%guest", "%gnice", "%idle")
_ORDER = (0, 1, 2, 4, 5, 6, 7, 8, 9, 3)
"""Where /proc/stat has each column."""

_OPTIONS = (
    Option("P", None, "CPU,...|ALL", name="cpus", help="these CPUs, or all"),
    Option("A", None, name="all", help="the same as -P ALL"),
    Option("u", None, name="utilization", help="how time is spent, as is usual"),
    Option("V", None, name="version", help="print the version"),
    Option(None, "help", help="print this text"),
)
_LABEL_WIDTH = 11
Ticks = dict[str, list[int]]


async def run(ctx: Context) -> int:
    """Print the shares since the boot, or at every interval."""
    chosen, interval, count = _read(ctx)
    if chosen is None:
        return 0
    ctx.line(_banner(ctx))
    if interval is None:
        ctx.line("\n" + _header(_now(ctx)))
        _print(ctx, chosen, {}, _ticks(ctx), _now(ctx))
        return 0
    return await _watch(ctx, chosen, interval, count)


async def _watch(ctx: Context, chosen: list[str], interval: int, count: int | None) -> int:
    """A table for each interval, or one line in the same table if it is one CPU; at the end the average."""
    first = before = _ticks(ctx)
    several, done = len(chosen) > 1, 0
    try:
        while count is None or done < count:
            began = _now(ctx)
            await ctx.sleep(interval)
            now = _ticks(ctx)
            if done == 0 or several:
                ctx.line("\n" + _header(began))
            _print(ctx, chosen, before, now, _now(ctx))
            before, done = now, done + 1
    except Interrupted:
        ctx.line()
    if done:
        if several:
            ctx.line("\n" + _header("Average:"))
        _print(ctx, chosen, first, before, "Average:")
    return 0


def _read(ctx: Context) -> tuple[list[str] | None, int | None, int | None]:
    """CPUs, interval in ns, count. No CPUs: the line is answered already."""
    cpus, queue = ["all"], list(ctx.arguments)
    numbers: list[int] = []
    while queue:
        word = queue.pop(0)
        if word == "--help":
            ctx.write("\n".join(["Usage: mpstat [OPTION]... [INTERVAL [COUNT]]", *option_lines(_OPTIONS), ""]))
            return None, None, None
        if word == "-V":
            ctx.line("sysstat version 12.6.1")
            return None, None, None
        if word == "-P" and queue:
            value = queue.pop(0)
            cpus = _every(ctx) if value in ("ALL", "ON") else value.split(",")
        elif word == "-A":
            cpus = _every(ctx)
        elif word.isdigit() and len(numbers) < 2:
            numbers.append(int(word))
        elif word != "-u":
            raise UsageError("Usage: mpstat [ options ] [ <interval> [ <count> ] ]\n")
    wrong = next((cpu for cpu in cpus if cpu not in _every(ctx)), None)
    if wrong is not None:
        raise UsageError("Usage: mpstat [ options ] [ <interval> [ <count> ] ]\n")
    interval = numbers[0] * SECOND if numbers and numbers[0] else None
    return cpus, interval, numbers[1] if len(numbers) > 1 else None


def _every(ctx: Context) -> list[str]:
    return ["all", *(str(cpu) for cpu in range(kernel_image.cpus(ctx.node)))]


def _ticks(ctx: Context) -> Ticks:
    """CPU time by kind, of all CPUs together and of each."""
    lines = [line.split() for line in paths.read_or(ctx, "/proc/stat").splitlines() if line.startswith("cpu")]
    return {words[0].removeprefix("cpu") or "all": [int(word) for word in words[1:]] for words in lines}


def _banner(ctx: Context) -> str:
    date = clock.shown(ctx, ctx.epoch, "%m/%d/%Y" if clock.moment(ctx).american else "%m/%d/%y")
    cpus = kernel_image.cpus(ctx.node)
    return f"Linux {kernel_image.running(ctx.world, ctx.host)} ({ctx.host}) \t{date} \t_x86_64_\t({cpus} CPU)"


def _now(ctx: Context) -> str:
    return clock.shown(ctx, ctx.epoch, "%I:%M:%S %p" if clock.moment(ctx).american else "%H:%M:%S")


def _label(text: str) -> str:
    return text.ljust(_LABEL_WIDTH)


def _header(time: str) -> str:
    return f"{_label(time)}  CPU" + "".join(f" {name:>7}" for name in _COLUMNS)


def _print(ctx: Context, cpus: list[str], before: Ticks, now: Ticks, time: str) -> None:
    for cpu in cpus:
        used = [a - b for a, b in zip(now[cpu], before.get(cpu, [0] * len(now[cpu])), strict=True)]
        total = max(1, sum(used))
        shares = [_percent(used[place] if place < len(used) else 0, total) for place in _ORDER]
        ctx.line(f"{_label(time)} {cpu:>4}" + "".join(f" {share:>7}" for share in shares))


def _percent(part: int, total: int) -> str:
    hundredths = (part * 20_000 // total + 1) // 2
    return f"{hundredths // 100}.{hundredths % 100:02d}"


COMMAND = Command(
    "mpstat",
    "show how CPUs spend their time",
    run,
    "mpstat [-P CPU,...|ALL] [INTERVAL [COUNT]]",
    _OPTIONS,
    "Without INTERVAL the shares since the boot are printed; with it those of each interval, then their mean.",
)
