"""logger of util-linux 2.39.3: writes to the journal, as an action. Texts compared with util-linux 2.38."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.linux._support.journal import FACILITIES, PRIORITIES
from engine.commands.linux._support.program import UTIL_LINUX, program
from engine.commands.options import Option, Parsed, UsageError
from engine.control.journald import WriteLog
from engine.hostfs.tree import FileError

_UNMODELLED = ("server", "socket", "journald", "rfc5424", "sd-id", "sd-param")


async def run(ctx: Context, parsed: Parsed) -> int:
    """Log the words, a file, or standard input line by line."""
    for key in _UNMODELLED:
        if key in parsed:
            return ctx.not_modelled(f"logger --{key}")
    facility, priority = _priority(parsed["priority"] or "user.notice")
    if "file" in parsed:
        try:
            data = await ctx.stdin.read() if parsed["file"] == "-" else paths.read(ctx, parsed["file"])
        except FileError as error:
            ctx.error(f"logger: file {parsed['file']}: {error.text}")
            return 1
        lines = data.decode("utf-8", "replace").splitlines()
    elif parsed.operands:
        lines = [" ".join(parsed.operands)]
    else:
        lines = (await ctx.stdin.read()).decode("utf-8", "replace").splitlines()
    for line in lines:
        if line or "skip-empty" not in parsed:
            _write(ctx, parsed, line, facility, priority)
    return 0


def _priority(text: str) -> tuple[str, int]:
    facility, dot, level = text.rpartition(".")
    if level not in PRIORITIES or (dot and facility not in FACILITIES):
        raise UsageError(f"logger: unknown priority name: {text}\n")
    return facility or "user", PRIORITIES[level]


def _write(ctx: Context, parsed: Parsed, line: str, facility: str, priority: int) -> None:
    tag = parsed["tag"] or ctx.environment.get("SUDO_USER") or ctx.identity.name
    shows = "id" in parsed or "pid" in parsed
    pid = ctx.world.systems[ctx.host].next_pid if shows else None
    # The kernel's own facility is not open to programs; what they send under it counts as the user's.
    where = "user" if facility == "kern" else facility
    if "no-act" not in parsed:
        ctx.simulation.apply(WriteLog(ctx.host, line, tag, priority, where, pid))
    if "stderr" in parsed:
        ctx.error(f"<{FACILITIES[where] * 8 + priority}>{tag}{f'[{pid}]' if shows else ''}: {line}")


COMMAND = program(
    "logger",
    "write to the journal",
    run,
    suite=UTIL_LINUX,
    synopsis="logger [OPTION]... [MESSAGE]",
    options=(
        Option("i", None, name="pid", help="with the process id"),
        Option(None, "id", "ID", optional=True, help="the same, or with ID"),
        Option("e", "skip-empty", name="skip-empty", help="leave out empty lines of a file"),
        Option(None, "no-act", name="no-act", help="do everything but write"),
        Option("f", "file", "FILE", help="log the lines of FILE"),
        Option("p", "priority", "PRIORITY", help="facility.level, user.notice if not given"),
        Option("s", "stderr", help="to standard error too"),
        Option("t", "tag", "TAG", help="under this name, not the user's"),
        Option("n", "server", "HOST", help="to another host"),
        Option("u", "socket", "SOCKET", help="to a socket"),
        Option(None, "journald", "FILE", optional=True, help="journal fields"),
        Option(None, "rfc5424", "LIST", optional=True, help="in RFC 5424's form"),
        Option("S", "size", "SIZE", help="longest message"),
    ),
    manual="""
    Levels: emerg, alert, crit, err, warning, notice, info, debug. Without MESSAGE, standard input is logged line by
    line. `journalctl -t TAG` shows what was written.
    """,
)
