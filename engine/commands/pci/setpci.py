"""setpci of pciutils: reads and writes registers of PCI functions by name or number.

Order of arguments, texts of errors and formats: setpci.c of pciutils 3.13; the registers are the model's configuration
space (engine.physics.config_space), which lspci shows. Writing something that would cut a function off (address
windows, memory and bus mastering, link disable, resets) is not modelled. Guess: what somebody who is not root gets on
writing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.options import Option
from engine.commands.pci._lspci.edition import edition
from engine.commands.pci._lspci.filters import Filter, FilterError, by_ids, by_slot
from engine.commands.pci._lspci.function import HEADER, Function, functions
from engine.control.pci_hotplug import WriteRegisters
from engine.physics.config_space import writing
from engine.physics.config_space.expressions import ExpressionError, Operation, Value, capability_at, parse
from engine.physics.config_space.register_names import NAMES
from engine.physics.config_space.space import config_space

_ALL_ONES = 0xFFFFFFFF
_LETTERS = {0: "-", 1: "B", 2: "W", 4: "L"}
_HINT = "Try `setpci --help' for more information."
_FLAGS = "vfDr"
_ACCESS = "AOGHF"
_USAGE = """\
Usage: setpci [<options>] (<device>+ <reg>[=<values>]*)*

General options:
-f		Say nothing where no device fits
-v		Tell what is done
-D		Show what would be written, and do not
-r		Go without a scan of the bus where that is possible
--dumpregs	List the names of registers

Settings:
<device>:	-s [[[<domain>]:][<bus>]:][<slot>][.[<func>]]
		-d [<vendor>]:[<device>]
<reg>:		<base>[+<offset>][.(B|W|L)][@<number>]
<base>:		<address>, <named-register>, [E]CAP_<name> or [E]CAP<number>
<values>:	<value>[,<value>...], each <hex> or <hex>:<mask>
"""
_MANUAL = """\
Reads registers of the configuration space, or writes them. Numbers are hexadecimal, always.

A register is a name (`setpci --dumpregs` lists them), an address, or a place in a capability: CAP_EXP+8.w is the word 8
bytes into the PCI Express capability (Device Control), ECAP_ACS+6.w the control word of access control. With a value it
is written; `value:mask` changes only the bits of the mask.

What is written lasts until the machine restarts. lspci -vvv shows what it means.

