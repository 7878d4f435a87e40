"""nvidia-smi, the System Management Interface of the NVIDIA driver.

Imitates the tool of driver 590.48.01, and of 535, 550, 570, 580 and 610 where their difference is recorded; the site's
driver says which. Formats: the captures named in the parts of `_nvidia_smi`. XML (`-x`), files (`-f`), and the
subcommands and options that the help marks are not modelled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.library import (
    INVALID_ARGUMENT,
    OK,
    Library,
    Refused,
    answering,
    look,
    open_library,
    refuse,
    select,
    tool_version,
)
from engine.commands.gpu._nvidia_smi.switches import (
    CHANGES,
    GROUPS,
    OTHER_SUBCOMMANDS,
    QUERY_HELP_SWITCHES,
    QUERY_SWITCHES,
    SUBCOMMANDS,
    SWITCHES,
)
from engine.commands.gpu._nvidia_smi.words import INVALID_COMBINATION, parse, switch_lines
from engine.commands.options import Option
from engine.kernel.units import MILLISECOND, SECOND

Given = Mapping[str, str | None]
Produce = Callable[[Sequence[Device], int], Iterator[str]]
"""The lines of one round over the GPUs that answer; the rounds of a loop are numbered from 0."""

_LOOPED = ("loop", "loop_ms")


async def run(context: Context) -> int:
    """Run nvidia-smi."""
    try:
        return await _run(context, context.arguments)
    except Refused as refused:
        return refused.status


async def _run(context: Context, words: Sequence[str]) -> int:
    if words and words[0] in SUBCOMMANDS:
        return await _subcommand(context, words[0], words[1:])
    if words and words[0] in OTHER_SUBCOMMANDS:
        return context.not_modelled(f"nvidia-smi {words[0]}")
    given = parse(context, SWITCHES, words)
    if "help" in given:
        context.write("\n".join(_help_lines(context)) + "\n")
        return OK
    missing = next((switch for switch in SWITCHES if switch.key in given and not switch.modelled), None)
    if missing:
        return context.not_modelled(f"nvidia-smi {missing.names[0]}")
    return await _mode(context, given)


async def _subcommand(context: Context, name: str, words: Sequence[str]) -> int:
    if name == "topo":
        from engine.commands.gpu._nvidia_smi.topo import topo

        return await topo(context, words)
    if name == "nvlink":
        from engine.commands.gpu._nvidia_smi.nvlink import nvlink

        return await nvlink(context, words)
    if name == "dmon":
        from engine.commands.gpu._nvidia_smi.dmon import dmon

        return await dmon(context, words)
    from engine.commands.gpu._nvidia_smi.pmon import pmon

    return await pmon(context, words)


async def _mode(context: Context, given: Given) -> int:
    """Do what the options ask for: one thing. Raises Refused where they ask for several, or for half of one."""
    asked = [key for key in _MODES if key in given]
    if len([key for key in asked if key in _QUERIES]) > 1:
        raise refuse(context, "Only one --query-* switch can be used at a time.\n", INVALID_ARGUMENT)
    mode = _MODES[asked[0]] if asked else _summary
    allowed = _ALLOWED.get(mode, frozenset({"id"}))
    if len(asked) > 1 or set(given) - set(asked) - allowed:
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    return await mode(context, given)


async def _version(context: Context, given: Given) -> int:
    from engine.commands.gpu._nvidia_smi.listing import version_lines

    library = await open_library(context)
    context.write("".join(f"{line}\n" for line in version_lines(library.versions)))
    return OK


async def _list(context: Context, given: Given) -> int:
    from engine.commands.gpu._nvidia_smi.listing import list_gpus

    library = await open_library(context)
    return await list_gpus(context, library, select(context, library, given.get("id")))


async def _summary(context: Context, given: Given) -> int:
    from engine.commands.gpu._nvidia_smi.table import summary_lines

    library = await open_library(context)

    def produce(devices: Sequence[Device], number: int) -> Iterator[str]:
        return summary_lines(context.inventory, context.now, library.versions, devices)

    return await _rounds(context, given, library, produce)


async def _report(context: Context, given: Given) -> int:
    from engine.commands.gpu._nvidia_smi.report import report_lines
    from engine.commands.gpu._nvidia_smi.report_tree import DISPLAYS, TREE

    displays = frozenset(word.strip().upper() for word in (given.get("display") or "").split(",") if word.strip())
    if displays - DISPLAYS or ("display" in given and not displays):
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    library = await open_library(context)

    def produce(devices: Sequence[Device], number: int) -> Iterator[str]:
        return report_lines(context.inventory, context.now, library.versions, TREE, devices, displays)

    return await _rounds(context, given, library, produce)


async def _query(context: Context, given: Given) -> int:
    from engine.commands.gpu._nvidia_smi.csv_query import QUERIES, csv_lines, parse_fields, parse_format

    key = next(key for key in _QUERIES if key in given)
    shape = parse_format(context, given.get("format"))
    library = await open_library(context)
    query = QUERIES[key]
    chosen = parse_fields(context, query, given[key] or "", library.versions.release)

    def produce(devices: Sequence[Device], number: int) -> Iterator[str]:
        lines = csv_lines(query, chosen, shape, devices)
        if number and shape.header:
            next(lines)
        return lines

    return await _rounds(context, given, library, produce)


async def _query_help(context: Context, given: Given) -> int:
    from engine.commands.gpu._nvidia_smi.csv_query import QUERIES

    key = next(key for key in _QUERY_HELPS if key in given)
    release = int(tool_version(context).partition(".")[0])
    context.write("\n".join(QUERIES[key.removeprefix("help-")].help(release)) + "\n")
    return OK


async def _change(context: Context, given: Given) -> int:
    from engine.commands.gpu._nvidia_smi.settings import SETTINGS, apply_setting, reset

    library = await open_library(context)
    devices = await answering(context, library, select(context, library, given.get("id")))
    if "reset" in given:
        return await reset(context, given["reset"] or "", devices)
    key = next(key for key in SETTINGS if key in given)
    return await apply_setting(context, SETTINGS[key], given[key] or "", devices)


async def _rounds(context: Context, given: Given, library: Library, produce: Produce) -> int:
    """Print once, or again and again with `-l`. Between rounds the library stays open."""
    interval, number = _interval(context, given), 0
    while True:
        current = Library(library.versions, look(context) if number else library.devices)
        devices = await answering(context, current, select(context, current, given.get("id")))
        context.write("".join(f"{line}\n" for line in produce(devices, number)))
        if interval is None:
            return OK
        number += 1
        await context.sleep(interval)


def _interval(context: Context, given: Given) -> int | None:
    """ns between rounds; None for a single one. Raises Refused for what is no whole number of at least 1."""
    key = next((key for key in _LOOPED if key in given), None)
    if key is None:
        return None
    text = given[key] or ""
    if not text.isdecimal() or int(text) < 1 or all(key in given for key in _LOOPED):
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    return int(text) * (SECOND if key == "loop" else MILLISECOND)


_QUERIES = tuple(switch.key for switch in QUERY_SWITCHES)
_QUERY_HELPS = tuple(switch.key for switch in QUERY_HELP_SWITCHES)
_MODES = {
    "version": _version,
    "list": _list,
    "query": _report,
    **dict.fromkeys(_QUERIES, _query),
    **dict.fromkeys(_QUERY_HELPS, _query_help),
    **{switch.key: _change for switch in CHANGES if switch.modelled},
}
_ALLOWED = {
    _version: frozenset[str](),
    _summary: frozenset({"id", *_LOOPED}),
    _report: frozenset({"id", "display", *_LOOPED}),
    _query: frozenset({"id", "format", *_LOOPED}),
    _query_help: frozenset[str](),
}


def _help_lines(context: Context) -> Iterator[str]:
    yield f"NVIDIA System Management Interface -- v{tool_version(context)}"
    yield from ("", "Shows and changes the state of the GPUs of this host.", "")
    yield "nvidia-smi [OPTION1 [ARG1]] [OPTION2 [ARG2]] ..."
    for title, switches in GROUPS:
        yield from ("", f"  {title}:", "", *switch_lines(switches))
    yield from ("", "  SUBCOMMANDS (`nvidia-smi NAME -h` says more):", "")
    yield from (f"    {name:<46} {text}" for name, text in SUBCOMMANDS.items())
    yield f"    not modelled: {', '.join(OTHER_SUBCOMMANDS)}"


def _complete(context: Context, words: Sequence[str]) -> Sequence[str]:
    """Subcommands, fields of a query, sections of `-d`, GPUs after `-i`."""
    last = words[-1] if words else ""
    name, equals, text = last.partition("=")
    if equals and name.removeprefix("--") in _QUERIES:
        from engine.commands.gpu._nvidia_smi.csv_query import QUERIES
        from engine.commands.gpu._nvidia_smi.fields import by_name

        before, comma, _ = text.rpartition(",")
        fields = by_name(QUERIES[name.removeprefix("--")].fields, 10_000)
        return [f"{name}={before}{comma}{field}" for field in fields]
    previous = words[-2] if len(words) > 1 else ""
    if previous in ("-d", "--display"):
        from engine.commands.gpu._nvidia_smi.report_tree import DISPLAYS

        return sorted(DISPLAYS)
    if previous in ("-i", "--id"):
        return [str(index) for index, _ in enumerate(look(context))]
    return list(SUBCOMMANDS) if len(words) == 1 else []


def _option(names: tuple[str, ...], argument: str | None, text: str) -> Option:
    short = next((name[1:] for name in names if not name.startswith("--")), None)
    return Option(short, next((name[2:] for name in names if name.startswith("--")), None), argument, help=text)


COMMAND = Command(
    name="nvidia-smi",
    summary="show and change the state of NVIDIA GPUs",
    synopsis="nvidia-smi [OPTION [ARG]]... | nvidia-smi SUBCOMMAND [OPTION [ARG]]...",
    options=tuple(_option(switch.names, switch.argument, switch.help) for switch in SWITCHES if switch.modelled),
    manual="""Without options the summary: for each GPU its name, bus id, temperature, power, memory, utilisation and
uncorrected memory errors, then the processes on the GPUs.

-q tells everything, -q -d SECTION a part of it; --query-gpu=FIELD,... with --format=csv what was asked for, which is
what scripts should use (--help-query-gpu lists the fields). dmon and pmon print a line for each sample, topo -m shows
how GPUs and RDMA devices are connected, nvlink -s the NVLinks.

A GPU that has fallen off the bus is named in a line on standard error; the others are still shown and keep their index.

EXIT STATUS
       0   success
       2   an option or its value is wrong
       3   the device cannot do that
       4   the user may not do that
       6   there is no such device
       9   the driver is not loaded
       12  the driver's library was not found
       15  the GPU is not reachable
       18  the versions of the loaded module and of the library differ
       255 another error

EXAMPLES
       nvidia-smi -L
       nvidia-smi -q -d ECC,ROW_REMAPPER -i 3
       nvidia-smi --query-gpu=index,pci.bus_id,temperature.gpu,clocks_event_reasons.active --format=csv -l 5
       nvidia-smi dmon -s pucv -d 2
       nvidia-smi topo -m
""",
    run=run,
    complete=_complete,
)
