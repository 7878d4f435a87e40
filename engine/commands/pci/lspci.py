"""lspci of pciutils: lists PCI functions, with their names, links and capabilities.

The configuration space that it decodes is the model's own, byte for byte; the real lspci prints the same of a dump of
it. Formats: sources of pciutils 3.7.0, 3.9.0 and 3.10.0 (see _lspci.edition for what differs), captures of H100 and
ConnectX-7 machines.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.options import Option, Parsed, UsageError, option_lines, parse
from engine.commands.pci._lspci import verbose
from engine.commands.pci._lspci.edition import edition
from engine.commands.pci._lspci.filters import Filter, FilterError, by_ids, by_slot
from engine.commands.pci._lspci.function import Function, functions
from engine.commands.pci._lspci.names import BOTH, NUMBERS, TEXT, Names
from engine.commands.pci._lspci.terse import Manner, line, machine_line, machine_record
from engine.commands.pci._lspci.tree import Tree

OPTIONS = (
    Option("n", help="show numbers instead of names; -nn shows both"),
    Option("v", help="be verbose: -vv and -vvv tell more (capabilities need root)"),
    Option("k", help="show the kernel driver of each function, and modules that would fit"),
    Option("t", help="show buses and bridges as a tree; -tv with names"),
    Option("s", argument="SLOT", help="only functions at [[[domain]:]bus:][slot][.[function]]"),
    Option("d", argument="IDS", help="only functions with these [vendor]:[device][:class] numbers"),
    Option("D", help="show domain numbers"),
    Option("P", help="show the bridges on the way; -PP with bus numbers"),
    Option("m", help="output for programs; -mm is the newer form, -vmm gives records"),
    Option("x", help="add a hexadecimal dump of the header; -xxx 256 bytes, -xxxx all 4096 (root)"),
    Option("b", help="(not modelled) the bus's own view of addresses and interrupts"),
    Option("i", argument="FILE", help="(not modelled) another database of names"),
    Option("p", argument="FILE", help="(not modelled) another map of modules"),
    Option("F", argument="FILE", help="(not modelled) read a dump instead of the machine"),
    Option("M", help="(not modelled) map the bus"),
    Option("q", help="(not modelled) ask for names over the network"),
    Option("Q", help="(not modelled) ask for all names over the network"),
    Option("A", argument="METHOD", help="(not modelled) another way of access"),
    Option("O", argument="PARAMETER", help="(not modelled) a parameter of the access"),
    Option("G", help="(not modelled) tell about the access"),
    Option("H", argument="MODE", help="(not modelled) direct access"),
)
_NOT_MODELLED = "bipFMqQAOGH"
_HEADER, _STANDARD, _WHOLE = 64, 256, 4096
_DUMP_STANDARD, _DUMP_WHOLE = 3, 4

_MANUAL = """\
Lists the PCI functions that the kernel knows, one a line: where (bus:slot.function), class, vendor, device, revision.

A device that has dropped off the bus stays in the list, because the kernel still knows it, but reads all ones: up to
pciutils 3.7 its line ends in (rev ff), and with -v there is `!!! Unknown header type 7f`. One that was away when the
machine started is not in the list.

LnkCap is what a function's link can do, LnkSta what it does; (downgraded) marks what falls short. Capabilities can be
read by root alone.

lspci -d 10de: -nn    all of NVIDIA, with numbers
lspci -s 1b:00.0 -vvv    one function in full
lspci -tv    who hangs below which bridge"""


def run(context: Context) -> int:
    """Show what was asked for."""
    if context.arguments == ("--version",):
        context.line(f"lspci version {edition(context.world, context.host).version}")
        return 0
    if context.arguments in (("--help",), ("-h",)):
        context.write(_help())
        return 0
    if any(word.startswith("--") and word != "--" for word in context.arguments):
        raise UsageError(f"lspci: invalid option -- '-'\n{_help()}", 1)
    parsed = parse("lspci", OPTIONS, context.arguments, trailer=_help())
    if parsed.operands:
        raise UsageError(_help(), 1)
    missing = next((letter for letter in _NOT_MODELLED if letter in parsed), None)
    if missing:
        return context.not_modelled(f"lspci -{missing}")
    try:
        chosen = _chosen(context, parsed)
    except FilterError as error:
        context.error(f"lspci: {error}")
        return 1
    _show(context, parsed, chosen)
    return 0


def _chosen(context: Context, parsed: Parsed) -> Filter | None:
    """The filter that -s and -d describe, in their order; None without them."""
    chosen, version = None, edition(context.world, context.host)
    for letter, value in parsed.given:
        if letter not in ("s", "d"):
            continue
        try:
            chosen = (by_slot if letter == "s" else by_ids)(chosen or Filter(), value, version)
        except FilterError as error:
            raise FilterError(f"-{letter}: {error}") from None
    return chosen


def _show(context: Context, parsed: Parsed, chosen: Filter | None) -> None:
    known = functions(context)
    machine = parsed.count("m")
    manner = Manner(
        edition=edition(context.world, context.host),
        names=Names((TEXT, NUMBERS, BOTH)[min(parsed.count("n"), 2)]),
        domains="D" in parsed or (not machine and any(function.domain for function in known)),
        path=min(parsed.count("P"), 2),
        verbose=parsed.count("v"),
        kernel="k" in parsed,
        machine=machine,
    )
    if "t" in parsed:
        for text in Tree(known, manner, chosen).lines():
            context.line(text)
        return
    by_address = {function.device.address: function for function in known}
    for function in known:
        if chosen is None or chosen.matches(function):
            _one(context, function, _above(function, by_address), manner, parsed.count("x"))


def _above(function: Function, known: dict[str, Function]) -> list[Function]:
    """The bridges above a function, from the root down."""
    path: list[Function] = []
    above = known.get(function.device.parent or "")
    while above:
        path.insert(0, above)
        above = known.get(above.device.parent or "")
    return path


def _one(context: Context, function: Function, above: list[Function], manner: Manner, dump: int) -> None:
    for text in _lines(function, above, manner):
        context.line(text)
    for text in _dump(function, dump) if dump else ():
        context.line(text)
    if manner.verbose or dump:
        context.line()


def _lines(function: Function, above: list[Function], manner: Manner) -> Iterator[str]:
    if manner.machine:
        if manner.verbose:
            yield from machine_record(function, above, manner)
        else:
            yield machine_line(function, above, manner)
    elif manner.verbose:
        yield from verbose.lines(function, above, manner)
    else:
        yield line(function, above, manner)
        if manner.kernel:
            yield from verbose.subsystem(function, manner)
            yield from verbose.drivers(function)


def _dump(function: Function, level: int) -> Iterator[str]:
    """Sixteen bytes a line, as far as asked for and allowed."""
    wanted = _WHOLE if level >= _DUMP_WHOLE else _STANDARD if level >= _DUMP_STANDARD else _HEADER
    space = function.space[:wanted]
    for at in range(0, len(space), 16):
        yield f"{at:02x}: " + " ".join(f"{byte:02x}" for byte in space[at : at + 16])


def _help() -> str:
    return "Usage: lspci [<switches>]\n\n" + "".join(f"{text}\n" for text in option_lines(OPTIONS))


COMMAND = Command(
    "lspci",
    "list all PCI devices",
    run,
    synopsis="lspci [options]",
    options=OPTIONS,
    manual=_MANUAL,
    section=8,
)