sudo setpci -s 17:00.0 ECAP_ACS+6.w    read access control of a bridge
sudo setpci -s 17:00.0 ECAP_ACS+6.w=0    switch it off
sudo setpci -s 18:00.0 CAP_EXP+8.w=5000:7000    let a card read 4096 bytes at a time
sudo setpci -s 17:00.0 CAP_EXP+10.w=20:20    ask a port to train its link again"""


class _Problem(Exception):
    """What ends the command: an error line, and whether the hint at --help follows."""

    def __init__(self, text: str, hint: bool = True) -> None:
        super().__init__(text)
        self.hint = hint


@dataclass
class _Group:
    """Devices, and what is to be done with each."""

    chosen: Filter = field(default_factory=Filter)
    operations: list[Operation] = field(default_factory=list)


def run(context: Context) -> int:
    """Do what the command line says, function by function."""
    words = list(context.arguments)
    if words == ["--help"]:
        context.error(_USAGE.rstrip("\n"))
        return 0
    if words == ["--version"]:
        context.line(f"setpci version {edition(context.world, context.host).version}")
        return 0
    if words == ["--dumpregs"]:
        _dump(context)
        return 0
    try:
        flags, rest = _flags(words)
        if strange := next((letter for letter in flags if letter in _ACCESS), None):
            return context.not_modelled(f"setpci -{strange}")
        return _perform(context, flags, _groups(context, rest))
    except _Problem as problem:
        context.error(f"setpci: {problem}" + (f".\n{_HINT}" if problem.hint else ""))
        return 1


def _dump(context: Context) -> None:
    context.line("cap pos w name")
    for one in NAMES:
        start = f"{one.capability:04x}" if one.chain == 2 else f"  {one.capability:02x}" if one.chain else "    "
        context.line(f"{start} {one.offset:02x} {_LETTERS[one.width]} {one.name}")


def _flags(words: list[str]) -> tuple[str, list[str]]:
    """Letters of the general options, and the words from the first device on."""
    letters = ""
    for number, word in enumerate(words):
        if not word.startswith("-"):
            return letters, words[number:]
        for place, letter in enumerate(word[1:]):
            if letter not in _FLAGS + _ACCESS:
                if place:
                    raise _Problem(f"Invalid or misplaced option -{letter}")
                return letters, words[number:]
            letters += letter
    return letters, []


def _groups(context: Context, words: Sequence[str]) -> list[_Group]:
    groups: list[_Group] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            if not groups:
                raise _Problem("Filter specification expected")
            groups[-1].operations.append(_operation(word))
            continue
        if not groups or groups[-1].operations:
            groups.append(_Group())
        _narrow(context, groups[-1], word, rest)
    if not groups:
        raise _Problem("No operation specified")
    return groups


def _operation(word: str) -> Operation:
    try:
        return parse(word)
    except ExpressionError as error:
        raise _Problem(str(error)) from None


def _narrow(context: Context, group: _Group, word: str, rest: list[str]) -> None:
    """Take an option that chooses devices, with its argument from the same word or the next one."""
    letter, argument = word[1:2], word[2:].removeprefix("=")
    if letter not in ("s", "d"):
        raise _Problem(f"Invalid option -{letter}")
    if len(word) <= 2:
        if not rest:
            raise _Problem(f"Option -{letter} requires an argument")
        argument = rest.pop(0)
    try:
        chooser = by_slot if letter == "s" else by_ids
        group.chosen = chooser(group.chosen, argument, edition(context.world, context.host))
    except FilterError as error:
        raise _Problem(f"Unable to parse filter -{letter} {error}") from None


def _perform(context: Context, flags: str, groups: Sequence[_Group]) -> int:
    for number, group in enumerate(groups, start=1):
        fitting = [each for each in functions(context) if group.chosen.matches(each)]
        if not fitting and "f" not in flags:
            context.error(f"setpci: Warning: No devices selected for operation group {number}.")
        for function in fitting:
            for operation in group.operations:
                if status := _one(context, flags, function, operation):
                    return status
    return 0


def _one(context: Context, flags: str, function: Function, operation: Operation) -> int:
    """Read or write one register of one function."""
    address = function.device.address
    whole = config_space(context.world, context.host, address) or b""
    space = whole if context.is_root else whole[:HEADER]
    try:
        at = capability_at(space, operation, address)
    except ExpressionError as error:
        raise _Problem(str(error), hint=False) from None
    told = _place(space, address, operation, at) if "v" in flags else ""
    if not operation.values:
        context.line((f"{told} = " if told else "") + _number(_read(space, at, operation.width), operation.width))
        return 0
    return _write(context, function, operation, at, flags, told)


def _write(context: Context, function: Function, operation: Operation, at: int, flags: str, told: str) -> int:
    width, address = operation.width, function.device.address
    if not context.is_root and "D" not in flags:
        path = f"/sys/bus/pci/devices/{address}/config"
        raise _Problem(f"Cannot open {path}: Permission denied", hint=False)
    for value in operation.values:
        space = config_space(context.world, context.host, address) or b""
        before = _read(space, at, width)
        told += _change(value, before, width) if told else ""
        content = value.over(before).to_bytes(width, "little")
        if "D" not in flags:
            if effect := writing.harmful(function.device, at, content):
                return context.not_modelled(f"setpci: {effect}")
            context.simulation.apply(WriteRegisters(context.host, address, at, content))
        at += width
    if told:
        context.line(told)
    return 0


def _place(space: bytes, address: str, operation: Operation, at: int) -> str:
    start, capability = at - operation.address, operation.capability
    inside = ""
    if operation.chain:
        inside = f"(cap {capability:02x} @{start:02x}) " if operation.chain == 1 else (
            f"(ecap {capability:04x} @{start:03x}) "
        )  # fmt: skip
    return f"{address} {inside}@{at:02x}"


def _change(value: Value, before: int, width: int) -> str:
    if value.mask == (1 << 8 * width) - 1:
        return f" {_number(value.value, width)}"
    parts = [_number(number, width) for number in (before, value.value, value.mask, value.over(before))]
    return f" {parts[0]}->({parts[1]}:{parts[2]})->{parts[3]}"


def _read(space: bytes, at: int, width: int) -> int:
    """What lies there; all ones beyond what may be read."""
    if at + width > len(space):
        return _ALL_ONES >> 32 - 8 * width
    return int.from_bytes(space[at : at + width], "little")


def _number(value: int, width: int) -> str:
    return f"{value:0{2 * width}x}"


COMMAND = Command(
    "setpci",
    "configure PCI devices",
    run,
    synopsis="setpci [options] devices register[=values]...",
    options=(
        Option("s", argument="SLOT", help="devices at [[[domain]:]bus:][slot][.[function]]"),
        Option("d", argument="IDS", help="devices with these [vendor]:[device] numbers"),
        Option("v", help="tell what is done"),
        Option("f", help="say nothing where no device fits"),
        Option("D", help="show what would be written, and do not"),
        Option("r", help="go without a scan of the bus where that is possible"),
        Option(long="dumpregs", help="list the names of registers"),
    ),
    manual=_MANUAL,
    section=8,
)
