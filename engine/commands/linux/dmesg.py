"""dmesg of util-linux 2.39.3: the kernel's ring buffer. As on Ubuntu, kernel.dmesg_restrict keeps it from everybody
but root.

Time formats after util-linux's sys-utils/dmesg.c. What a boot wrote is never lost here, since the buffer of a large
machine is large.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.commands.context import Context
from engine.commands.linux._support import clock, pager
from engine.commands.linux._support.program import UTIL_LINUX, program
from engine.commands.linux._support.timestamps import parse_timestamp
from engine.commands.options import Option, Parsed, UsageError
from engine.control import journald
from engine.kernel.units import MICROSECOND, SECOND
from engine.world.records import LogEntry

LEVELS = ("emerg", "alert", "crit", "err", "warn", "notice", "info", "debug")
FACILITIES = ("kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp")
_FORMATS = {"delta": "delta", "reltime": "reltime", "ctime": "ctime", "notime": "none", "iso": "iso", "raw": "time"}
_GREEN, _BROWN, _BOLD, _RED, _OFF = "\x1b[32m", "\x1b[33m", "\x1b[1m", "\x1b[31m", "\x1b[0m"


@dataclass(slots=True)
class _Printer:
    """Prints records one after the other; a record's time may be told from the one before."""

    ctx: Context
    formats: Sequence[str]
    decode: bool
    raw: bool
    colour: bool
    prefix_all: bool
    boot: int
    last: int | None = None
    minute: str = ""
    second: int | None = None
    ctime: str = ""
    lines: list[str] = field(default_factory=list)

    def take(self, record: LogEntry, wanted: _Wanted) -> None:
        """Make the lines of a record that is wanted; the time of another one still counts for differences."""
        if wanted.has(record):
            self._add(record)
        else:
            self.last = (record.time - self.boot) // MICROSECOND

    def _add(self, record: LogEntry) -> None:
        since = (record.time - self.boot) // MICROSECOND
        delta = since - self.last if self.last is not None else 0
        self.last = since
        first, *rest = record.text.split("\n")
        start = self._start(record, since, delta)
        self.lines.append(start + (self._message(first, record) if self.colour else first))
        for text in rest:
            self.lines.append((start if self.prefix_all else " " * len(start)) + text)

    def _start(self, record: LogEntry, since: int, delta: int) -> str:
        if self.raw:
            return f"<{record.priority.value}>{_seconds(since)} "
        decoded = f"{'kern':<6}:{LEVELS[record.priority.value]:<6}: " if self.decode else ""
        text = "".join(self._time(form, record, since, delta) for form in self.formats)
        return decoded + (f"{_GREEN}{text}{_OFF}" if text and self.colour else text)

    def _time(self, form: str, record: LogEntry, since: int, delta: int) -> str:
        if form == "time":
            return _seconds(since) + " "
        if form == "none":
            return ""
        epoch = self.ctx.epoch_at(record.time)
        if form == "reltime":
            return self._relative(epoch, delta)
        if form == "iso":
            zone = clock.shown(self.ctx, epoch, "%:z")
            return clock.shown(self.ctx, epoch, "%Y-%m-%dT%H:%M:%S") + f",{epoch % SECOND // MICROSECOND:06d}{zone} "
        change = f"<{_fixed(delta, 12)}>"
        if form in ("ctime", "ctime_delta"):
            ctime = self._ctime(epoch)
            return f"[{ctime} {change}] " if form == "ctime_delta" else f"[{ctime}] "
        if form == "time_delta":
            return f"[{since // 1_000_000:5d}.{since % 1_000_000:06d} {change}] "
        return f"[{change}] "

    def _ctime(self, epoch: int) -> str:
        """The local time; many records share a second."""
        if epoch // SECOND != self.second:
            self.second = epoch // SECOND
            self.ctime = clock.shown(self.ctx, epoch, "%a %b %e %H:%M:%S %Y")
        return self.ctime

    def _relative(self, epoch: int, delta: int) -> str:
        minute = clock.shown(self.ctx, epoch, "%b%e %H:%M")
        if minute != self.minute:
            self.minute = minute
            return f"[{minute}] "
        return f"[  {_signed(delta, 8)}] " if delta < 10_000_000 else f"[ {_signed(delta, 9)}] "

    def _message(self, text: str, record: LogEntry) -> str:
        level = record.priority.value
        subject, colon, rest = text.partition(": ")
        body = rest if colon else text
        shade = f"{_BOLD}{_RED}" if level <= 2 else _RED if level == 3 else _BOLD if level == 4 else ""
        body = f"{shade}{body}{_OFF}" if shade else body
        return f"{_BROWN}{subject}: {_OFF}{body}" if colon else body


