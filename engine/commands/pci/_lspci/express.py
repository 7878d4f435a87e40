"""lspci's view of the PCI Express capability: what a function and its link can do, are told to do, and do."""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.pci._lspci.function import Function
from engine.commands.pci._lspci.terse import Manner
from engine.physics.config_space.registers import KINDS

ENDPOINT, LEGACY, ROOT_PORT, UPSTREAM, DOWNSTREAM, INTEGRATED, COLLECTOR = 0, 1, 4, 5, 6, 9, 10
_TYPES = {
    ENDPOINT: "Endpoint",
    LEGACY: "Legacy Endpoint",
    ROOT_PORT: "Root Port",
    UPSTREAM: "Upstream Port",
    DOWNSTREAM: "Downstream Port",
    INTEGRATED: "Root Complex Integrated Endpoint",
    COLLECTOR: "Root Complex Event Collector",
}
_SPEEDS = {1: "2.5GT/s", 2: "5GT/s", 3: "8GT/s", 4: "16GT/s", 5: "32GT/s", 6: "64GT/s"}
_L0S = ("<64ns", "<128ns", "<256ns", "<512ns", "<1us", "<2us", "<4us", "unlimited")
_L1 = ("<1us", "<2us", "<4us", "<8us", "<16us", "<32us", "<64us", "unlimited")
_ASPM = ("not supported", "L0s", "L1", "L0s L1")
_ASPM_CONTROL = ("Disabled", "L0s Enabled", "L1 Enabled", "L0s L1 Enabled")
_INDICATORS = ("Unknown", "On", "Blink", "Off")
_RANGES = {
    0: "Not Supported", 1: "Range A", 2: "Range B", 3: "Range AB", 6: "Range BC", 7: "Range ABC", 14: "Range BCD",
    15: "Range ABCD",
}  # fmt: skip
_TIMEOUTS = {
    0: "50us to 50ms", 1: "50us to 100us", 2: "1ms to 10ms", 5: "16ms to 55ms", 6: "65ms to 210ms", 9: "260ms to 900ms",
    10: "1s to 3.5s", 13: "4s to 13s", 14: "17s to 64s",
}  # fmt: skip
_OBFF = ("Not Supported", "Via message", "Via WAKE#", "Via message/WAKE#")
_OBFF_CONTROL = ("Disabled", "Via message A", "Via message B", "Via WAKE#")
_REDUCTION = ("Not Supported", "Dev Specific", "Form Factor Dev Specific", "Reserved")
_LINES = ("Not Supported", "64byte cachelines", "128byte cachelines", "Reserved")
_HINTS = ("TPHComp- ExtTPHComp-", "TPHComp+ ExtTPHComp-", "", "TPHComp+ ExtTPHComp+")
_CROSSLINK = ("unsupported", "Upstream Port", "Downstream Port", "incomplete")
_SPEED_RANGES = (
    (0x10, "2.5-32GT/s"),
    (0x08, "2.5-16GT/s"),
    (0x04, "2.5-8GT/s"),
    (0x02, "2.5-5GT/s"),
    (0x01, "2.5GT/s"),
)
_MARGINS = {0: "Normal Operating Range", 1: "800-1200mV(full-swing)/400-700mV(half-swing)"}
_DEEMPHASIS = ("-6dB", "-3.5dB")
_PRESETS = {0: "-6dB de-emphasis, 0dB preshoot", 1: "-3.5dB de-emphasis, 0dB preshoot"}
_PORT_TYPES = (ROOT_PORT, UPSTREAM, DOWNSTREAM)
_FUNCTION_TYPES = (ENDPOINT, LEGACY, INTEGRATED)


def express(function: Function, at: int, manner: Manner) -> Iterator[str]:
    """The lines of the capability."""
    return _Express(function, at, manner).lines()


