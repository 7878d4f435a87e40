"""journalctl of systemd 255 (Ubuntu 24.04). Output modes and errors compared with journalctl 252 reading a journal of
known entries.

Sizes of journal files are a guess; vacuuming and file maintenance are not modelled.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import clock, pager
from engine.commands.linux._support.journal import NO_ENTRIES, PRIORITIES, Entry, may_read
from engine.commands.linux._support.journal_filter import Filter, is_boot, read_filter
from engine.commands.linux._support.journal_output import BOOT_MARKED, MODES, Style, lines
from engine.commands.linux._support.program import SYSTEMD, program
from engine.commands.linux._support.tables import table
from engine.commands.linux._support.timestamps import format_timestamp
from engine.commands.options import Option, Parsed, UsageError
from engine.control import journald, service_state
from engine.kernel.random import hash64
from engine.kernel.units import SECOND

_HINT = """Hint: You are currently not seeing messages from other users and the system.
      Users in groups 'adm', 'systemd-journal' can see all messages.
      Pass -q to turn off this notice.
No journal files were opened due to insufficient permissions."""
_UNMODELLED = ("verify", "sync", "flush", "rotate", "header", "relinquish_var", "setup_keys", "list_catalog",
               "vacuum_size", "vacuum_files", "vacuum_time", "cursor_file", "directory", "file", "root", "image",
               "machine", "user",
               "user_unit", "namespace", "update_catalog", "dump_catalog", "smart_relinquish_var")  # fmt: skip
_CLUSTER = re.compile(r"-[a-zA-Z]*[bn]")


async def run(ctx: Context, parsed: Parsed) -> int:
    """Show the entries asked for, and go on with -f."""
    for key in _UNMODELLED:
        if key in parsed:
            return ctx.not_modelled(f"journalctl --{key.replace('_', '-')}")
    if not may_read(ctx.identity):
        for line in _HINT.splitlines()[-1 if "quiet" in parsed else 0 :]:
            ctx.error(line)
        return 1
    for key, action in _ACTIONS.items():
        if key in parsed:
            return await action(ctx, parsed)
    style, wanted = _style(ctx, parsed), read_filter(ctx, parsed)
    seen = len(ctx.world.logs[ctx.host].entries)
    chosen, marked = _chosen(ctx, parsed, wanted), style.mode in BOOT_MARKED
    printed = [NO_ENTRIES] if not chosen and "quiet" not in parsed else _printed(chosen, style, marked)
    if "show_cursor" in parsed and chosen:
        printed.append(f"-- cursor: {chosen[-1].cursor}")
    if "follow" in parsed:
        for line in printed if chosen else []:
            ctx.line(line)
        await _follow(ctx, wanted, style, seen)
        return 0
    if "no_pager" in parsed or ctx.environment.get("SYSTEMD_PAGER") in ("", "cat"):
        ctx.write("".join(line + "\n" for line in printed))
    else:
        await pager.show(ctx, printed, at_end="pager_end" in parsed)
    return 0 if chosen or parsed["grep"] is None else 1


def _style(ctx: Context, parsed: Parsed) -> Style:
    mode = parsed["output"] or "short"
    if mode == "help":
        raise UsageError("\n".join(MODES) + "\n", 0)
    if mode not in MODES:
        raise UsageError(f"Unknown output format '{mode}'.\n")
    return Style(
        mode=mode,
        zone="Etc/UTC" if "utc" in parsed else clock.timezone(ctx),
        hostname="no_hostname" not in parsed,
        colour=ctx.terminal is not None,
        fields=tuple(field for text in parsed.all("output_fields") for field in text.split(",")),
        catalog="catalog" in parsed,
    )


def _chosen(ctx: Context, parsed: Parsed, wanted: Filter) -> list[Entry]:
    found = wanted.entries(ctx)
    limit = _limit(ctx, parsed)
    if limit is not None:
        count, oldest = limit
        found = found[:count] if oldest else found[-count:] if count else []
    return found[::-1] if "reverse" in parsed and "follow" not in parsed else found


def _limit(ctx: Context, parsed: Parsed) -> tuple[int, bool] | None:
    """(how many entries, the oldest ones)."""
    if "lines" in parsed:
        text = parsed["lines"] or "10"
        if text == "all":
            return None
        if not re.fullmatch(r"\+?\d+", text):
            raise UsageError(f"Failed to parse --lines='{text}'.\n")
        return int(text), text.startswith("+")
    if "follow" in parsed and "no_tail" not in parsed:
        return 10, False
    return (1000, False) if "pager_end" in parsed else None


def _printed(entries: Sequence[Entry], style: Style, marked: bool) -> list[str]:
    """Entries as lines, with a line where another boot begins."""
    printed: list[str] = []
    boot = entries[0].boot.id if entries else ""
    for entry in entries:
        if marked and entry.boot.id != boot:
            printed.append(f"-- Boot {entry.boot.id} --")
            boot = entry.boot.id
        printed += lines(entry, style)
    return printed


async def _follow(ctx: Context, wanted: Filter, style: Style, seen: int) -> None:
    """Print what is written from now on."""
    while True:
        logs = ctx.world.logs[ctx.host].entries
        for entry in wanted.among(ctx, list(logs[seen:])):
            for line in lines(entry, style):
                ctx.line(line)
        seen = len(logs)
        await ctx.sleep(SECOND)


async def _list_boots(ctx: Context, parsed: Parsed) -> int:
    zone = "Etc/UTC" if "utc" in parsed else clock.timezone(ctx)
    rows = []
    boots = journald.boots(ctx.world, ctx.host)
    for boot in boots[::-1] if "reverse" in parsed else boots:
        first = ctx.epoch_at(boot.start)
        last = ctx.epoch_at(boot.end if boot.end is not None else _last_entry(ctx))
        rows.append([str(boot.index), boot.id, format_timestamp(zone, first), format_timestamp(zone, last)])
    for line in table(["IDX", "BOOT ID", "FIRST ENTRY", "LAST ENTRY"], rows, right=["IDX"]):
        ctx.line(line)
    return 0


def _last_entry(ctx: Context) -> int:
    """When the running boot last wrote something."""
    found = journald.entries(ctx.world, ctx.host, ctx.now - 86_400 * SECOND, ctx.now)
    return found[-1].time if found else ctx.now


async def _disk_usage(ctx: Context, _: Parsed) -> int:
    tenths = 3 + hash64(ctx.world.seed, ctx.host, "journal size") % 36
    ctx.line(f"Archived and active journals take up {tenths // 10}.{tenths % 10}G in the file system.")
    return 0


async def _fields(ctx: Context, parsed: Parsed) -> int:
    names = {name for entry in read_filter(ctx, parsed).entries(ctx) for name in entry.fields}
    for name in sorted(name for name in names if not name.startswith("__")):
        ctx.line(name)
    return 0


async def _field(ctx: Context, parsed: Parsed) -> int:
    found = {entry.fields.get(parsed["field"]) for entry in read_filter(ctx, parsed).entries(ctx)}
    for value in sorted(value for value in found if value is not None):
        ctx.line(value)
    return 0


_ACTIONS = {"list_boots": _list_boots, "disk_usage": _disk_usage, "fields": _fields, "field": _field}

OPTIONS = (
    Option(None, "system", help="the system's journal, as is usual"),
    Option(None, "user", help="the user's own journal"),
    Option("M", "machine", "CONTAINER", help="a container's journal"),
    Option("m", "merge", help="journals of all hosts that are here"),
    Option("D", "directory", "PATH", help="journal files from a directory"),
    Option("i", "file", "PATH", help="a journal file"),
    Option(None, "root", "ROOT", help="below another root"),
    Option(None, "image", "IMAGE", help="in a disk image"),
    Option(None, "namespace", "NAMESPACE", help="another namespace"),
    Option("S", "since", "DATE", help="not older than DATE"),
    Option("U", "until", "DATE", help="not newer than DATE"),
    Option("c", "cursor", "CURSOR", help="from a cursor on"),
    Option(None, "after-cursor", "CURSOR", help="after a cursor"),
    Option(None, "cursor-file", "FILE", help="after the cursor in FILE"),
    Option("b", "boot", "ID", optional=True, help="this boot, or the one given as an offset or id"),
    Option("u", "unit", "UNIT", help="a unit's entries"),
    Option(None, "user-unit", "UNIT", help="a user unit's entries"),
    Option("t", "identifier", "STRING", help="entries with this syslog identifier"),
    Option("p", "priority", "RANGE", help="this priority and what is graver, or FROM..TO"),
    Option(None, "facility", "FACILITY", help="entries of these facilities"),
    Option("g", "grep", "PATTERN", help="entries whose message matches"),
    Option(None, "case-sensitive", "BOOL", optional=True, help="respect capitals in -g"),
    Option("k", "dmesg", help="the kernel's messages of this boot"),
    Option("o", "output", "MODE", help="short, short-iso, short-precise, short-full, short-monotonic, cat, json, ..."),
    Option(None, "output-fields", "LIST", help="only these fields, in verbose and json"),
    Option("n", "lines", "N", optional=True, help="the last N entries, 10 if not given; +N: the first"),
    Option("r", "reverse", help="newest first"),
    Option(None, "show-cursor", help="print the last cursor"),
    Option(None, "utc", help="times in UTC"),
    Option("x", "catalog", help="with explanations where there are any"),
    Option(None, "no-hostname", help="without the host's name"),
    Option(None, "no-full", help="shorten long fields"),
    Option("l", "full", help="do not, as is usual"),
    Option("a", "all", help="everything, however long"),
    Option("f", "follow", help="go on with what is written from now on"),
    Option(None, "no-tail", help="with -f, everything so far too"),
    Option("q", "quiet", help="no notices"),
    Option(None, "no-pager", help="not through a pager"),
    Option("e", "pager-end", help="go to the end in the pager"),
    Option("N", "fields", help="list the names of all fields"),
    Option("F", "field", "FIELD", help="list the values of a field"),
    Option(None, "list-boots", help="list the boots that are known"),
    Option(None, "disk-usage", help="how much room the journal takes"),
    Option(None, "vacuum-size", "BYTES", help="shrink the journal"),
    Option(None, "vacuum-files", "INT", help="keep so many files"),
    Option(None, "vacuum-time", "TIME", help="remove what is older"),
    Option(None, "verify", help="check the files"),
    Option(None, "sync", help="write everything to disk"),
    Option(None, "relinquish-var", help="log to memory"),
    Option(None, "smart-relinquish-var", help="log to memory if /var is on another disk"),
    Option(None, "flush", help="move the log to disk"),
    Option(None, "rotate", help="begin new files"),
    Option(None, "header", help="show the files' headers"),
    Option(None, "list-catalog", help="list all explanations"),
    Option(None, "dump-catalog", help="show all explanations"),
    Option(None, "update-catalog", help="compile the explanations"),
    Option(None, "setup-keys", help="make sealing keys"),
)


def _joined(words: Sequence[str]) -> list[str]:
    """`-b -1` and `-n 20`: the value of an option whose value is optional may be the next word."""
    result: list[str] = []
    queue = list(words)
    while queue:
        word = queue.pop(0)
        takes_boot = word in ("-b", "--boot") or (_CLUSTER.fullmatch(word) and word.endswith("b"))
        takes_lines = word in ("-n", "--lines") or (_CLUSTER.fullmatch(word) and word.endswith("n"))
        follows = queue[0] if queue else ""
        if (takes_boot and is_boot(follows)) or (takes_lines and re.fullmatch(r"\+?\d+|all", follows)):
            word += ("=" if word.startswith("--") else "") + queue.pop(0)
        result.append(word)
    return result


def _with_joined_values(command: Command) -> Command:
    return replace(command, run=lambda ctx: command.run(replace(ctx, arguments=tuple(_joined(ctx.arguments)))))


def _complete(ctx: Context, words: Sequence[str]) -> Sequence[str]:
    """Units after -u, modes after -o, levels after -p."""
    before = words[-2] if len(words) > 1 else ""
    if before in ("-u", "--unit"):
        return service_state.units(ctx.world, ctx.host)
    choices = {"-o": MODES, "--output": MODES, "-p": tuple(PRIORITIES), "--priority": tuple(PRIORITIES)}
    return choices.get(before, ())


COMMAND = _with_joined_values(
    program(
        "journalctl",
        "show the journal of the system",
        run,
        suite=SYSTEMD,
        synopsis="journalctl [OPTION]... [MATCH]...",
        options=OPTIONS,
        complete=_complete,
        manual="""
        Prints what the kernel and the services wrote, oldest first. Options narrow it down and may be combined: -k -b
        -p err shows the kernel's errors of this boot, -u slurmd --since "1 hour ago" a service's last hour, -g Xid
        what mentions Xid.

        Boots are named by offsets: 0 the present one, -1 the one before; --list-boots shows them. A MATCH is
        FIELD=VALUE, such as _PID=1 or SYSLOG_IDENTIFIER=kernel. Dates are such as `2026-11-30 09:00`, `09:00`,
        `yesterday`, `-2h`, `30min ago`.

        Members of the groups adm and systemd-journal see everything, others nothing of the system.
        """,
    )
)