def _seconds(since: int) -> str:
    return f"[{since // 1_000_000:5d}.{since % 1_000_000:06d}]"


def _fixed(micros: int, width: int) -> str:
    return f"{micros // 1_000_000}.{micros % 1_000_000:06d}".rjust(width)


def _signed(micros: int, width: int) -> str:
    return f"+{micros // 1_000_000}.{micros % 1_000_000:06d}".rjust(width)


async def run(ctx: Context, parsed: Parsed) -> int:
    """Print the kernel's messages."""
    wanted = _Wanted(ctx, parsed)
    printer = _printer(ctx, parsed)
    if "file" in parsed:
        return ctx.not_modelled("dmesg --file")
    if not ctx.is_root:
        what = "clear" if "clear" in parsed else "read"
        plain = not any(key in parsed for key in ("console_off", "console_on", "console_level"))
        text = f"dmesg: {what} kernel buffer failed" if plain else "dmesg: klogctl failed"
        ctx.error(f"{text}: Operation not permitted")
        return 1
    for key in ("clear", "read_clear", "console_off", "console_on", "console_level"):
        if key in parsed:
            return ctx.not_modelled(
                f"dmesg --{key.replace('_', '-')}: the ring buffer of a simulated host stays as it is"
            )
    records = journald.ring_buffer(ctx.world, ctx.host)
    seen = len(ctx.world.logs[ctx.host].entries)
    if "json" in parsed:
        return _json(ctx, parsed, wanted.of(records), printer.boot)
    for record in records if "follow_new" not in parsed else []:
        printer.take(record, wanted)
    if "follow" in parsed or "follow_new" in parsed:
        await _follow(ctx, printer, wanted, seen)
    elif "human" in parsed and "nopager" not in parsed:
        await pager.show(ctx, printer.lines, at_end=False)
    else:
        ctx.write("".join(line + "\n" for line in printer.lines))
    return 0


def _printer(ctx: Context, parsed: Parsed) -> _Printer:
    colour = parsed["color"] or "auto" if "color" in parsed else "auto"
    if colour not in ("auto", "always", "never"):
        raise UsageError(f"dmesg: unsupported color mode: '{colour}'\n")
    return _Printer(
        ctx=ctx,
        formats=_formats(parsed),
        decode="decode" in parsed,
        raw="raw" in parsed,
        colour=(colour == "always" or (colour == "auto" and ctx.terminal is not None)) and "raw" not in parsed,
        prefix_all="force_prefix" in parsed,
        boot=journald.boots(ctx.world, ctx.host)[-1].start,
    )


def _formats(parsed: Parsed) -> list[str]:
    named = parsed.all("time_format")
    for name in named:
        if name not in _FORMATS:
            raise UsageError(f"dmesg: unknown time format: {name}\n")
    chosen = [_FORMATS[name] for name in named]
    chosen += [form for key, form in (("ctime", "ctime"), ("reltime", "reltime"), ("notime", "none")) if key in parsed]
    if "human" in parsed and not chosen:
        chosen = ["reltime"]
    if "show_delta" in parsed:
        chosen = ["ctime_delta" if "ctime" in chosen else "delta" if "none" in chosen else "time_delta"]
    return chosen or ["time"]


class _Wanted:
    """Which records are shown."""

    def __init__(self, ctx: Context, parsed: Parsed) -> None:
        self.levels = _listed(parsed["level"], LEVELS, "level")
        self.facilities = _listed(parsed["facility"], FACILITIES, "facility")
        self.since, self.until = (_time(ctx, parsed[key]) for key in ("since", "until"))
        self.kernel = "userspace" not in parsed or "kernel" in parsed

    def of(self, records: Sequence[LogEntry]) -> list[LogEntry]:
        """Those of `records` that are wanted."""
        return [record for record in records if self.has(record)]

    def has(self, record: LogEntry) -> bool:
        """Whether it is wanted."""
        if not self.kernel or (self.levels is not None and record.priority.value not in self.levels):
            return False
        if self.facilities is not None and 0 not in self.facilities:
            return False
        late = self.since is None or record.time >= self.since
        return late and (self.until is None or record.time <= self.until)


