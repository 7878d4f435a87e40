"""Registers of the PCI configuration space: where they are and what their bits are called.

One table serves those who fill registers (profiles, space) and those who show them (lspci). Layouts follow the PCI
Local Bus 3.0 and PCI Express Base 5.0 specifications; the names of bits are those that lspci prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Register:
    """A register of `size` bytes at `offset`; `fields` gives lowest bit and width of each of its parts by name."""

    offset: int
    size: int
    fields: Mapping[str, tuple[int, int]]

    def encode(self, text: str) -> int:
        """The value that `text` describes: names of set bits, and `name=number` for wider fields (0x for hex)."""
        value = 0
        for word in text.split():
            name, _, number = word.partition("=")
            value = self.put(value, name, int(number, 0) if number else 1)
        return value

    def put(self, value: int, name: str, number: int) -> int:
        """`value` with one field replaced."""
        low, width = self.fields[name]
        mask = (1 << width) - 1
        return value & ~(mask << low) | (number & mask) << low

    def get(self, value: int, name: str) -> int:
        """One field of `value`."""
        low, width = self.fields[name]
        return value >> low & (1 << width) - 1

    def flags(self, value: int, names: str | Iterable[str]) -> str:
        """`Mem+ BusMaster-`: the named bits of `value` as lspci shows them."""
        chosen = names.split() if isinstance(names, str) else names
        return " ".join(f"{name}{'+' if self.get(value, name) else '-'}" for name in chosen)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of capability: its number, whether it is an extended one, how many bytes it takes, and its registers by
    name.
    """

    id: int
    extended: bool
    size: int
    registers: Mapping[str, Register]


def _register(offset: int, size: int, layout: str = "") -> Register:
    """A register whose `layout` lists `name:bit` or `name:lowest-highest`."""
    fields = {}
    for word in layout.split():
        name, _, bits = word.rpartition(":")
        low, _, high = bits.partition("-")
        fields[name] = (int(low), int(high or low) - int(low) + 1)
    return Register(offset, size, MappingProxyType(fields))


def _kind(number: int, size: int, extended: bool = False, **registers: Register) -> Kind:
    return Kind(number, extended, size, MappingProxyType(registers))


COMMAND = _register(
    4, 2, "I/O:0 Mem:1 BusMaster:2 SpecCycle:3 MemWINV:4 VGASnoop:5 ParErr:6 Stepping:7 SERR:8 FastB2B:9 DisINTx:10"
)
STATUS = _register(
    6,
    2,
    "INTx:3 Cap:4 66MHz:5 UDF:6 FastB2B:7 ParErr:8 DEVSEL:9-10 >TAbort:11 <TAbort:12 <MAbort:13 "
    ">SERR:14 <SERR:14 <PERR:15",
)
SECONDARY_STATUS = Register(0x1E, 2, STATUS.fields)
BRIDGE_CONTROL = _register(
    0x3E,
    2,
    "Parity:0 SERR:1 NoISA:2 VGA:3 VGA16:4 MAbort:5 >Reset:6 FastB2B:7 PriDiscTmr:8 SecDiscTmr:9 DiscTmrStat:10 "
    "DiscTmrSERREn:11",
)

_UNCORRECTABLE = (
    "DLP:4 SDES:5 TLP:12 FCP:13 CmpltTO:14 CmpltAbrt:15 UnxCmplt:16 RxOF:17 MalfTLP:18 ECRC:19 UnsupReq:20 ACSViol:21"
)
_CORRECTABLE = "RxErr:0 BadTLP:6 BadDLLP:7 Rollover:8 Timeout:12 AdvNonFatalErr:13"
_ACS = "SrcValid:0 TransBlk:1 ReqRedir:2 CmpltRedir:3 UpstreamFwd:4 EgressCtrl:5 DirectTrans:6"

