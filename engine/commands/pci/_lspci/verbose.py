"""lspci -v, -vv and -vvv: header, interrupts, address regions and bridge windows of a function; capabilities follow
from modules of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.commands.pci._lspci.capabilities import capabilities
from engine.commands.pci._lspci.function import Function
from engine.commands.pci._lspci.terse import Manner, line
from engine.physics.config_space.registers import BRIDGE_CONTROL, COMMAND, SECONDARY_STATUS, STATUS
from engine.physics.config_space.resources import Placed

_BRIDGE, _NOTHING = 1, 0x7F
_DEVSEL = ("fast", "medium", "slow", "??")
_SUFFIXES = ("", "K", "M", "G", "T")
_COMMAND = "I/O Mem BusMaster SpecCycle MemWINV VGASnoop ParErr Stepping SERR FastB2B DisINTx"
_FLAGS = (("66MHz", "66MHz"), ("UDF", "user-definable features"))
_MEMORY_64, _PREFETCHABLE = 0x4, 0x8
_ROM_ENABLED = 1


def lines(function: Function, above: Sequence[Function], manner: Manner) -> Iterator[str]:
    """Everything that is shown of `function`."""
    yield line(function, above, manner)
    yield from subsystem(function, manner)
    if function.header == _NOTHING:
        yield from _silent(function, manner)
    else:
        yield from _header(function, manner)
        yield from _regions(function, manner)
        yield from _bridge(function, manner) if function.header == _BRIDGE else ()
        yield from capabilities(function, manner)
    yield from drivers(function)


def subsystem(function: Function, manner: Manner) -> Iterator[str]:
    """The line that -v and -k add under a function that has a subsystem."""
    if found := manner.subsystem(function):
        yield f"\tSubsystem: {manner.names.subsystem(function.device.ids, found)}"


def drivers(function: Function) -> Iterator[str]:
    """What -v and -k say of kernel drivers."""
    if function.driver:
        yield f"\tKernel driver in use: {function.driver}"
    if function.modules:
        yield f"\tKernel modules: {', '.join(function.modules)}"


def size_text(size: int) -> str:
    """` [size=16M]`; nothing for 0."""
    if not size:
        return ""
    suffix = 0
    while size % 1024 == 0 and suffix < len(_SUFFIXES) - 1:
        size, suffix = size // 1024, suffix + 1
    return f" [size={size}{_SUFFIXES[suffix]}]"


def _silent(function: Function, manner: Manner) -> Iterator[str]:
    """A function that reads all ones; from 3.8 on the kernel's memory of it is still shown."""
    yield f"\t!!! Unknown header type {_NOTHING:02x}"
    if not manner.edition.kernel_view:
        return
    if manner.verbose > 1:
        if function.interrupt:
            yield f"\tInterrupt: pin ? routed to IRQ {function.interrupt}"
        yield f"\tNUMA node: {function.device.numa}"
    for placed in function.bars:
        label = f"Region {placed.bar.index}: " if manner.verbose > 1 else ""
        yield f"\t{label}Memory at {placed.base:x} ({_memory_kind(placed)}){size_text(placed.bar.size)}"


def _header(function: Function, manner: Manner) -> Iterator[str]:
    command, status = function.word(COMMAND.offset), function.word(STATUS.offset)
    master = COMMAND.get(command, "BusMaster")
    if manner.verbose <= 1:
        yield f"\tFlags: {_short_flags(function, command, status)}"
        return
    yield f"\tControl: {COMMAND.flags(command, _COMMAND)}"
    yield f"\tStatus: {STATUS.flags(status, 'Cap 66MHz UDF FastB2B ParErr')} {_signals(status, '>SERR <PERR INTx')}"
    if master:
        line_size = function.byte(0xC)
        yield f"\tLatency: {function.byte(0xD)}" + (f", Cache Line Size: {line_size * 4} bytes" if line_size else "")
    pin = function.byte(0x3D)
    if pin or function.interrupt:
        yield f"\tInterrupt: pin {chr(ord('A') + pin - 1) if pin else '?'} routed to IRQ {function.interrupt}"
    if function.device.numa >= 0:
        yield f"\tNUMA node: {function.device.numa}"


