"""How a Slurm command talks to the daemons, parses its line, and fails.

Source: SchedMD/slurm 24.11 (src/common/log.c for `sinfo: error:`, src/plugins/auth/munge/auth_munge.c,
src/api/config_info.c), and outputs of 22.05 with a dead slurmctld and slurmdbd.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.options import Option, Parsed, UsageError, option_lines, parse
from engine.control import service_state
from engine.control.accounts import accounts
from engine.control.slurm import configuration, contact, jobs, registration
from engine.control.slurm.config_file import ConfigurationError
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.files import controller_host
from engine.control.slurm.version import version_line
from engine.kernel.random import hash64

Body = Callable[[Context, Parsed], int | Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A Slurm command with getopt options: what it is, how it is used, and what it does."""

    name: str
    summary: str
    usage: str
    options: Sequence[Option]
    body: Body
    manual: str = ""
    help_status: int = 0
    bad_option_status: int = 1
    permute: bool = True
    complete: Callable[[Context, Sequence[str]], Sequence[str]] | None = None


HELP_OPTIONS = (
    Option(long="help", help="show this help and exit"),
    Option(long="usage", help="show the usage and exit"),
    Option("V", "version", help="print the version and exit"),
)


def command(tool: Tool) -> Command:
    """The declaration of a tool."""
    options = (*tool.options, *HELP_OPTIONS)
    return Command(
        tool.name, tool.summary, lambda ctx: run(ctx, tool, options), tool.usage, options,
        tool.manual or tool.summary, complete=tool.complete,
    )  # fmt: skip


async def run(ctx: Context, tool: Tool, options: Sequence[Option]) -> int:
    """Parse the line and do what it says."""
    trailer = f'Try "{tool.name} --help" for more information'
    try:
        parsed = parse(
            tool.name, options, ctx.arguments, trailer=trailer, status=tool.bad_option_status, permute=tool.permute
        )
        if "help" in parsed or "usage" in parsed:
            return _help(ctx, tool, options, brief="help" not in parsed)
        if "version" in parsed:
            ctx.line(version_line(ctx.inventory))
            return 0
        if not readable(ctx):
            return 1
        result = tool.body(ctx, parsed)
        return await result if inspect.isawaitable(result) else result
    except UsageError as refused:
        ctx.stderr.write(refused.text.encode("utf-8", "surrogateescape"))
        return refused.status


def fail(ctx: Context, text: str, status: int = 1) -> UsageError:
    """An error line in the tool's own name, to be raised."""
    return UsageError(f"{ctx.name}: error: {text}\n", status)


def error(ctx: Context, text: str) -> None:
    """`sinfo: error: ...` on standard error."""
    ctx.error(f"{ctx.name}: error: {text}")


def reach(ctx: Context) -> SlurmError | None:
    """Whether slurmctld can be asked from here; if munge is down, its lines are printed."""
    obstacle = contact.to_controller(ctx.world, ctx.host, ctx.now)
    if obstacle is None:
        return None
    if obstacle.kind == "munge_down":
        for line in contact.SOCKET_LINES:
            ctx.error(f"{ctx.name}: {line}")
    return SlurmError.AUTHENTICATION if obstacle.kind in ("munge_down", "credential") else SlurmError.CONNECTION


def readable(ctx: Context) -> bool:
    """Whether slurm.conf of this host can be read, as every client does first; if not, its mistakes are printed."""
    try:
        configuration.parse_for_node(configuration.text_on(ctx.world, ctx.host, configuration.SLURM_CONF))
    except ConfigurationError as refused:
        for line in refused.lines:
            ctx.error(f"{ctx.name}: {line}")
        return False
    return True


def reach_database(ctx: Context) -> bool:
    """Whether slurmdbd can be asked; if not, the lines that sacct prints then are printed."""
    host = controller_host(ctx.inventory)
    if registration.is_running(ctx.world, host, "slurmdbd"):
        return True
    why = "Connection refused" if service_state.is_active(ctx.world, host, "ssh") else "Connection timed out"
    opened = "slurm_persist_conn_open_without_init: failed to open persistent connection to host"
    error(ctx, f"{opened}:{host}:6819: {why}")
    error(ctx, f"Sending PersistInit msg: {why}")
    error(ctx, f"Problem talking to the database: {why}")
    return False


def words(text: str) -> list[str]:
    """The parts of a comma-separated list."""
    return [part for part in text.split(",") if part]


def _help(ctx: Context, tool: Tool, options: Sequence[Option], brief: bool) -> int:
    ctx.line(f"Usage: {tool.usage}")
    if not brief:
        for line in option_lines(options):
            ctx.line(line)
    return tool.help_status


def session_of(ctx: Context) -> int:
    """The session that a job is submitted from (AllocNode:Sid); the same for all commands of a user on a host."""
    return 2_000 + hash64(ctx.host, ctx.identity.name, "session") % 60_000


def known_jobs(ctx: Context) -> list[str]:
    """The numbers of the jobs that slurmctld works on, for completion."""
    return [str(job.id) for job in jobs.active(ctx.world)]


def user_name(ctx: Context, text: str) -> str | None:
    """The user that a name or a uid stands for; None if there is none."""
    known = accounts(ctx.inventory)
    return next((account.name for account in known if text in (account.name, str(account.uid))), None)
