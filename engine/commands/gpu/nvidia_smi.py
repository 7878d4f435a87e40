"""nvidia-smi, the System Management Interface of the NVIDIA driver.

Imitates the tool of driver 590.48.01, and of 535, 550, 570, 580 and 610 where their difference is recorded; the site's
driver says which. Formats: the captures named in the parts of `_nvidia_smi`. Not modelled are the subcommands and
options that the help marks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import cast

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
    write_file,
)
from engine.commands.gpu._nvidia_smi.switches import (
    BESIDE_CHANGES,
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
_MODULES = {
    **dict.fromkeys(("encodersessions", "fbcsessions"), "sessions"),
    **dict.fromkeys(("compute-policy", "boost-slider"), "policies"),
    **dict.fromkeys(("c2c", "vgpu", "power-hint", "conf-compute", "clocks"), "small"),
}
"""Modules that hold several subcommands."""


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
    """Run a subcommand: the function of its name, in the module of its name if it has one."""
    return cast(int, await getattr(module_of(name), name.replace("-", "_"))(context, words))


def module_of(subcommand: str) -> ModuleType:
    """The module that holds a subcommand."""
    name = _MODULES.get(subcommand, subcommand.replace("-", "_"))
    return import_module(f"engine.commands.gpu._nvidia_smi.{name}")


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
    from engine.commands.gpu._nvidia_smi import report_xml
    from engine.commands.gpu._nvidia_smi.report import report_lines
    from engine.commands.gpu._nvidia_smi.report_tree import DISPLAYS, TREE

    displays = frozenset(word.strip().upper() for word in (given.get("display") or "").split(",") if word.strip())
    if displays - DISPLAYS or ("display" in given and (not displays or "xml" in given)):
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    library = await open_library(context)

    def produce(devices: Sequence[Device], number: int) -> Iterator[str]:
        if "xml" in given:
            return report_xml.report_lines(context.inventory, context.now, library.versions, TREE, devices)
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
    from engine.commands.gpu._nvidia_smi.reset import reset
    from engine.commands.gpu._nvidia_smi.settings import apply_setting, unsupported
    from engine.commands.gpu._nvidia_smi.settings_more import SETTINGS

    library = await open_library(context)
    devices = await answering(context, library, select(context, library, given.get("id")))
    if "reset" in given:
        return await reset(context, given["reset"] or "", devices)
    key = next(key for key in SETTINGS if key in given)
    setting = SETTINGS[key]
    for beside, (owner, values) in _BESIDE.items():
        if beside in given and (key != owner or (given[beside] or "").upper() not in values):
            raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    if (given.get("scope") or "0").upper() not in ("0", "GPU"):
        setting = unsupported("Changing power management limit is not supported for GPU: {bus}.")
    return await apply_setting(context, setting, given[key] or "", devices, strict="error_on_warning" in given)


async def _rounds(context: Context, given: Given, library: Library, produce: Produce) -> int:
    """Print once, or again and again with `-l`, or into a file. Between rounds the library stays open."""
    interval, number = _interval(context, given), 0
    while True:
        current = Library(library.versions, look(context) if number else library.devices)
        devices = await answering(context, current, select(context, current, given.get("id")))
        text = "".join(f"{line}\n" for line in produce(devices, number))
        if given.get("filename"):
            write_file(context, given["filename"] or "", text, more=number > 0)
        else:
            context.write(text)
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
    **{switch.key: _change for switch in CHANGES},
}
_SHOWN = frozenset({"id", "filename", *_LOOPED})
_ALLOWED = {
    _version: frozenset[str](),
    _summary: _SHOWN,
    _report: _SHOWN | {"display", "xml"},
    _query: _SHOWN | {"format"},
    _query_help: frozenset[str](),
    _change: frozenset({"id", *(switch.key for switch in BESIDE_CHANGES)}),
}
_BESIDE = {
    "clock_mode": ("lock_clocks", ("0", "1")),
    "scope": ("power_limit", ("0", "GPU", "1", "TOTAL_MODULE")),
}
"""Options that say how another is meant: that option, and the values."""


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
    from engine.commands.gpu._nvidia_smi.completion import complete

    return complete(context, words, tuple(SUBCOMMANDS), module_of)


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
how GPUs and RDMA devices are connected, nvlink -s the NVLinks and nvlink -e the errors that they counted. -q -x gives
everything as XML.

-mig 1 puts a GPU into MIG mode, at once if nobody has it open, else with its next reset. mig -lgip lists what it can be
cut into, mig -cgi PROFILE,... -C makes instances, -L lists the devices that CUDA_VISIBLE_DEVICES can name.

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
       nvidia-smi nvlink -e -i 3
       nvidia-smi mig -cgi 9,14,19,19 -C -i 0
""",
    run=run,
    complete=_complete,
)
