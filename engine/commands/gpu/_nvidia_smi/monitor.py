"""What `dmon` and `pmon` share: columns, head lines, the loop, the options.

Layout: captures of drivers 590.48.01, 595.80 and 610.57 (seven characters a column); date and time columns from public
outputs of older drivers. Columns stand in the order of the letters after `-s`. The head is repeated with every screen;
that this counts 20 lines where there is no terminal is a guess, and so is csv beyond what the help says of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.library import (
    INVALID_ARGUMENT,
    OK,
    Library,
    answering,
    look,
    open_library,
    refuse,
    select,
    write_file,
)
from engine.commands.gpu._nvidia_smi.words import HELP, Switch, parse, section_help
from engine.kernel.calendar import local
from engine.kernel.units import SECOND

R = TypeVar("R")

LINES_BETWEEN_HEADS = 20
WIDTH = 7

SWITCHES = (
    HELP,
    Switch("id", ("-i", "--id"), "ID", "GPUs by index, bus id or UUID, with commas."),
    Switch("delay", ("-d", "--delay"), "SECONDS", "Seconds between samples (1)."),
    Switch("count", ("-c", "--count"), "NUMBER", "End after so many samples."),
    Switch("select", ("-s", "--select"), "LETTERS", "Which metrics, in this order."),
    Switch("options", ("-o", "--options"), "LETTERS", "D for the date, T for the time."),
    Switch("filename", ("-f", "--filename"), "FILE", "Write to a file instead of standard output."),
    Switch("gpm", ("--gpm-metrics",), "NUMBERS", "GPU performance monitoring metrics.", modelled=False),
    Switch("gpm_scope", ("--gpm-options",), "LETTERS", "At which level they are counted.", modelled=False),
    Switch("format", ("--format",), "FORMAT", "csv instead of columns, and with commas: noheader, nounit."),
)


@dataclass(frozen=True, slots=True)
class Column(Generic[R]):
    """A column: its two heads and what a record shows in it (None: a dash)."""

    name: str
    unit: str
    source: Callable[[R], str | int | None]

    def shown(self, record: R) -> str:
        value = self.source(record)
        return "-" if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to sample, how often, how many times, with which time columns."""

    library: Library
    chosen: frozenset[str]
    letters: str
    delay: int
    count: int | None
    stamps: str
    filename: str = ""
    format: frozenset[str] = frozenset()


Head = Callable[[str], tuple[str, str]]
Rows = Callable[[str, Sequence[Device]], Iterator[str]]


async def monitor(
    context: Context,
    section: str,
    text: str,
    words: Sequence[str],
    groups: Mapping[str, object],
    default: str,
    rows: Rows,
    head: Head,
) -> int:
    """Run `nvidia-smi SECTION`: sample until the count is reached, the reader goes or Ctrl-C comes."""
    given = parse(context, SWITCHES, words, section)
    if "help" in given:
        letters = f"Metrics: {', '.join(groups)}; {default} if none are named."
        context.write("\n".join([*section_help(section, text, SWITCHES), "", letters]) + "\n")
        return OK
    missing = next((switch for switch in SWITCHES if switch.key in given and not switch.modelled), None)
    if missing:
        return context.not_modelled(f"nvidia-smi {section} {missing.names[0]}")
    plan = await _plan(context, given, groups, default)
    await _loop(context, plan, rows, head)
    return OK


async def _plan(context: Context, given: Mapping[str, str | None], groups: Mapping[str, object], default: str) -> Plan:
    letters = given.get("select") or default
    stamps = (given.get("options") or "").upper()
    if set(letters) - set(groups):
        raise refuse(context, f"Invalid metric selection: {letters}", INVALID_ARGUMENT)
    if set(stamps) - set("DT"):
        raise refuse(context, f"Invalid option: {stamps}", INVALID_ARGUMENT)
    delay, count = _number(context, given, "delay", 1), _number(context, given, "count", 0)
    library = await open_library(context)
    devices = await answering(context, library, select(context, library, given.get("id")))
    chosen = frozenset(device.gpu.id for device in devices)
    filename, words = given.get("filename") or "", _format(context, given)
    return Plan(library, chosen, letters, delay * SECOND, count or None, stamps, filename, words)