def _listed(text: str | None, names: Sequence[str], what: str) -> set[int] | None:
    """Numbers of names in a list; `warn+` and `+warn` mean what is graver or slighter too."""
    if text is None:
        return None
    found: set[int] = set()
    for word in text.split(","):
        name = word.strip("+")
        if name not in names:
            raise UsageError(f"dmesg: unknown {what} '{name}'\n")
        number = names.index(name)
        if word.endswith("+"):
            found |= set(range(number + 1))
        elif word.startswith("+"):
            found |= set(range(number, len(names)))
        else:
            found.add(number)
    return found


def _time(ctx: Context, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return ctx.moment_of(parse_timestamp(text, clock.timezone(ctx), ctx.epoch))
    except (ValueError, OverflowError):
        raise UsageError(f'dmesg: invalid time value "{text}"\n') from None


async def _follow(ctx: Context, printer: _Printer, wanted: _Wanted, seen: int) -> None:
    """Print what the kernel writes from now on."""
    while True:
        for line in printer.lines:
            ctx.line(line)
        printer.lines.clear()
        await ctx.sleep(SECOND)
        entries = ctx.world.logs[ctx.host].entries
        for entry in entries[seen:]:
            if entry.source == "kernel":
                printer.take(entry, wanted)
        seen = len(entries)


def _json(ctx: Context, parsed: Parsed, records: Sequence[LogEntry], boot: int) -> int:
    items = []
    for record in records:
        since = (record.time - boot) // MICROSECOND
        time = f"{since // 1_000_000:5d}.{since % 1_000_000:06d}"
        level = record.priority.value
        head = f'"fac": "kern",\n         "pri": "{LEVELS[level]}"' if "decode" in parsed else f'"pri": {level}'
        items.append(
            f'      {{\n         {head},\n         "time": {time},\n         "msg": {json.dumps(record.text)}\n      }}'
        )
    ctx.line('{\n   "dmesg": [\n' + ",\n".join(items) + "\n   ]\n}")
    return 0


OPTIONS = (
    Option("C", "clear", help="empty the buffer"),
    Option("c", "read-clear", help="print, then empty the buffer"),
    Option("D", "console-off", help="no messages on the console"),
    Option("E", "console-on", help="messages on the console"),
    Option("F", "file", "FILE", help="read FILE instead"),
    Option("f", "facility", "LIST", help="only these facilities"),
    Option("H", "human", help="readable: relative times, colours, a pager"),
    Option("J", "json", help="as JSON"),
    Option("k", "kernel", help="messages of the kernel"),
    Option("L", "color", "WHEN", optional=True, help="colours: auto, always or never"),
    Option("l", "level", "LIST", help="only these levels; warn+ means warn and graver"),
    Option("n", "console-level", "LEVEL", help="how grave a message must be for the console"),
    Option("P", "nopager", help="with -H, no pager"),
    Option("p", "force-prefix", help="the time before every line of a message"),
    Option("r", "raw", help="as in the buffer"),
    Option(None, "noescape", help="characters that do not print as they are"),
    Option("S", "syslog", help="read by syslog(2)"),
    Option("s", "buffer-size", "SIZE", help="size of the buffer that is read"),
    Option("u", "userspace", help="messages of programs"),
    Option("w", "follow", help="go on with what comes"),
    Option("W", "follow-new", help="only what comes"),
    Option("x", "decode", help="facility and level in words"),
    Option("d", "show-delta", help="the time since the message before"),
    Option("e", "reltime", help="local time and relative time"),
    Option("T", "ctime", help="times of the calendar"),
    Option("t", "notime", help="no times"),
    Option(None, "time-format", "FORMAT", help="delta, reltime, ctime, notime or iso"),
    Option(None, "since", "TIME", help="from TIME on"),
    Option(None, "until", "TIME", help="up to TIME"),
)

COMMAND = program(
    "dmesg",
    "print the kernel's messages",
    run,
    suite=UTIL_LINUX,
    synopsis="dmesg [OPTION]...",
    options=OPTIONS,
    manual="""
    Shows what the kernel wrote since the boot: drivers, hardware errors, Xid lines of the NVIDIA driver. Times are
    seconds since the boot, calendar times with -T. Levels: emerg alert crit err warn notice info debug. TIME is such
    as `1 hour ago` or `2026-11-30 09:00`.

    On this system only root may read the buffer (kernel.dmesg_restrict); `journalctl -k` shows the same to members of
    adm.
    """,
)