class _Express:
    """One Express capability."""

    def __init__(self, function: Function, at: int, manner: Manner) -> None:
        self.function, self.at, self.manner = function, at, manner
        self.type = self.get("Flags", "Type")
        self.slot = bool(self.get("Flags", "Slot")) and self.type in (ROOT_PORT, DOWNSTREAM)

    def value(self, register: str) -> int:
        layout = KINDS["express"].registers[register]
        start = self.at + layout.offset
        return int.from_bytes(self.function.space[start : start + layout.size], "little")

    def get(self, register: str, field: str) -> int:
        return KINDS["express"].registers[register].get(self.value(register), field)

    def flags(self, register: str, names: str) -> str:
        return KINDS["express"].registers[register].flags(self.value(register), names)

    def lines(self) -> Iterator[str]:
        version = f"(v{self.get('Flags', 'Version')}) " if self.manner.verbose > 1 else ""
        name = _TYPES.get(self.type, f"Unknown type {self.type}")
        slot = f" ({self.flags('Flags', 'Slot')})" if self.type in (ROOT_PORT, DOWNSTREAM) else ""
        yield f"Express {version}{name}{slot}, MSI {self.get('Flags', 'MSI'):02x}"
        linked = self.type not in (INTEGRATED, COLLECTOR)
        yield from self.device()
        yield from self.link() if linked else ()
        yield from self.slot_lines() if self.slot else ()
        yield from self.root() if self.type in (ROOT_PORT, COLLECTOR) else ()
        yield from self.device_2()
        yield from self.link_2() if linked else ()

    def device(self) -> Iterator[str]:
        latency = f", Latency L0s {_L0S[self.get('DevCap', 'L0s')]}, L1 {_L1[self.get('DevCap', 'L1')]}"
        phantom = (1 << self.get("DevCap", "PhantFunc")) - 1
        payload = f"MaxPayload {128 << self.get('DevCap', 'MaxPayload')} bytes, PhantFunc {phantom}"
        yield f"DevCap:\t{payload}{latency if self.type in (ENDPOINT, LEGACY) else ''}"
        names = ["ExtTag"]
        names += ["AttnBtn", "AttnInd", "PwrInd"] if self.type in (ENDPOINT, LEGACY, UPSTREAM) else []
        names += ["RBE"]
        names += ["FLReset"] if self.type in _FUNCTION_TYPES else []
        limit = f" SlotPowerLimit {self.power('DevCap')}" if self.type in (ENDPOINT, UPSTREAM) else ""
        yield f"\t{self.flags('DevCap', ' '.join(names))}{limit}"
        yield f"DevCtl:\t{self.flags('DevCtl', 'CorrErr NonFatalErr FatalErr UnsupReq')}"
        resets = self.type in _FUNCTION_TYPES and self.get("DevCap", "FLReset")
        control = "RlxdOrd ExtTag PhantFunc AuxPwr NoSnoop" + (" FLReset" if resets else "")
        yield f"\t{self.flags('DevCtl', control)}"
        request = 128 << self.get("DevCtl", "MaxReadReq")
        yield f"\tMaxPayload {128 << self.get('DevCtl', 'MaxPayload')} bytes, MaxReadReq {request} bytes"
        yield f"DevSta:\t{self.flags('DevSta', 'CorrErr NonFatalErr FatalErr UnsupReq AuxPwr TransPend')}"

    def power(self, register: str) -> str:
        milliwatts = self.get(register, "PowerValue") * 10 ** (3 - self.get(register, "PowerScale"))
        if not self.manner.edition.kernel_view:
            return f"{milliwatts // 1000}.{milliwatts % 1000:03d}W"
        return f"{milliwatts // 1000}" + (f".{milliwatts % 1000:03d}".rstrip("0") if milliwatts % 1000 else "") + "W"

    def link(self) -> Iterator[str]:
        speed, width, aspm = self.get("LnkCap", "Speed"), self.get("LnkCap", "Width"), self.get("LnkCap", "ASPM")
        latencies = [f"L0s {_L0S[self.get('LnkCap', 'L0s')]}"] if aspm & 1 else []
        latencies += [f"L1 {_L1[self.get('LnkCap', 'L1')]}"] if aspm & 2 else []
        leaving = f", Exit Latency {', '.join(latencies)}" if latencies else ""
        port = self.get("LnkCap", "Port")
        yield (
            f"LnkCap:\tPort #{port}, Speed {_SPEEDS.get(speed, 'unknown')}, Width x{width}, ASPM {_ASPM[aspm]}{leaving}"
        )
        yield f"\t{self.flags('LnkCap', 'ClockPM Surprise LLActRep BwNot ASPMOptComp')}"
        boundary = (
            f" RCB {128 if self.get('LnkCtl', 'RCB') else 64} bytes,"
            if self.type in (ROOT_PORT, ENDPOINT, LEGACY)
            else ""
        )
        state = _ASPM_CONTROL[self.get("LnkCtl", "ASPM")]
        yield f"LnkCtl:\tASPM {state};{boundary} {self.flags('LnkCtl', 'Disabled CommClk')}"
        yield f"\t{self.flags('LnkCtl', 'ExtSynch ClockPM AutWidDis BWInt AutBWInt')}"
        now, lanes = self.get("LnkSta", "Speed"), self.get("LnkSta", "Width")
        compared = (
            f"{_SPEEDS.get(now, 'unknown')}{self.against(now, speed)}, Width x{lanes}{self.against(lanes, width)}"
        )
        yield f"LnkSta:\tSpeed {compared}"
        yield f"\t{self.flags('LnkSta', 'TrErr Train SlotClk DLActive BWMgmt ABWMgmt')}"

    def against(self, now: int, most: int) -> str:
        """A remark where the link runs otherwise than it can."""
        if not self.manner.edition.kernel_view:
            return " (downgraded)" if now < most else " (strange)" if now > most else " (ok)"
        if now == most:
            return ""
        if now > most:
            return " (overdriven)"
        return "" if self.type in (ROOT_PORT, DOWNSTREAM) else " (downgraded)"

    def slot_lines(self) -> Iterator[str]:
        yield f"SltCap:\t{self.flags('SltCap', 'AttnBtn PwrCtrl MRL AttnInd PwrInd HotPlug Surprise')}"
        lock = self.flags("SltCap", "Interlock NoCompl")
        yield f"\tSlot #{self.get('SltCap', 'Number')}, PowerLimit {self.power('SltCap')}; {lock}"
        yield f"SltCtl:\tEnable: {self.flags('SltCtl', 'AttnBtn PwrFlt MRL PresDet CmdCplt HPIrq LinkChg')}"
        lamps = (
            f"AttnInd {_INDICATORS[self.get('SltCtl', 'AttnInd')]}, PwrInd {_INDICATORS[self.get('SltCtl', 'PwrInd')]}"
        )
        yield f"\tControl: {lamps}, {self.flags('SltCtl', 'Power Interlock')}"
        yield f"SltSta:\tStatus: {self.flags('SltSta', 'AttnBtn PowerFlt MRL CmdCplt PresDet Interlock')}"
        latch, presence = self.get("SltSta", "MRLChanged"), self.get("SltSta", "PresDetChanged")
        yield f"\tChanged: MRL{_sign(latch)} PresDet{_sign(presence)} {self.flags('SltSta', 'LinkState')}"

    def root(self) -> Iterator[str]:
        yield f"RootCap: {self.flags('RootCap', 'CRSVisible')}"
        yield f"RootCtl: {self.flags('RootCtl', 'ErrCorrectable ErrNon-Fatal ErrFatal PMEIntEna CRSVisible')}"
        requester = self.get("RootSta", "Requester")
        yield f"RootSta: PME ReqID {requester:04x}, {self.flags('RootSta', 'PMEStatus PMEPending')}"

    def device_2(self) -> Iterator[str]:
        timeout = _RANGES.get(self.get("DevCap2", "Timeout"), "Unknown")
        yield f"DevCap2: Completion Timeout: {timeout}, {self.flags('DevCap2', 'TimeoutDis NROPrPrP LTR')}"
        prefixes = f", MaxEETLPPrefixes {self.get('DevCap2', 'MaxEETLPPrefixes') or 4}"
        tags, fill = self.flags("DevCap2", "10BitTagComp 10BitTagReq"), _OBFF[self.get("DevCap2", "OBFF")]
        formats = self.flags("DevCap2", "ExtFmt EETLPPrefix") + (prefixes if self.get("DevCap2", "EETLPPrefix") else "")
        yield f"\t {tags} OBFF {fill}, {formats}"
        reduction = _REDUCTION[self.get("DevCap2", "EPR")]
        yield f"\t EmergencyPowerReduction {reduction}, {self.flags('DevCap2', 'EmergencyPowerReductionInit')}"
        yield f"\t {self.flags('DevCap2', 'FRS')}{self.hints()}"
        yield from self.atomic()
        value = _TIMEOUTS.get(self.get("DevCtl2", "Timeout"), "Unknown")
        names = "TimeoutDis LTR 10BitTagReq" if self.manner.edition.kernel_view else "TimeoutDis LTR"
        routing = f" {self.flags('DevCtl2', 'ARIFwd')}" if self.type in (ROOT_PORT, DOWNSTREAM) else ""
        fill = _OBFF_CONTROL[self.get("DevCtl2", "OBFF")]
        yield f"DevCtl2: Completion Timeout: {value}, {self.flags('DevCtl2', names)} OBFF {fill},{routing}"
        requester = ["ReqEn"] if self.type in (ROOT_PORT, *_FUNCTION_TYPES) else []
        blocked = ["EgressBlck"] if self.type in _PORT_TYPES else []
        if requester or blocked:
            yield f"\t AtomicOpsCtl: {self.flags('DevCtl2', ' '.join(requester + blocked))}"

    def hints(self) -> str:
        text = f" LN System CLS {_LINES[self.get('DevCap2', 'LN')]}," if self.type == ROOT_PORT else ""
        text += f" {_HINTS[self.get('DevCap2', 'TPH')]}" if self.type in (ROOT_PORT, ENDPOINT) else ""
        return text + (f" {self.flags('DevCap2', 'ARIFwd')}" if self.type in (ROOT_PORT, DOWNSTREAM) else "")

    def atomic(self) -> Iterator[str]:
        has_memory = bool(self.function.bars)
        names = ["Routing"] if self.type in _PORT_TYPES else []
        names += ["32bit", "64bit", "128bitCAS"] if self.type == ROOT_PORT or has_memory else []
        if names:
            yield f"\t AtomicOpsCap: {self.flags('DevCap2', ' '.join(names))}"

    def link_2(self) -> Iterator[str]:
        """Not of a function that shares its link with function 0."""
        if self.type not in (ENDPOINT, LEGACY) or not (self.function.slot or self.function.number):
            yield from self.link_abilities()
        level = _DEEMPHASIS[self.get("LnkSta2", "Deemphasis")]
        first = self.flags("LnkSta2", "EqualizationComplete EqualizationPhase1")
        yield f"LnkSta2: Current De-emphasis Level: {level}, {first}"
        yield f"\t {self.flags('LnkSta2', 'EqualizationPhase2 EqualizationPhase3 LinkEqualizationRequest')}"
        crosslink = _CROSSLINK[self.get("LnkSta2", "Crosslink")]
        yield f"\t {self.flags('LnkSta2', 'Retimer 2Retimers')} CrosslinkRes: {crosslink}"

    def link_abilities(self) -> Iterator[str]:
        if self.value("LnkCap2"):
            speeds = next((text for bit, text in _SPEED_RANGES if self.get("LnkCap2", "Speeds") & bit), "Unknown")
            others = self.flags("LnkCap2", "Crosslink Retimer 2Retimers DRS")
            yield f"LnkCap2: Supported Link Speeds: {speeds}, {others}"
        speed = _SPEEDS.get(self.get("LnkCtl2", "Speed") or 1, "Unknown")
        chosen = (
            f", Selectable De-emphasis: {_DEEMPHASIS[self.get('LnkCtl2', 'Deemphasis')]}"
            if self.type == DOWNSTREAM
            else ""
        )
        yield f"LnkCtl2: Target Link Speed: {speed}, {self.flags('LnkCtl2', 'EnterCompliance SpeedDis')}{chosen}"
        margin = _MARGINS.get(self.get("LnkCtl2", "Margin"), "200-400mV(full-swing)/100-200mV(half-swing)")
        yield f"\t Transmit Margin: {margin}, {self.flags('LnkCtl2', 'EnterModifiedCompliance ComplianceSOS')}"
        preset = self.get("LnkCtl2", "Preset")
        if self.manner.edition.kernel_view:
            yield f"\t Compliance Preset/De-emphasis: {_PRESETS.get(preset, 'Unknown')}"
        else:
            yield f"\t Compliance De-emphasis: {_DEEMPHASIS[preset] if preset < 2 else 'Unknown'}"


def _sign(bit: int) -> str:
    return "+" if bit else "-"