def _format(context: Context, given: Mapping[str, str | None]) -> frozenset[str]:
    """The words of --format. Raises Refused; the text is a guess."""
    words = frozenset(word.strip() for word in (given.get("format") or "").split(",") if word.strip())
    if words - {"csv", "noheader", "nounit"} or (words and "csv" not in words):
        raise refuse(context, f"Invalid format: {given.get('format')}", INVALID_ARGUMENT)
    return words


def _number(context: Context, given: Mapping[str, str | None], key: str, default: int) -> int:
    """A whole number of at least 1. Raises Refused; the text is a guess."""
    text = given.get(key)
    if text is None:
        return default
    if not text.isdecimal() or int(text) < 1:
        raise refuse(context, f"Invalid value for --{key}: {text}", INVALID_ARGUMENT)
    return int(text)


async def _loop(context: Context, plan: Plan, rows: Rows, head: Head) -> None:
    screen = (context.terminal.rows - 2) if context.terminal else LINES_BETWEEN_HEADS
    since_head, sample = screen, 0
    while True:
        devices = [device for device in look(context) if device.gpu.id in plan.chosen]
        lines = list(rows(plan.letters, devices))
        out: list[str] = []
        if (since_head + len(lines) > screen and not plan.format) or not sample:
            out += _head_lines(plan, head)
            since_head = 0
        out += [_stamp(context, plan.stamps) + line for line in lines]
        _put(context, plan, out, more=sample > 0)
        since_head += len(lines)
        sample += 1
        if sample == plan.count:
            return
        await context.sleep(plan.delay)


def _head_lines(plan: Plan, head: Head) -> list[str]:
    """The lines of names and of units, as far as they are wanted."""
    stamps = _head_stamps(plan.stamps)
    lines = [
        stamp + line if plan.stamps else f"# {line}" for line, stamp in zip(head(plan.letters), stamps, strict=True)
    ]
    wanted = [line for line, word in zip(lines, ("noheader", "nounit"), strict=True) if word not in plan.format]
    return wanted if "noheader" not in plan.format else []


def _put(context: Context, plan: Plan, lines: Sequence[str], *, more: bool) -> None:
    """Print lines, as csv if it is wanted, or write them to the file."""
    shown = [_csv(line) for line in lines] if plan.format else lines
    text = "".join(f"{line}\n" for line in shown)
    if plan.filename:
        write_file(context, plan.filename, text, more=more)
    else:
        context.write(text)


def _csv(line: str) -> str:
    """A line of columns with commas; the mark of a head stays with its first word."""
    words = line.split()
    return ", ".join([words[0] + words[1], *words[2:]] if words[:1] == ["#"] else words)


def _head_stamps(stamps: str) -> tuple[str, str]:
    """The heads of the date and time columns."""
    first = ("Date       " if "D" in stamps else "") + ("Time        " if "T" in stamps else "")
    second = ("YYYYMMDD   " if "D" in stamps else "") + ("HH:MM:SS    " if "T" in stamps else "")
    return f"#{first}", f"#{second}"


def _stamp(context: Context, stamps: str) -> str:
    """The date and time columns; without them the two places of the `#`."""
    moment = local(context.inventory.timezone, context.epoch)
    date = f"{moment:%Y%m%d}   " if "D" in stamps else ""
    return f" {date}{f'{moment:%H:%M:%S}    ' if 'T' in stamps else ''}" if stamps else "  "


def heads(columns: Sequence[Column[R]]) -> tuple[str, str]:
    """The names and the units of columns."""
    return "".join(f"{c.name:>{WIDTH}}" for c in columns), "".join(f"{c.unit:>{WIDTH}}" for c in columns)


def cells(columns: Sequence[Column[R]], record: R) -> str:
    """A record's values below them."""
    return "".join(f"{column.shown(record):>{WIDTH}}" for column in columns)
