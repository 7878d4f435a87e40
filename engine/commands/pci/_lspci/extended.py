"""lspci's view of extended capabilities (configuration space from 0x100 on)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.commands.pci._lspci.function import Function
from engine.commands.pci._lspci.terse import Manner
from engine.physics.config_space.registers import KINDS, Register

_FIRST = 0x100
_UNCORRECTABLE = "DLP SDES TLP FCP CmpltTO CmpltAbrt UnxCmplt RxOF MalfTLP ECRC UnsupReq ACSViol"
_CORRECTABLE = "RxErr BadTLP BadDLLP Rollover Timeout AdvNonFatalErr"
_ACS = "SrcValid TransBlk ReqRedir CmpltRedir UpstreamFwd EgressCtrl DirectTrans"
_ARBITRATION = ("WRR32", "WRR64", "WRR128")
_CHANNEL_ARBITRATION = ("WRR32", "WRR64", "WRR128", "TWRR128", "WRR256")
_ROOT_TYPES = (4, 10)
_UNITS = ("MB", "GB", "TB", "PB", "EB")
_MEMORY_64, _PREFETCHABLE = 0x4, 0x8
_VIRTUAL_BARS = 6
_PLAIN = {
    "power_budgeting": "Power Budgeting <?>",
    "data_link_feature": "Data Link Feature <?>",
    "physical_layer_16": "Physical Layer 16.0 GT/s <?>",
    "lane_margining": "Lane Margining at the Receiver <?>",
    "enclosure_management": "Native PCIe Enclosure Management <?>",
}


def extended(function: Function, port_type: int, manner: Manner) -> Iterator[str]:
    """Every extended capability, in the order of its chain."""
    at = _FIRST
    while at:
        header = function.long(at)
        if header in (0, 0xFFFFFFFF):
            return
        number, version, at_next = header & 0xFFFF, header >> 16 & 0xF, header >> 20
        view = _View(function, at, manner, port_type, number)
        first, *rest = _SHOW.get(number, _unknown)(view)
        mark = f" v{version}" if manner.verbose > 1 else ""
        yield f"\tCapabilities: [{at:03x}{mark}] {first}"
        if manner.verbose > 1:
            yield from (f"\t\t{text}" for text in rest)
        at = at_next


class _View:
    """One extended capability."""

    def __init__(self, function: Function, at: int, manner: Manner, port_type: int, number: int) -> None:
        self.function, self.at, self.manner, self.port_type, self.number = function, at, manner, port_type, number
        self.kind = next((kind for kind in KINDS.values() if kind.extended and kind.id == number), None)

    def register(self, name: str) -> Register:
        assert self.kind is not None
        return self.kind.registers[name]

    def value(self, name: str) -> int:
        layout = self.register(name)
        start = self.at + layout.offset
        return int.from_bytes(self.function.space[start : start + layout.size], "little")

    def get(self, name: str, field: str = "Value") -> int:
        return self.register(name).get(self.value(name), field)

    def flags(self, name: str, names: str) -> str:
        return self.register(name).flags(self.value(name), names)

    def long(self, offset: int) -> int:
        return self.function.long(self.at + offset)


def _unknown(view: _View) -> Iterator[str]:
    yield f"Extended Capability ID {view.number:#02x}"


def _errors(view: _View) -> Iterator[str]:
    yield "Advanced Error Reporting"
    for name in ("UESta", "UEMsk", "UESvrt"):
        yield f"{name}:\t{view.flags(name, _UNCORRECTABLE)}"
    for name in ("CESta", "CEMsk"):
        yield f"{name}:\t{view.flags(name, _CORRECTABLE)}"
    checks = view.flags("AERCap", "ECRCGenCap ECRCGenEn ECRCChkCap ECRCChkEn")
    yield f"AERCap:\tFirst Error Pointer: {view.get('AERCap', 'FirstError'):02x}, {checks}"
    yield f"\t{view.flags('AERCap', 'MultHdrRecCap MultHdrRecEn TLPPfxPres HdrLogCap')}"
    yield "HeaderLog: " + " ".join(f"{view.long(0x1C + 4 * number):08x}" for number in range(4))
    if view.port_type in _ROOT_TYPES:
        yield f"RootCmd: {view.flags('RootCmd', 'CERptEn NFERptEn FERptEn')}"
        yield f"RootSta: {view.flags('RootSta', 'CERcvd MultCERcvd UERcvd MultUERcvd')}"
        message = view.get("RootSta", "IntMsg")
        yield f"\t {view.flags('RootSta', 'FirstFatal NonFatalMsg FatalMsg')} IntMsg {message}"
        source = view.long(0x34)
        yield f"ErrorSrc: ERR_COR: {source & 0xFFFF:04x} ERR_FATAL/NONFATAL: {source >> 16:04x}"


def _virtual_channel(view: _View) -> Iterator[str]:
    yield "Virtual Channel"
    entry = 1 << view.get("Port", "Entry")
    yield f"Caps:\tLPEVC={view.get('Port', 'LPEVC')} RefClk=100ns PATEntryBits={entry}"
    yield "Arb:\tFixed- " + " ".join(f"{name}-" for name in _ARBITRATION)
    yield "Ctrl:\tArbSelect=Fixed"
    yield "Status:\tInProgress-"
    for number in range(view.get("Port", "Extended") + 1):
        yield f"VC{number}:\tCaps:\tPATOffset=00 MaxTimeSlots=1 RejSnoopTrans-"
        fixed = "+" if view.long(0x10 + 12 * number) & 1 else "-"
        yield f"\tArb:\tFixed{fixed} " + " ".join(f"{name}-" for name in _CHANNEL_ARBITRATION)
        control, layout = view.long(0x14 + 12 * number), view.register("Control0")
        identity, classes = layout.get(control, "ID"), layout.get(control, "TC")
        yield f"\tCtrl:\t{layout.flags(control, 'Enable')} ID={identity} ArbSelect=Fixed TC/VC={classes:02x}"
        yield "\tStatus:\tNegoPending- InProgress-"


def _serial_number(view: _View) -> Iterator[str]:
    digits = f"{view.long(8):08x}{view.long(4):08x}"
    yield "Device Serial Number " + "-".join(digits[place : place + 2] for place in range(0, 16, 2))


def _vendor_specific(view: _View) -> Iterator[str]:
    number, revision, length = (view.get("Header", name) for name in ("ID", "Rev", "Len"))
    yield f"Vendor Specific Information: ID={number:04x} Rev={revision} Len={length:03x} <?>"


def _access_control(view: _View) -> Iterator[str]:
    yield "Access Control Services"
    yield f"ACSCap:\t{view.flags('ACSCap', _ACS)}"
    yield f"ACSCtl:\t{view.flags('ACSCtl', _ACS)}"


def _alternative_routing(view: _View) -> Iterator[str]:
    yield "Alternative Routing-ID Interpretation (ARI)"
    yield f"ARICap:\t{view.flags('ARICap', 'MFVC ACS')}, Next Function: {view.get('ARICap', 'Next')}"
    yield f"ARICtl:\t{view.flags('ARICtl', 'MFVC ACS')}, Function Group: {view.get('ARICtl', 'Group')}"


def _virtual_functions(view: _View) -> Iterator[str]:
    yield "Single Root I/O Virtualization (SR-IOV)"
    modern = view.manner.edition.kernel_view
    tags, comma = (" 10BitTagReq", "") if modern else ("", ",")
    message = view.get("IOVCap", "Message")
    yield f"IOVCap:\t{view.flags('IOVCap', f'Migration{tags}')}{comma} Interrupt Message Number: {message:03x}"
    yield f"IOVCtl:\t{view.flags('IOVCtl', f'Enable Migration Interrupt MSE ARIHierarchy{tags}')}"
    yield f"IOVSta:\t{view.flags('IOVSta', 'Migration')}"
    counts = (
        f"Initial VFs: {view.get('Initial')}, Total VFs: {view.get('Total')}, Number of VFs: {view.long(0x10) & 0xFFFF}"
    )
    yield f"{counts}, Function Dependency Link: {view.long(0x10) >> 16 & 0xFF:02x}"
    yield f"VF offset: {view.get('Offset')}, stride: {view.get('Stride')}, Device ID: {view.get('Device'):04x}"
    yield f"Supported Page Size: {view.get('Supported'):08x}, System Page Size: {view.get('System'):08x}"
    yield from _virtual_regions(view)
    yield f"VF Migration: offset: {view.long(0x3C) & ~7:08x}, BIR: {view.long(0x3C) & 7:x}"


def _virtual_regions(view: _View) -> Iterator[str]:
    number = 0
    while number < _VIRTUAL_BARS:
        value = view.long(0x24 + 4 * number)
        wide = bool(value & _MEMORY_64)
        if value:
            high = f"{view.long(0x28 + 4 * number):08x}" if wide else ""
            kind = f"{64 if wide else 32}-bit, {'' if value & _PREFETCHABLE else 'non-'}prefetchable"
            yield f"Region {number}: Memory at {high}{value & ~0xF:08x} ({kind})"
        number += 2 if wide else 1


def _resizable(view: _View) -> Iterator[str]:
    virtual = view.kind is KINDS["virtual_resizable_bar"]
    yield f"{'Virtual' if virtual else 'Physical'} Resizable BAR"
    more = view.get("Control", "More") if virtual else 0
    supported = [place for place in range(28) if view.get("Sizes") >> place & 1]
    supported += [28 + place for place in range(16) if more >> place & 1]
    listed = f", supported: {' '.join(map(_power_of_two, supported))}" if supported else ""
    yield f"BAR {view.get('Control', 'BAR')}: current size: {_power_of_two(view.get('Control', 'Size'))}{listed}"


def _power_of_two(exponent: int) -> str:
    """2^exponent MiB as lspci writes it, such as 128GB."""
    return f"{1 << exponent % 10}{_UNITS[exponent // 10]}"


def _latency_tolerance(_: _View) -> Iterator[str]:
    yield "Latency Tolerance Reporting"
    yield "Max snoop latency: 0ns"
    yield "Max no snoop latency: 0ns"


def _secondary(view: _View) -> Iterator[str]:
    yield "Secondary PCI Express"
    yield "LnkCtl3: LnkEquIntrruptEn- PerformEqu-"
    lanes = view.get("LaneErr")
    bad = " ".join(str(lane) for lane in range(16) if lanes >> lane & 1)
    yield f"LaneErrStat: {f'LaneErr at lane: {bad}' if lanes else '0'}"


def _port_containment(view: _View) -> Iterator[str]:
    yield "Downstream Port Containment"
    first = view.flags("DpcCap", "RPExt PoisonedTLP SwTrigger")
    log, last = view.get("DpcCap", "Log"), view.flags("DpcCap", "DL_ActiveErr")
    yield f"DpcCap:\tINT Msg #{view.get('DpcCap', 'Msg')}, {first} RP PIO Log {log}, {last}"
    controls = view.flags("DpcCtl", "Cmpl INT ErrCor PoisonedTLP SwTrigger DL_ActiveErr")
    yield f"DpcCtl:\tTrigger:{view.get('DpcCtl', 'Trigger'):x} {controls}"
    reason, more = view.get("DpcSta", "Reason"), view.get("DpcSta", "TriggerExt")
    middle = view.flags("DpcSta", "INT RPBusy")
    pointer = view.get("DpcSta", "Pointer")
    state = view.flags("DpcSta", "Trigger")
    yield f"DpcSta:\t{state} Reason:{reason:02x} {middle} TriggerExt:{more:02x} RP PIO ErrPtr:{pointer:02x}"
    yield f"Source:\t{view.long(8) >> 16:04x}"


def _time_measurement(view: _View) -> Iterator[str]:
    yield "Precision Time Measurement"
    yield f"PTMCap: {_colons(view, 'PTMCap', 'Requester Responder Root')}"
    yield f"PTMClockGranularity: {_granularity(view.get('PTMCap', 'Granularity'), 'Unimplemented')}"
    yield f"PTMControl: {_colons(view, 'PTMControl', 'Enabled RootSelected')}"
    yield f"PTMEffectiveGranularity: {_granularity(view.get('PTMControl', 'Granularity'), 'Unknown')}"


def _colons(view: _View, name: str, fields: str) -> str:
    return " ".join(f"{field}:{'+' if view.get(name, field) else '-'}" for field in fields.split())


def _granularity(value: int, nothing: str) -> str:
    return f"{value}ns" if value else nothing


def _object_exchange(view: _View) -> Iterator[str]:
    if not view.manner.edition.kernel_view:
        yield from _unknown(view)
        return
    yield "Data Object Exchange"
    yield "DOECap: IntSup-"
    yield "DOECtl: IntEn-"
    yield "DOESta: Busy- IntSta- Error- ObjectReady-"


def _plain(text: str) -> Callable[[_View], Iterator[str]]:
    return lambda _: iter((text,))


_SHOW: dict[int, Callable[[_View], Iterator[str]]] = {
    KINDS["error_reporting"].id: _errors,
    KINDS["virtual_channel"].id: _virtual_channel,
    KINDS["serial_number"].id: _serial_number,
    KINDS["extended_vendor_specific"].id: _vendor_specific,
    KINDS["access_control"].id: _access_control,
    KINDS["alternative_routing"].id: _alternative_routing,
    KINDS["virtual_functions"].id: _virtual_functions,
    KINDS["resizable_bar"].id: _resizable,
    KINDS["virtual_resizable_bar"].id: _resizable,
    KINDS["latency_tolerance"].id: _latency_tolerance,
    KINDS["secondary"].id: _secondary,
    KINDS["port_containment"].id: _port_containment,
    KINDS["time_measurement"].id: _time_measurement,
    KINDS["object_exchange"].id: _object_exchange,
    **{KINDS[kind].id: _plain(text) for kind, text in _PLAIN.items()},
}
