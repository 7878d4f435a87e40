"""sdiag: how slurmctld is doing: jobs, its looks at the queue, backfill.

Slurm 24.11. Source: SchedMD/slurm src/sdiag/sdiag.c; compared with 22.05. Counts are of the day so far (slurmctld puts
them to 0 at midnight, UTC) and follow from the jobs. How long cycles took is not modelled by clock: the figures grow
with the queue as a real one's do (a guess); requests are not counted.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.options import Option, Parsed, UsageError
from engine.commands.slurm._support.client import Tool, command, reach
from engine.control.slurm import jobs, ledger
from engine.control.slurm.jobs import recorded
from engine.control.slurm.times import date_line
from engine.control.slurm.version import at_least
from engine.kernel.units import DAY, SECOND
from engine.world.records import Job

OPTIONS = (
    Option("a", "all", help="all statistics"),
    Option("i", "sort-by-id", help="sort requests by their numbers"),
    Option("M", "cluster", "NAME", help="ask another cluster"),
    Option("r", "reset", help="put the counts to 0"),
    Option("t", "sort-by-time", help="sort requests by their time"),
    Option("T", "sort-by-time2", help="sort requests by their average time"),
    Option(long="json", argument="VERSION", optional=True, help="JSON"),
    Option(long="yaml", argument="VERSION", optional=True, help="YAML"),
)
_GAPS = ("cluster", "reset", "json", "yaml")
_LINE = "*******************************************************"
_OVER = ("COMPLETED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY")


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the statistics."""
    for gap in _GAPS:
        if gap in parsed:
            return ctx.not_modelled(f"sdiag --{gap}")
    if parsed.operands:
        raise UsageError(f"sdiag: error: Unrecognized option: {parsed.operands[0]}\n")
    if refused := reach(ctx):
        ctx.error(f"slurm_get_statistics: {refused.text}")
        return 1
    since = _midnight(ctx)
    ctx.write("\n".join([*_head(ctx, since), *_jobs(ctx, since), *_main(ctx), *_backfill(ctx, since), *_tail()]) + "\n")
    return 0


def _midnight(ctx: Context) -> int:
    """When the counts were last put to 0, ns since the site's start."""
    start = ctx.inventory.start
    return (start + ctx.now) // DAY * DAY - start


def _stamp(ctx: Context, time: int) -> str:
    return f"{date_line(ctx.inventory, time)} ({(ctx.inventory.start + time) // SECOND})"


def _head(ctx: Context, since: int) -> list[str]:
    queue = ["RPC queue enabled:    0"] if at_least(ctx.inventory, 24, 11) else []
    return [
        _LINE, f"sdiag output at {_stamp(ctx, ctx.now)}", f"Data since      {_stamp(ctx, since)}", _LINE,
        "Server thread count:  1", *queue, "Agent queue size:     0", "Agent count:          0",
        "Agent thread count:   0", "DBD Agent queue size: 0", "",
    ]  # fmt: skip


def _jobs(ctx: Context, since: int) -> list[str]:
    known = recorded(ctx.world)
    active = list(ledger.ledger(ctx.world).active.values())
    over = [job for job in known if job.ended is not None and job.ended >= since]
    return [
        f"Jobs submitted: {sum(job.submitted >= since for job in known)}",
        f"Jobs started:   {sum(job.started is not None and job.started >= since for job in known)}",
        f"Jobs completed: {sum(job.state in _OVER for job in over)}",
        f"Jobs canceled:  {sum(job.state == 'CANCELLED' for job in over)}",
        f"Jobs failed:    {sum(job.state == 'FAILED' for job in over)}",
        "",
        f"Job states ts:  {_stamp(ctx, ctx.now // (30 * SECOND) * 30 * SECOND)}",
        f"Jobs pending:   {sum(max(len(job.array_tasks), 1) for job in active if job.state == 'PENDING')}",
        f"Jobs running:   {sum(job.state == 'RUNNING' for job in active)}",
        "",
    ]


def _main(ctx: Context) -> list[str]:
    controller, waiting = ctx.world.slurm[""], len(ledger.ledger(ctx.world).queue)
    cycle = 150 + 40 * waiting
    cycles = [f"\tMean cycle:   {cycle}", f"\tMean depth cycle:  {min(waiting, 100)}"] if controller.passes else []
    return [
        "Main schedule statistics (microseconds):",
        f"\tLast cycle:   {cycle if controller.passes else 0}",
        f"\tMax cycle:    {cycle + 800 if controller.passes else 0}",
        f"\tTotal cycles: {controller.passes}",
        *cycles,
        f"\tLast queue length: {waiting}",
        "",
    ]


def _backfill(ctx: Context, since: int) -> list[str]:
    known, controller = recorded(ctx.world), ctx.world.slurm[""]
    waiting = len(ledger.ledger(ctx.world).queue)
    backfilled = [job for job in known if job.backfilled and job.started is not None]
    today = sum(job.started is not None and job.started >= since for job in backfilled)
    last = controller.full_pass
    return [
        "Backfilling stats",
        f"\tTotal backfilled jobs (since last slurm start): {len(backfilled)}",
        f"\tTotal backfilled jobs (since last stats cycle start): {today}",
        "\tTotal backfilled heterogeneous job components: 0",
        f"\tTotal cycles: {controller.passes}",
        f"\tLast cycle when: {'N/A' if last is None else _stamp(ctx, last)}",
        f"\tLast cycle: {300 + 90 * waiting if last is not None else 0}",
        f"\tMax cycle:  {1_100 + 90 * waiting if last is not None else 0}",
        f"\tLast depth cycle: {waiting}",
        f"\tLast depth cycle (try sched): {sum(jobs.priority(ctx.world, job, ctx.now) > 0 for job in _queued(ctx))}",
        f"\tLast queue length: {waiting}",
        f"\tLast table size: {len(controller.planned_nodes)}",
        "",
    ]


def _queued(ctx: Context) -> list[Job]:
    return [jobs.active_job(ctx.world, number) for _, number in ledger.ledger(ctx.world).queue]


def _tail() -> list[str]:
    return [
        "Latency for 1000 calls to gettimeofday(): 21 microseconds",
        "",
        "Remote Procedure Call statistics by message type",
        "\tNo RPCs recorded yet.",
        "",
        "Remote Procedure Call statistics by user",
        "",
        "Pending RPC statistics",
        "\tNo pending RPCs",
    ]


COMMAND = command(
    Tool(
        "sdiag",
        "show how slurmctld is doing",
        "sdiag [-M cluster] [-aritT]",
        OPTIONS,
        run,
        manual="Counts of jobs since midnight (UTC), the scheduler's cycles, and backfill. Requests are not counted.",
    )
)
