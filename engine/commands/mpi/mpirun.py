"""mpirun of Open MPI 4.1.6 (Ubuntu 24.04): a program as many processes, on this and other hosts.

Source: mpirun(1), open-mpi/ompi v4.1 orte/tools/orterun; see `_support` for texts and placing. One program at a time;
parameters given with --mca are accepted and handed on, whatever they are.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import remote
from engine.commands.linux._support.talking import program
from engine.commands.mpi._support import arguments as line
from engine.commands.mpi._support import hosts, launch
from engine.commands.mpi._support.arguments import HELP, Arguments
from engine.commands.mpi._support.texts import framed
from engine.commands.options import Option
from engine.control import programs
from engine.kernel.random import hash64

VERSION = "4.1.6"
_FAILED, _ENDED = 1, 143
_REPORT_BUGS = "Report bugs to http://www.open-mpi.org/community/help/"
_CONFIRMED = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")
_PASSED_ON = ("OMPI_", "SLURM_")
_SIGNALS = {2: "Interrupt", 6: "Aborted", 9: "Killed", 11: "Segmentation fault", 15: "Terminated"}  # strsignal(3)


async def run(ctx: Context) -> int:
    """Start the processes, hand their lines on, tell how they ended."""
    given = line.read(ctx.name, ctx.arguments)
    confirmed = all(ctx.environment.get(name) == "1" for name in _CONFIRMED)
    if ctx.is_root and not confirmed and "allow-run-as-root" not in given:
        ctx.stderr.write(framed("root", name=ctx.name).encode())
        return _FAILED
    if "version" in given:
        ctx.line(f"{ctx.name} (Open MPI) {VERSION}\n\n{_REPORT_BUGS}")
        return 0
    if "help" in given:
        ctx.write(_usage(ctx.name))
        return 0
    if given.gap:
        return ctx.not_modelled(f"{ctx.name} {given.gap}")
    if not given.program:
        ctx.stderr.write(framed("nothing", name=ctx.name).encode())
        return _FAILED
    places = hosts.place(ctx, given, hosts.slots(ctx, given))
    async with program(ctx) as pid:
        return await _run(ctx, given, places, pid)


def _usage(name: str) -> str:
    lines = [
        f"{name} (Open MPI) {VERSION}",
        "",
        f"Usage: {name} [OPTION]...  [PROGRAM]...",
        "Start the given program",
        "",
    ]
    for option, argument, text in HELP:
        dashes = "-" if option[0] in "npHNx" and len(option.split(",")[0]) < 3 else "--"
        lines.append(f"   {f'{dashes}{option} {argument}'.rstrip():<32} {text}")
    return "\n".join([*lines, "", _REPORT_BUGS, ""])


async def _run(ctx: Context, given: Arguments, places: list[hosts.Place], pid: int) -> int:
    rooms = await launch.start_daemons(ctx, places)
    if isinstance(rooms, remote.Failure):
        if rooms.gap:
            return ctx.not_modelled(rooms.gap)
        ctx.error(rooms.text)
        ctx.stderr.write(framed("daemons").encode())
        return _FAILED
    number = hash64(ctx.world.seed, "mpirun", ctx.host, pid) % 65_000 + 1
    job = launch.Job(number, pid, given.program, places, _exported(ctx, given), given.last("wdir"))

    def hear(rank: str, is_error: bool, text: bytes) -> None:
        stream = "stderr" if is_error else "stdout"
        mark = f"[1,{rank}]<{stream}>:".encode() if "tag-output" in given else b""
        (ctx.stderr if is_error else ctx.stdout).write(mark + text + b"\n")

    stdin = await ctx.stdin.read() if ctx.stdin.attached else b""
    await ctx.flush()
    ending = await launch.run(ctx, job, rooms, hear, stdin)
    if not programs.runs(ctx.world, ctx.host, pid):
        return _ENDED
    return _tell(ctx, job, ending)


def _exported(ctx: Context, given: Arguments) -> dict[str, str]:
    """The variables that the processes get beside those of their hosts."""
    found = {name: value for name, value in ctx.environment.items() if name.startswith(_PASSED_ON)}
    found |= {f"OMPI_MCA_{name}": value for name, value in given.all("mca") + given.all("gmca")}
    for (text,) in given.all("x"):
        for word in text.split(";"):
            name, equals, value = word.partition("=")
            if equals:
                found[name] = value
            elif name in ctx.environment:
                found[name] = ctx.environment[name]
            else:
                ctx.error(f'Warning: could not find environment variable "{name}"')
    return found


def _tell(ctx: Context, job: launch.Job, ending: launch.Ending) -> int:
    """The frames about the first process that went wrong. Returns mpirun's status."""
    rank = ending.first
    if rank is None:
        return 0
    status, host = ending.statuses[rank], job.places[rank].host
    if status == launch.NODE_LOST:
        number = list(dict.fromkeys(place.host for place in job.places)).index(host) + 1
        ctx.stderr.write(framed("lost daemon", job=job.number, here=ctx.host, host=host, number=number).encode())
        return _FAILED
    if status == launch.NOT_FOUND:
        executable = framed("executable", name=ctx.name, rank=rank, host=host, program=job.words[0])
        ctx.stderr.write(executable.encode())
        ctx.error(f"{len(job.places)} total processes failed to start")
        return _FAILED
    if len(job.places) > 1:
        ctx.stderr.write(framed("first failed").encode())
    if status > 128 and (title := _SIGNALS.get(status - 128)):
        signal = status - 128
        text = framed("signalled", name=ctx.name, rank=rank, host=host, signal=signal, title=title)
    else:
        text = framed("exited", name=ctx.name, job=job.number, rank=rank, status=status)
    ctx.stderr.write(text.encode())
    return status


def named(name: str) -> Command:
    """The launcher under one of its names."""
    return Command(
        name,
        "run a program as many processes, here and on other hosts",
        run,
        f"{name} [OPTION]... PROGRAM [ARGUMENT]...",
        (
            Option(None, "hostfile", "FILE", help="hosts from a file: lines of HOST slots=N"),
            Option(None, "host", "HOSTS", help="hosts and their slots: dgx-01:8,dgx-02:8 (-H)"),
            Option(None, "map-by", "WHAT", help="place by slot, node, socket, numa, core or ppr:N:node"),
            Option(None, "bind-to", "WHAT", help="bind to none, core, numa or socket"),
            Option(None, "mca", "NAME", help="set a parameter: --mca NAME VALUE"),
            Option(None, "oversubscribe", help="more processes than slots are fine"),
            Option(None, "allow-run-as-root", help="also for root"),
            Option(None, "tag-output", help="put job and rank before each line"),
            Option(None, "version", help="print the version and end"),
            Option("n", None, "N", help="run N processes (-np)"),
            Option("N", None, "N", help="so many processes on each host"),
            Option("x", None, "NAME", help="give the variable to the processes: -x NAME or NAME=VALUE"),
        ),
        "Starts PROGRAM as N processes that know of each other: mpirun -np 16 -H dgx-01:8,dgx-02:8 all_reduce_perf\n"
        "-b 1M -e 1G -f 2. Other hosts are reached over ssh. When a process fails, all are ended.",
    )


COMMAND = named("mpirun")
