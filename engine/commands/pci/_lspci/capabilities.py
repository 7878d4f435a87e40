"""lspci's list of capabilities and the plain ones among them. Users who are not root can't read that far: `<access
denied>`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.commands.pci._lspci.express import express
from engine.commands.pci._lspci.extended import extended
from engine.commands.pci._lspci.function import Function
from engine.commands.pci._lspci.terse import Manner
from engine.physics.config_space.registers import KINDS, STATUS

_AUXILIARY_CURRENT = (0, 55, 100, 160, 220, 270, 320, 375)


def capabilities(function: Function, manner: Manner) -> Iterator[str]:
    """Every capability of the function, in the order of its chain."""
    if not STATUS.get(function.word(STATUS.offset), "Cap"):
        return
    at, port_type = function.byte(0x34) & ~3, None
    while at:
        if not function.readable(at, 4):
            yield "\tCapabilities: <access denied>"
            break
        number = function.byte(at)
        if number == KINDS["express"].id:
            port_type = KINDS["express"].registers["Flags"].get(function.word(at + 2), "Type")
        first, *rest = _SHOW.get(number, _unknown)(function, at, manner)
        yield f"\tCapabilities: [{at:02x}] {first}"
        if manner.verbose > 1:
            yield from (f"\t\t{text}" for text in rest)
        at = function.byte(at + 1) & ~3
    if port_type is not None and function.readable(0, 4096):
        yield from extended(function, port_type, manner)


def _value(function: Function, at: int, kind: str, name: str) -> int:
    register = KINDS[kind].registers[name]
    start = at + register.offset
    return int.from_bytes(function.space[start : start + register.size], "little")


def _power_management(function: Function, at: int, _: Manner) -> Iterator[str]:
    registers = KINDS["power_management"].registers
    flags, status = (
        _value(function, at, "power_management", "Flags"),
        _value(function, at, "power_management", "Status"),
    )
    yield f"Power Management version {registers['Flags'].get(flags, 'Version')}"
    waking = ("D0", "D1", "D2", "D3hot", "D3cold")
    sources = ",".join(f"{state}{'+' if registers['Flags'].get(flags, 'PME' + state) else '-'}" for state in waking)
    current = _AUXILIARY_CURRENT[registers["Flags"].get(flags, "AuxCurrent")]
    yield f"Flags: {registers['Flags'].flags(flags, 'PMEClk DSI D1 D2')} AuxCurrent={current}mA PME({sources})"
    state = registers["Status"]
    yield (
        f"Status: D{state.get(status, 'State')} {state.flags(status, 'NoSoftRst PME-Enable')} "
        f"DSel={state.get(status, 'DSel')} DScale={state.get(status, 'DScale')} {state.flags(status, 'PME')}"
    )


def _vital_product_data(*_: object) -> Iterator[str]:
    yield "Vital Product Data"
    yield "Not readable"


def _slot_id(function: Function, at: int, _: Manner) -> Iterator[str]:
    register, value = KINDS["slot_id"].registers["Slots"], function.word(at + 2)
    chassis = register.get(value, "Chassis")
    yield f"Slot ID: {register.get(value, 'Slots')} slots, {register.flags(value, 'First')}, chassis {chassis:02x}"


def _msi(function: Function, at: int, _: Manner) -> Iterator[str]:
    register, flags = KINDS["msi"].registers["Flags"], function.word(at + 2)
    counts = f"{1 << register.get(flags, 'Count')}/{1 << register.get(flags, 'Capable')}"
    yield f"MSI: {register.flags(flags, 'Enable')} Count={counts} {register.flags(flags, 'Maskable 64bit')}"
    wide = register.get(flags, "64bit")
    high = f"{function.long(at + 8):08x}" if wide else ""
    yield f"Address: {high}{function.long(at + 4):08x}  Data: {function.word(at + (12 if wide else 8)):04x}"
    if register.get(flags, "Maskable"):
        masks = at + (16 if wide else 12)
        yield f"Masking: {function.long(masks):08x}  Pending: {function.long(masks + 4):08x}"


def _vendor_specific(function: Function, at: int, _: Manner) -> Iterator[str]:
    yield f"Vendor Specific Information: Len={function.byte(at + 2):02x} <?>"


def _subsystem(function: Function, at: int, manner: Manner) -> Iterator[str]:
    ids = f"{function.word(at + 4):04x}:{function.word(at + 6):04x}"
    yield f"Subsystem: {manner.names.subsystem(function.device.ids, ids)}"


def _msi_x(function: Function, at: int, _: Manner) -> Iterator[str]:
    registers, flags = KINDS["msi_x"].registers, function.word(at + 2)
    register = registers["Flags"]
    size = register.get(flags, "TableSize") + 1
    yield f"MSI-X: {register.flags(flags, 'Enable')} Count={size} {register.flags(flags, 'Masked')}"
    for name, offset in (("Vector table", 4), ("PBA", 8)):
        value = function.long(at + offset)
        yield f"{name}: BAR={value & 7} offset={value & ~7:08x}"


def _unknown(function: Function, at: int, _: Manner) -> Iterator[str]:
    yield f"Capability ID {function.byte(at):#02x} [{function.word(at + 2):04x}]"


_SHOW: dict[int, Callable[[Function, int, Manner], Iterator[str]]] = {
    KINDS["power_management"].id: _power_management,
    KINDS["vital_product_data"].id: _vital_product_data,
    KINDS["slot_id"].id: _slot_id,
    KINDS["msi"].id: _msi,
    KINDS["vendor_specific"].id: _vendor_specific,
    KINDS["subsystem"].id: _subsystem,
    KINDS["express"].id: express,
    KINDS["msi_x"].id: _msi_x,
}
