"""date of GNU coreutils 9.4: shows the host's clock, which is the simulation's. Texts compared with coreutils 9.1's."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import clock, paths
from engine.commands.linux._support.parse_date import DateError, parse_date
from engine.commands.linux._support.program import program
from engine.commands.linux._support.strftime import Moment, default_format, format_time
from engine.commands.linux._support.words import word
from engine.commands.options import Option, Parsed, UsageError
from engine.control import host_clock
from engine.hostfs.tree import FileError

_ISO = {
    "hours": "%Y-%m-%dT%H%:z",
    "minutes": "%Y-%m-%dT%H:%M%:z",
    "date": "%Y-%m-%d",
    "seconds": "%Y-%m-%dT%H:%M:%S%:z",
    "ns": "%Y-%m-%dT%H:%M:%S,%N%:z",
}
_RFC_3339 = {"date": "%Y-%m-%d", "seconds": "%Y-%m-%d %H:%M:%S%:z", "ns": "%Y-%m-%d %H:%M:%S.%N%:z"}
_RFC_5322 = "%a, %d %b %Y %H:%M:%S %z"
_TRAILER = "Try 'date --help' for more information.\n"


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the times asked for."""
    pattern = _pattern(ctx, parsed)
    chosen = [key for key in ("date", "file", "reference", "resolution") if key in parsed]
    if len(chosen) > 1 or (chosen and "set" in parsed):
        text = "the options to specify dates for printing are mutually exclusive"
        raise UsageError(f"date: {text}\n{_TRAILER}")
    if "set" in parsed or _sets(parsed.operands):
        return _set(ctx, parsed, pattern)
    if "resolution" in parsed:
        ctx.line("0.000000001")
        return 0
    if "file" in parsed:
        return _from_file(ctx, parsed, pattern)
    epoch = _epoch(ctx, parsed)
    if epoch is None:
        return 1
    _print(ctx, parsed, epoch, pattern)
    return 0


def _sets(operands: list[str]) -> bool:
    """Whether an operand would set the clock (MMDDhhmm...)."""
    return bool(operands) and not operands[0].startswith("+")


def _pattern(ctx: Context, parsed: Parsed) -> str | None:
    patterns = [_named(ctx, "--iso-8601", parsed["iso-8601"] or "date", _ISO)] if "iso-8601" in parsed else []
    patterns += [_named(ctx, "--rfc-3339", parsed["rfc-3339"], _RFC_3339)] if "rfc-3339" in parsed else []
    patterns += [_RFC_5322] if "rfc-email" in parsed else []
    operands = parsed.operands
    if len(operands) > 1:
        raise UsageError(f"date: extra operand {word(ctx.environment, operands[1])}\n{_TRAILER}")
    if operands and operands[0].startswith("+"):
        patterns.append(operands[0][1:])
    if len(patterns) > 1:
        raise UsageError("date: multiple output formats specified\n")
    return patterns[0] if patterns else None


def _named(ctx: Context, option: str, value: str, formats: dict[str, str]) -> str:
    matches = [name for name in formats if name.startswith(value)]
    if len(matches) == 1 or value in formats:
        return formats[value if value in formats else matches[0]]
    lines = [f"date: invalid argument {word(ctx.environment, value)} for {word(ctx.environment, option)}"]
    lines += ["Valid arguments are:", *(f"  - {word(ctx.environment, name)}" for name in formats)]
    raise UsageError("\n".join(lines) + "\n" + _TRAILER)


def _epoch(ctx: Context, parsed: Parsed) -> int | None:
    if "reference" in parsed:
        try:
            return paths.look(ctx, parsed["reference"]).modified
        except FileError as error:
            ctx.error(f"date: {parsed['reference']}: {error.text}")
            return None
    return ctx.epoch if "date" not in parsed else _parse(ctx, parsed, parsed["date"])


def _parse(ctx: Context, parsed: Parsed, text: str) -> int | None:
    try:
        return parse_date(text, _zone(ctx, parsed), ctx.epoch)
    except DateError:
        ctx.error(f"date: invalid date {word(ctx.environment, text)}")
        return None


def _zone(ctx: Context, parsed: Parsed) -> str:
    return "Etc/UTC" if "utc" in parsed else clock.timezone(ctx)


def _print(ctx: Context, parsed: Parsed, epoch: int, pattern: str | None) -> None:
    shown = Moment(epoch, _zone(ctx, parsed), clock.moment(ctx).american and pattern != _RFC_5322)
    ctx.line(format_time(shown, default_format(shown) if pattern is None else pattern))


def _from_file(ctx: Context, parsed: Parsed, pattern: str | None) -> int:
    try:
        text = paths.read(ctx, parsed["file"]).decode("utf-8", "replace")
    except FileError as error:
        ctx.error(f"date: {parsed['file']}: {error.text}")
        return 1
    times = [_parse(ctx, parsed, line) for line in text.splitlines()]
    for epoch in times:
        if epoch is not None:
            _print(ctx, parsed, epoch, pattern)
    return 1 if None in times else 0


def _set(ctx: Context, parsed: Parsed, pattern: str | None) -> int:
    """Root alone may set the clock."""
    text = parsed["set"] if "set" in parsed else parsed.operands[0]
    epoch = _parse(ctx, parsed, text) if "set" in parsed else ctx.epoch
    if epoch is None:
        return 1
    if ctx.is_root and "set" not in parsed:
        return ctx.not_modelled("setting a host's clock without --set")
    if ctx.is_root:
        ctx.simulation.apply(host_clock.SetClock(ctx.host, epoch - ctx.epoch))
        _print(ctx, parsed, epoch, pattern)
        return 0
    ctx.error("date: cannot set date: Operation not permitted")
    _print(ctx, parsed, epoch, pattern)
    return 1


OPTIONS = (
    Option("d", "date", "STRING", help="show the time that STRING describes, not now"),
    Option("f", "file", "DATEFILE", help="like --date for every line of DATEFILE"),
    Option("I", "iso-8601", "FMT", optional=True, name="iso-8601",
           help="ISO 8601; FMT is date (the default), hours, minutes, seconds or ns"),
    Option(None, "resolution", help="print the clock's resolution"),
    Option("R", "rfc-email", name="rfc-email", help="as in mail headers (RFC 5322)"),
    Option(None, "rfc-2822", name="rfc-email", help="the same"),
    Option(None, "rfc-3339", "FMT", name="rfc-3339", help="RFC 3339; FMT is date, seconds or ns"),
    Option("r", "reference", "FILE", help="show when FILE was last modified"),
    Option("s", "set", "STRING", help="set the clock (root only)"),
    Option("u", "utc", help="in Coordinated Universal Time"),
    Option(None, "universal", name="utc", help="the same"),
)  # fmt: skip

COMMAND = program(
    "date",
    "print the system date and time",
    run,
    synopsis="date [OPTION]... [+FORMAT]",
    options=OPTIONS,
    manual="""
    Without a format, the time is shown as the locale writes it. In a FORMAT, directives start with %: Y m d H M S N
    for the parts of a time, s for seconds since 1970, F for Y-m-d, T for H:M:S, a A b B for names, z :z Z for the
    zone, j for the day of the year. Between % and the letter may stand - (no padding), _ (spaces), 0 (zeros), ^ (upper
    case), and a width.

    STRING is read freely: `2026-11-30 09:00`, `yesterday 14:00`, `2 days ago`, `next monday`, `@1764493200`.
    """,
)