_EXPRESS = {
    "Flags": _register(2, 2, "Version:0-3 Type:4-7 Slot:8 MSI:9-13"),
    "DevCap": _register(
        4,
        4,
        "MaxPayload:0-2 PhantFunc:3-4 ExtTag:5 L0s:6-8 L1:9-11 AttnBtn:12 AttnInd:13 PwrInd:14 RBE:15 PowerValue:18-25 "
        "PowerScale:26-27 FLReset:28",
    ),
    "DevCtl": _register(
        8,
        2,
        "CorrErr:0 NonFatalErr:1 FatalErr:2 UnsupReq:3 RlxdOrd:4 MaxPayload:5-7 ExtTag:8 PhantFunc:9 "
        "AuxPwr:10 NoSnoop:11 "
        "MaxReadReq:12-14 FLReset:15",
    ),
    "DevSta": _register(0xA, 2, "CorrErr:0 NonFatalErr:1 FatalErr:2 UnsupReq:3 AuxPwr:4 TransPend:5"),
    "LnkCap": _register(
        0xC,
        4,
        "Speed:0-3 Width:4-9 ASPM:10-11 L0s:12-14 L1:15-17 ClockPM:18 Surprise:19 LLActRep:20 BwNot:21 ASPMOptComp:22 "
        "Port:24-31",
    ),
    "LnkCtl": _register(
        0x10,
        2,
        "ASPM:0-1 RCB:3 Disabled:4 CommClk:6 ExtSynch:7 ClockPM:8 AutWidDis:9 BWInt:10 AutBWInt:11",
    ),
    "LnkSta": _register(0x12, 2, "Speed:0-3 Width:4-9 TrErr:10 Train:11 SlotClk:12 DLActive:13 BWMgmt:14 ABWMgmt:15"),
    "SltCap": _register(
        0x14,
        4,
        "AttnBtn:0 PwrCtrl:1 MRL:2 AttnInd:3 PwrInd:4 Surprise:5 HotPlug:6 PowerValue:7-14 "
        "PowerScale:15-16 Interlock:17 "
        "NoCompl:18 Number:19-31",
    ),
    "SltCtl": _register(
        0x18,
        2,
        "AttnBtn:0 PwrFlt:1 MRL:2 PresDet:3 CmdCplt:4 HPIrq:5 AttnInd:6-7 PwrInd:8-9 Power:10 Interlock:11 LinkChg:12",
    ),
    "SltSta": _register(
        0x1A,
        2,
        "AttnBtn:0 PowerFlt:1 MRLChanged:2 PresDetChanged:3 CmdCplt:4 MRL:5 PresDet:6 Interlock:7 LinkState:8",
    ),
    "RootCtl": _register(0x1C, 2, "ErrCorrectable:0 ErrNon-Fatal:1 ErrFatal:2 PMEIntEna:3 CRSVisible:4"),
    "RootCap": _register(0x1E, 2, "CRSVisible:0"),
    "RootSta": _register(0x20, 4, "Requester:0-15 PMEStatus:16 PMEPending:17"),
    "DevCap2": _register(
        0x24,
        4,
        "Timeout:0-3 TimeoutDis:4 ARIFwd:5 Routing:6 32bit:7 64bit:8 128bitCAS:9 NROPrPrP:10 LTR:11 TPH:12-13 LN:14-15 "
        "10BitTagComp:16 10BitTagReq:17 OBFF:18-19 ExtFmt:20 EETLPPrefix:21 MaxEETLPPrefixes:22-23 EPR:24-25 "
        "EmergencyPowerReductionInit:26 FRS:31",
    ),
    "DevCtl2": _register(
        0x28,
        2,
        "Timeout:0-3 TimeoutDis:4 ARIFwd:5 ReqEn:6 EgressBlck:7 LTR:10 10BitTagReq:12 OBFF:13-14",
    ),
    "LnkCap2": _register(0x2C, 4, "Speeds:1-7 Crosslink:8 Retimer:23 2Retimers:24 DRS:31"),
    "LnkCtl2": _register(
        0x30,
        2,
        "Speed:0-3 EnterCompliance:4 SpeedDis:5 Deemphasis:6 Margin:7-9 EnterModifiedCompliance:10 ComplianceSOS:11 "
        "Preset:12-15",
    ),
    "LnkSta2": _register(
        0x32,
        2,
        "Deemphasis:0 EqualizationComplete:1 EqualizationPhase1:2 EqualizationPhase2:3 EqualizationPhase3:4 "
        "LinkEqualizationRequest:5 Retimer:6 2Retimers:7 Crosslink:8-9",
    ),
}

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "power_management": _kind(
            0x01,
            8,
            Flags=_register(
                2,
                2,
                "Version:0-2 PMEClk:3 DSI:5 AuxCurrent:6-8 D1:9 D2:10 PMED0:11 PMED1:12 PMED2:13 "
                "PMED3hot:14 PMED3cold:15",
            ),
            Status=_register(4, 2, "State:0-1 NoSoftRst:3 PME-Enable:8 DSel:9-12 DScale:13-14 PME:15"),
        ),
        "vital_product_data": _kind(0x03, 8),
        "slot_id": _kind(0x04, 4, Slots=_register(2, 2, "Slots:0-4 First:5 Chassis:8-15")),
        "msi": _kind(
            0x05,
            0x18,
            Flags=_register(2, 2, "Enable:0 Capable:1-3 Count:4-6 64bit:7 Maskable:8"),
            Address=_register(4, 4, "Value:0-31"),
            Data64=_register(0xC, 2, "Value:0-15"),
            Mask64=_register(0x10, 4, "Value:0-31"),
            Data32=_register(8, 2, "Value:0-15"),
        ),
        "vendor_specific": _kind(0x09, 4, Length=_register(2, 1, "Value:0-7")),
        "subsystem": _kind(0x0D, 8, Vendor=_register(4, 2, "Value:0-15"), Device=_register(6, 2, "Value:0-15")),
        "express": _kind(0x10, 0x3C, False, **_EXPRESS),
        "msi_x": _kind(
            0x11,
            0xC,
            Flags=_register(2, 2, "TableSize:0-10 Masked:14 Enable:15"),
            Table=_register(4, 4, "BAR:0-2 Value:0-31"),
            Pending=_register(8, 4, "BAR:0-2 Value:0-31"),
        ),
        "error_reporting": _kind(
            0x01,
            0x38,
            True,
            UESta=_register(4, 4, _UNCORRECTABLE),
            UEMsk=_register(8, 4, _UNCORRECTABLE),
            UESvrt=_register(0xC, 4, _UNCORRECTABLE),
            CESta=_register(0x10, 4, _CORRECTABLE),
            CEMsk=_register(0x14, 4, _CORRECTABLE),
            AERCap=_register(
                0x18,
                4,
                "FirstError:0-4 ECRCGenCap:5 ECRCGenEn:6 ECRCChkCap:7 ECRCChkEn:8 MultHdrRecCap:9 MultHdrRecEn:10 "
                "TLPPfxPres:11 HdrLogCap:12",
            ),
            RootCmd=_register(0x2C, 4, "CERptEn:0 NFERptEn:1 FERptEn:2"),
            RootSta=_register(
                0x30,
                4,
                "CERcvd:0 MultCERcvd:1 UERcvd:2 MultUERcvd:3 FirstFatal:4 NonFatalMsg:5 FatalMsg:6 IntMsg:27-31",
            ),
        ),
        "virtual_channel": _kind(
            0x02,
            0x28,
            True,
            Port=_register(4, 4, "Extended:0-2 LPEVC:4-6 RefClk:8-9 Entry:10-11"),
            Resource0=_register(0x10, 4, "Fixed:0"),
            Control0=_register(0x14, 4, "TC:0-7 Select:17-19 ID:24-26 Enable:31"),
            Control1=_register(0x20, 4, "TC:0-7 Select:17-19 ID:24-26 Enable:31"),
        ),
        "serial_number": _kind(0x03, 0xC, True, Low=_register(4, 4, "Value:0-31"), High=_register(8, 4, "Value:0-31")),
        "power_budgeting": _kind(0x04, 0x10, True),
        "extended_vendor_specific": _kind(0x0B, 8, True, Header=_register(4, 4, "ID:0-15 Rev:16-19 Len:20-31")),
        "access_control": _kind(0x0D, 8, True, ACSCap=_register(4, 2, _ACS), ACSCtl=_register(6, 2, _ACS)),
        "alternative_routing": _kind(
            0x0E,
            8,
            True,
            ARICap=_register(4, 2, "MFVC:0 ACS:1 Next:8-15"),
            ARICtl=_register(6, 2, "MFVC:0 ACS:1 Group:4-6"),
        ),
        "virtual_functions": _kind(
            0x10,
            0x40,
            True,
            IOVCap=_register(4, 4, "Migration:0 10BitTagReq:2 Message:21-31"),
            IOVCtl=_register(8, 2, "Enable:0 Migration:1 Interrupt:2 MSE:3 ARIHierarchy:4 10BitTagReq:5"),
            IOVSta=_register(0xA, 2, "Migration:0"),
            Initial=_register(0xC, 2, "Value:0-15"),
            Total=_register(0xE, 2, "Value:0-15"),
            Offset=_register(0x14, 2, "Value:0-15"),
            Stride=_register(0x16, 2, "Value:0-15"),
            Device=_register(0x1A, 2, "Value:0-15"),
            Supported=_register(0x1C, 4, "Value:0-31"),
            System=_register(0x20, 4, "Value:0-31"),
        ),
        "resizable_bar": _kind(
            0x15, 0xC, True, Sizes=_register(4, 4, "Value:4-31"), Control=_register(8, 4, "BAR:0-2 Bars:5-7 Size:8-13")
        ),
        "latency_tolerance": _kind(0x18, 8, True),
        "secondary": _kind(0x19, 0x4C, True, LaneErr=_register(8, 4, "Value:0-15")),
        "port_containment": _kind(
            0x1D,
            0x10,
            True,
            DpcCap=_register(4, 2, "Msg:0-4 RPExt:5 PoisonedTLP:6 SwTrigger:7 Log:8-11 DL_ActiveErr:12"),
            DpcCtl=_register(6, 2, "Trigger:0-1 Cmpl:2 INT:3 ErrCor:4 PoisonedTLP:5 SwTrigger:6 DL_ActiveErr:7"),
            DpcSta=_register(8, 2, "Trigger:0 Reason:1-2 INT:3 RPBusy:4 TriggerExt:5-6 Pointer:8-12"),
        ),
        "time_measurement": _kind(
            0x1F,
            0xC,
            True,
            PTMCap=_register(4, 4, "Requester:0 Responder:1 Root:2 Granularity:8-15"),
            PTMControl=_register(8, 4, "Enabled:0 RootSelected:1 Granularity:8-15"),
        ),
        "virtual_resizable_bar": _kind(
            0x24,
            0xC,
            True,
            Sizes=_register(4, 4, "Value:4-31"),
            Control=_register(8, 4, "BAR:0-2 Bars:5-7 Size:8-13 More:16-31"),
        ),
        "data_link_feature": _kind(0x25, 0xC, True),
        "physical_layer_16": _kind(0x26, 0x30, True),
        "lane_margining": _kind(0x27, 0x48, True),
        "enclosure_management": _kind(0x29, 0x10, True),
        "physical_layer_32": _kind(0x2A, 0x30, True),
        "alternate_protocol": _kind(0x2B, 0x20, True),
        "object_exchange": _kind(0x2E, 0x18, True),
    }
)
"""Every kind of capability that our parts have, by a name of its own."""