def _short_flags(function: Function, command: int, status: int) -> str:
    master = COMMAND.get(command, "BusMaster")
    words = ["bus master"] if master else []
    words += [text for name, text in _FLAGS if STATUS.get(status, name)]
    words.append(f"{_DEVSEL[STATUS.get(status, 'DEVSEL')]} devsel")
    words += [f"latency {function.byte(0xD)}"] if master else []
    words += [f"IRQ {function.interrupt}"] if function.interrupt else []
    words += [f"NUMA node {function.device.numa}"] if function.device.numa >= 0 else []
    return ", ".join(words)


def _signals(status: int, rest: str) -> str:
    first = STATUS.flags(status, ">TAbort <TAbort <MAbort")
    return f"DEVSEL={_DEVSEL[STATUS.get(status, 'DEVSEL')]} {first} {STATUS.flags(status, rest)}"


def _regions(function: Function, manner: Manner) -> Iterator[str]:
    enabled = COMMAND.get(function.word(COMMAND.offset), "Mem")
    for placed in function.bars:
        label = f"Region {placed.bar.index}: " if manner.verbose > 1 else ""
        off = "" if enabled else " [disabled]"
        yield f"\t{label}Memory at {placed.base:x} ({_memory_kind(placed)}){off}{size_text(placed.bar.size)}"
    if function.rom and function.header != _BRIDGE:
        yield _rom(function)


def _rom(function: Function) -> str:
    assert function.rom is not None
    base, size = function.rom
    state = "" if function.long(0x30) & _ROM_ENABLED else " [disabled]"
    return f"\tExpansion ROM at {base:x}{state}{size_text(size)}"


def _memory_kind(placed: Placed) -> str:
    return f"{placed.bar.bits}-bit, {'' if placed.bar.prefetchable else 'non-'}prefetchable"


def _bridge(function: Function, manner: Manner) -> Iterator[str]:
    primary, secondary, subordinate, latency = function.space[0x18:0x1C]
    yield (
        f"\tBus: primary={primary:02x}, secondary={secondary:02x}, subordinate={subordinate:02x}, sec-latency={latency}"
    )
    yield from _windows(function, manner)
    if manner.verbose <= 1:
        return
    status, control = function.word(SECONDARY_STATUS.offset), function.word(BRIDGE_CONTROL.offset)
    yield f"\tSecondary status: {STATUS.flags(status, '66MHz FastB2B ParErr')} {_signals(status, '<SERR <PERR')}"
    names = "Parity SERR NoISA VGA VGA16 MAbort >Reset FastB2B"
    yield f"\tBridgeCtl: {BRIDGE_CONTROL.flags(control, names)}"
    yield f"\t\t{BRIDGE_CONTROL.flags(control, 'PriDiscTmr SecDiscTmr DiscTmrStat DiscTmrSERREn')}"


def _windows(function: Function, manner: Manner) -> Iterator[str]:
    base, end = (function.byte(0x1C) & 0xF0) << 8, (function.byte(0x1D) & 0xF0) << 8
    yield _window("I/O behind bridge", base, end + 0xFFF, 16, manner)
    base, end = (function.word(0x20) & 0xFFF0) << 16, (function.word(0x22) & 0xFFF0) << 16
    yield _window("Memory behind bridge", base, end + 0xFFFFF, 32, manner)
    base = (function.word(0x24) & 0xFFF0) << 16 | function.long(0x28) << 32
    end = (function.word(0x26) & 0xFFF0) << 16 | function.long(0x2C) << 32
    yield _window("Prefetchable memory behind bridge", base, end + 0xFFFFF, 64, manner)


def _window(name: str, base: int, end: int, bits: int, manner: Manner) -> str:
    digits = bits // 4 if manner.edition.kernel_view or bits == 64 else 8
    text = f"\t{name}:"
    if base <= end or manner.verbose > 2:
        text += f" {base:0{digits}x}-{end:0{digits}x}"
    text += size_text(end - base + 1) if base <= end else " [disabled]"
    return text + (f" [{bits}-bit]" if manner.edition.kernel_view else "")
