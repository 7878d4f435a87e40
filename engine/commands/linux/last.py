"""last of util-linux 2.39.3: logins and boots that /var/log/wtmp knows, newest first."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, replace

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import clock
from engine.commands.linux._support.program import UTIL_LINUX, program
from engine.commands.linux._support.timestamps import parse_timestamp
from engine.commands.options import Option, Parsed, UsageError
from engine.control import kernel_image, logins
from engine.kernel.units import DAY, HOUR, MINUTE


@dataclass(frozen=True, slots=True)
class _Record:
    """A line: who, where, from where, since when, and how it ended."""

    user: str
    line: str
    source: str
    start: int
    end: int | None
    crashed: bool = False


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the records."""
    if "file" in parsed:
        return ctx.not_modelled("last -f")
    records = [*_logins(ctx), *_boots(ctx)]
    records.sort(key=lambda record: -record.start)
    since, until = (_time(ctx, parsed[key]) for key in ("since", "until"))
    wanted = [record for record in records if _is_wanted(parsed.operands, record)]
    wanted = [r for r in wanted if (since is None or r.start >= since) and (until is None or r.start <= until)]
    for record in wanted[: _limit(parsed)]:
        ctx.line(_text(ctx, parsed, record))
    begins = min((record.start for record in records), default=ctx.now)
    ctx.line()
    ctx.line(f"wtmp begins {clock.shown(ctx, ctx.epoch_at(begins), '%a %b %e %H:%M:%S %Y')}")
    return 0


def _logins(ctx: Context) -> list[_Record]:
    found = [login for login in logins.history(ctx.world, ctx.host) if login.terminal != "notty"]
    return [_Record(login.user, login.terminal, login.source, login.start, login.end) for login in found]


def _boots(ctx: Context) -> list[_Record]:
    usual = kernel_image.release(ctx.inventory)
    others = {record.start: record.kernel for record in ctx.world.logs[ctx.host].boots if record.kernel}
    return [
        _Record("reboot", "system boot", others.get(boot.start, usual), boot.start, boot.end)
        for boot in logins.reboots(ctx.world, ctx.host)
    ]


def _is_wanted(operands: list[str], record: _Record) -> bool:
    if not operands:
        return True
    line = record.line.removeprefix("tty") if record.line.startswith("tty") else record.line
    return bool({record.user, record.line, line} & set(operands))


def _limit(parsed: Parsed) -> int | None:
    text = parsed["limit"]
    if text is None:
        return None
    if not text.isdigit():
        raise UsageError(f"last: failed to parse number: '{text}'\n")
    return int(text) or None


def _time(ctx: Context, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return ctx.moment_of(parse_timestamp(text, clock.timezone(ctx), ctx.epoch))
    except (ValueError, OverflowError):
        raise UsageError(f'last: invalid time value "{text}"\n') from None


def _text(ctx: Context, parsed: Parsed, record: _Record) -> str:
    full = "fulltimes" in parsed
    start = clock.shown(ctx, ctx.epoch_at(record.start), "%a %b %e %H:%M:%S %Y" if full else "%a %b %e %H:%M")
    user = record.user if "fullnames" in parsed else record.user[:8]
    source = "" if "nohostname" in parsed else f" {record.source if 'fullnames' in parsed else record.source[:16]:<16}"
    return f"{user:<8} {record.line:<12}{source} {start}{_ending(ctx, record, full)}"


def _ending(ctx: Context, record: _Record, full: bool) -> str:
    if record.end is None:
        return "   still running" if record.user == "reboot" else "   still logged in"
    end = clock.shown(ctx, ctx.epoch_at(record.end), "%a %b %e %H:%M:%S %Y" if full else "%H:%M")
    lasted = record.end - record.start
    days, hours, minutes = lasted // DAY, lasted % DAY // HOUR, lasted % HOUR // MINUTE
    length = f"({days}+{hours:02d}:{minutes:02d})" if days else f" ({hours:02d}:{minutes:02d})"
    return f" - {end} {length}"


def _with_number(command: Command) -> Command:
    """`last -5`."""

    def run_modern(ctx: Context) -> int | Awaitable[int]:
        words = [f"-n{word[1:]}" if word[:1] == "-" and word[1:].isdigit() else word for word in ctx.arguments]
        return command.run(replace(ctx, arguments=tuple(words)))

    return replace(command, run=run_modern)


COMMAND = _with_number(
    program(
        "last",
        "show who was logged in",
        run,
        suite=UTIL_LINUX,
        synopsis="last [OPTION]... [USER|TERMINAL]...",
        options=(
            Option("a", "hostlast", help="ignored"),
            Option("d", "dns", help="ignored"),
            Option("f", "file", "FILE", help="another file"),
            Option("F", "fulltimes", help="whole times"),
            Option("i", "ip", help="addresses, as is usual here"),
            Option("n", "limit", "N", help="at most N lines"),
            Option("R", "nohostname", help="without where from"),
            Option("s", "since", "TIME", help="since TIME"),
            Option("t", "until", "TIME", help="until TIME"),
            Option("p", "present", "TIME", help="ignored"),
            Option("w", "fullnames", help="whole names"),
            Option("x", "system", help="with shutdowns"),
            Option(None, "time-format", "FORMAT", help="ignored"),
        ),
        manual="The name `reboot` stands for the times during which a kernel ran: `last reboot` lists the boots.",
    )
)
