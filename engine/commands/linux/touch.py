"""touch of GNU coreutils 9.4. The file system keeps one time, that of modification: -a alone creates the file and
changes nothing.
"""

from __future__ import annotations

import re
from datetime import datetime

from engine.commands.context import Context
from engine.commands.linux._support import clock, gnu, paths
from engine.commands.linux._support.parse_date import DateError, parse_date
from engine.commands.linux._support.program import program
from engine.commands.linux._support.words import word
from engine.commands.options import Option, Parsed, UsageError
from engine.hostfs.tree import ErrorCode, FileError
from engine.kernel.calendar import epoch_of, local

_STAMP = re.compile(r"(?:(\d\d)?(\d\d))?(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?")


def run(ctx: Context, parsed: Parsed) -> int:
    """Set the time of each operand, creating what is missing."""
    time = _time(ctx, parsed)
    if not parsed.operands:
        raise gnu.refuse(ctx, "missing file operand")
    results = [_touch(ctx, parsed, path, time) for path in parsed.operands]
    return 0 if all(results) else 1


def _time(ctx: Context, parsed: Parsed) -> int | None:
    """The time to set, None for now."""
    if len({key for key in ("date", "stamp", "reference") if key in parsed} - {"date"}) > 1:
        raise gnu.refuse(ctx, "cannot specify times from more than one source")
    base = None
    if "reference" in parsed:
        try:
            base = paths.look(ctx, parsed["reference"]).modified
        except FileError as error:
            text = f"touch: failed to get attributes of '{parsed['reference']}': {error.text}\n"
            raise UsageError(text) from None
    if "stamp" in parsed:
        return _stamp(ctx, parsed["stamp"])
    if "date" in parsed:
        try:
            return parse_date(parsed["date"], clock.timezone(ctx), base or ctx.epoch)
        except DateError:
            raise UsageError(f"touch: invalid date format {word(ctx.environment, parsed['date'])}\n") from None
    return base


def _stamp(ctx: Context, text: str) -> int:
    """[[CC]YY]MMDDhhmm[.ss]."""
    match = _STAMP.fullmatch(text)
    try:
        if not match:
            raise ValueError
        century, year, month, day, hour, minute, second = match.groups()
        zone = clock.timezone(ctx)
        full = local(zone, ctx.epoch).year if year is None else int(year)
        if year is not None:
            full += int(century) * 100 if century else 2000 if full < 69 else 1900
        return epoch_of(zone, datetime(full, int(month), int(day), int(hour), int(minute), int(second or 0)))
    except ValueError:
        raise UsageError(f"touch: invalid date format {word(ctx.environment, text)}\n") from None


def _touch(ctx: Context, parsed: Parsed, path: str, time: int | None) -> bool:
    files, place = paths.tree(ctx), paths.absolute(ctx, path)
    try:
        if not files.exists(place):
            if "no_create" in parsed:
                return True
            if path.endswith("/"):
                raise FileError(ErrorCode.NOT_FOUND, path)
            files.write(place, b"")
            if time is None:
                return True
        if "access" in parsed and "modification" not in parsed:
            return True
        files.set_modified(place, time)
    except FileError as error:
        what = "setting times of" if error.code is ErrorCode.NOT_PERMITTED else "cannot touch"
        gnu.file_error(ctx, what, path, error)
        return False
    return True


COMMAND = program(
    "touch",
    "change the time of a file, or create it",
    run,
    synopsis="touch [OPTION]... FILE...",
    options=(
        Option("a", None, name="access", help="only the time of access"),
        Option("c", "no-create", help="create nothing"),
        Option("d", "date", "STRING", help="the time that STRING describes, not now"),
        Option("f", None, name="ignored", help="ignored"),
        Option("h", "no-dereference", help="links themselves"),
        Option("m", None, name="modification", help="only the time of modification"),
        Option("r", "reference", "FILE", help="the time of FILE"),
        Option("t", None, "STAMP", name="stamp", help="[[CC]YY]MMDDhhmm[.ss]"),
        Option(None, "time", "WORD", help="access, atime, use, modify or mtime"),
    ),
    manual="""
    Sets the time of the last change of each FILE to now, and creates empty files where there are none. STRING is read
    as date -d reads it. The simulated file system keeps the time of modification only.
    """,
)
