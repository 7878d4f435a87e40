"""journalctl's output modes (systemd 255). Compared with journalctl 252 on a journal of the same entries; short-iso
writes its zone with a colon since 253.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from engine.commands.linux._support.journal import Entry
from engine.commands.linux._support.strftime import Moment, format_time
from engine.commands.linux._support.timestamps import format_timestamp
from engine.kernel.units import MICROSECOND, MINUTE, SECOND

_RED, _YELLOW, _BOLD, _GREY, _OFF = "\x1b[0;1;31m", "\x1b[0;1;38;5;185m", "\x1b[0;1;39m", "\x1b[0;38;5;245m", "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Style:
    """How entries are printed."""

    mode: str = "short"
    zone: str = "Etc/UTC"
    hostname: bool = True
    colour: bool = False
    fields: tuple[str, ...] = ()
    catalog: bool = False


def lines(entry: Entry, style: Style) -> list[str]:
    """An entry as lines of text."""
    special = _SPECIAL.get(style.mode)
    if special:
        return special(entry, style)
    prefix = f"{_time(entry, style)} " + (f"{entry.host} " if style.hostname else "") + _source(entry, style) + ": "
    first, *rest = entry.log.text.split("\n")
    shown = [prefix + _coloured(first, entry, style)]
    shown += [" " * len(prefix) + _coloured(line, entry, style) for line in rest]
    return shown + (_catalog(entry) if style.catalog else [])


def _source(entry: Entry, style: Style) -> str:
    log = entry.log
    name = log.source
    if style.mode == "with-unit" and log.unit and log.pid != 1:
        name = log.unit
    return f"{name}[{log.pid}]" if log.pid is not None else name


def _time(entry: Entry, style: Style) -> str:
    moment = Moment(entry.epoch, style.zone)
    micros = entry.epoch % SECOND // MICROSECOND
    if style.mode == "short-monotonic":
        since = (entry.log.time - entry.boot.start) // MICROSECOND
        return f"[{since // 1_000_000:5d}.{since % 1_000_000:06d}]"
    if style.mode == "short-unix":
        return f"{entry.epoch // SECOND}.{micros:06d}"
    if style.mode in ("short-full", "with-unit"):
        return format_timestamp(style.zone, entry.epoch)
    patterns = {
        "short-precise": f"%b %d %H:%M:%S.{micros:06d}",
        "short-iso": "%Y-%m-%dT%H:%M:%S%:z",
        "short-iso-precise": f"%Y-%m-%dT%H:%M:%S.{micros:06d}%:z",
    }
    if style.mode in patterns:
        return format_time(moment, patterns[style.mode])
    return f"{_minute(entry.epoch // MINUTE, style.zone)}:{entry.epoch // SECOND % 60:02d}"


@lru_cache(maxsize=2048)
def _minute(minute: int, zone: str) -> str:
    """A minute since 1970 as short lines begin: thousands of lines share few of them."""
    return format_time(Moment(minute * MINUTE, zone), "%b %d %H:%M")


def _coloured(text: str, entry: Entry, style: Style) -> str:
    if not style.colour:
        return text
    level = entry.log.priority.value
    colour = _RED if level <= 3 else _YELLOW if level == 4 else _BOLD if level == 5 else _GREY if level == 7 else ""
    return f"{colour}{text}{_OFF}" if colour else text


def _cat(entry: Entry, style: Style) -> list[str]:
    return entry.log.text.split("\n")


def _chosen(entry: Entry, style: Style) -> dict[str, str]:
    fields = entry.fields
    if not style.fields:
        return fields
    return {name: value for name, value in fields.items() if name in style.fields or name.startswith("__")}


def _json(entry: Entry, style: Style) -> list[str]:
    return [json.dumps(_chosen(entry, style), separators=(",", ":"), ensure_ascii=False)]


def _json_pretty(entry: Entry, style: Style) -> list[str]:
    pairs = [f'\t"{name}" : {json.dumps(value, ensure_ascii=False)}' for name, value in _chosen(entry, style).items()]
    return ["{", *",\n".join(pairs).split("\n"), "}"]


def _json_sse(entry: Entry, style: Style) -> list[str]:
    return [f"data: {_json(entry, style)[0]}", ""]


def _json_seq(entry: Entry, style: Style) -> list[str]:
    return ["\x1e" + _json(entry, style)[0]]


def _export(entry: Entry, style: Style) -> list[str]:
    return [*(f"{name}={value}" for name, value in _chosen(entry, style).items()), ""]


def _verbose(entry: Entry, style: Style) -> list[str]:
    micros = entry.epoch % SECOND // MICROSECOND
    stamp = format_time(Moment(entry.epoch, style.zone), f"%a %Y-%m-%d %H:%M:%S.{micros:06d} %Z")
    fields = {name: value for name, value in _chosen(entry, style).items() if not name.startswith("__")}
    return [f"{stamp} [{entry.cursor}]", *(f"    {name}={value}" for name, value in fields.items())]


_SPECIAL: dict[str, Callable[[Entry, Style], list[str]]] = {
    "cat": _cat, "json": _json, "json-pretty": _json_pretty, "json-sse": _json_sse, "json-seq": _json_seq,
    "export": _export, "verbose": _verbose,
}  # fmt: skip
MODES = ("short", "short-full", "short-iso", "short-iso-precise", "short-precise", "short-monotonic", "short-delta",
         "short-unix", "verbose", "export", "json", "json-pretty", "json-sse", "json-seq", "cat",
         "with-unit")  # fmt: skip
BOOT_MARKED = frozenset(mode for mode in MODES if mode.startswith("short") or mode == "with-unit")

# What systemd explains about its own messages (-x): how the text begins, subject, explanation.
_EXPLAINED = (
    ("Starting ", "A start job for unit {unit} has begun execution",
     "A start job for unit {unit} has begun execution."),
    ("Started ", "A start job for unit {unit} has finished successfully",
     "A start job for unit {unit} has finished successfully."),
    ("Finished ", "A start job for unit {unit} has finished successfully",
     "A start job for unit {unit} has finished successfully."),
    ("Failed to start ", "A start job for unit {unit} has failed",
     "A start job for unit {unit} has finished with a failure."),
    ("Stopping ", "A stop job for unit {unit} has begun execution", "A stop job for unit {unit} has begun execution."),
    ("Stopped ", "A stop job for unit {unit} has finished", "A stop job for unit {unit} has finished."),
    ("{unit}: Deactivated", "Unit succeeded", "The unit {unit} has successfully entered the 'dead' state."),
    ("{unit}: Failed with", "Unit failed", "The unit {unit} has entered the 'failed' state."),
    ("{unit}: Main process exited", "Unit process exited",
     "An ExecStart= process belonging to unit {unit} has exited."),
    ("{unit}: Control process exited", "Unit process exited",
     "A control process belonging to unit {unit} has exited."),
)  # fmt: skip


def _catalog(entry: Entry) -> list[str]:
    log = entry.log
    if log.pid != 1 or not log.unit:
        return []
    for start, subject, text in _EXPLAINED:
        if log.text.startswith(start.format(unit=log.unit)):
            told = [f"Subject: {subject.format(unit=log.unit)}", "Defined-By: systemd",
                    "Support: http://www.ubuntu.com/support", "", text.format(unit=log.unit)]  # fmt: skip
            return [f"░░ {line}" for line in told]
    return []
