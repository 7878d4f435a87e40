"""Profiles of bridges: root ports of the processor and of its platform hub, upstream and downstream ports of PCIe
switches.

Values are those of an HGX H100 machine's `lspci -vvv` (a public capture): Intel 352a root ports, 1bbx ports of the
platform hub, Broadcom PEX890xx. The four ports in front of the NVSwitches are taken to be such a switch as well
(guess).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from engine.physics.config_space.profile import KIB, Bar, Profile, capability

_WAKES = "Version=3 PMED0 PMED3hot PMED3cold"
_SEVERE = "DLP SDES TLP FCP CmpltTO CmpltAbrt RxOF MalfTLP ECRC"
_PORT_CLASS = 0x060400
_ROOT_COMMAND = "I/O Mem BusMaster ParErr SERR DisINTx"
_CHANNEL = capability(0x280, "virtual_channel", Control0="TC=255 Enable", Port="Extended=1")
_SWITCH_CHANNEL = capability(0x150, "virtual_channel", Control0="TC=255 Enable", Resource0="Fixed")
_PRECISION = capability(
    0x150,
    "time_measurement",
    PTMCap="Responder Root Granularity=2",
    PTMControl="Enabled RootSelected Granularity=2",
)
_ROOT_ERRORS = capability(
    0x100,
    "error_reporting",
    2,
    UEMsk="UnxCmplt UnsupReq ACSViol",
    UESvrt=_SEVERE,
    CEMsk="AdvNonFatalErr",
    AERCap="ECRCGenCap ECRCChkCap HdrLogCap",
)
_ROOT_CONTAINMENT = capability(
    0x1A0, "port_containment", DpcCap="RPExt PoisonedTLP SwTrigger Log=4 DL_ActiveErr", DpcCtl="PoisonedTLP",
    DpcSta="Pointer=31",
)  # fmt: skip

_ROOT_PORT = Profile(
    class_code=_PORT_CLASS,
    command=_ROOT_COMMAND,
    revision=0x04,
    pin=1,
    bridge_control="Parity SERR",
    secondary_status="<MAbort",
    bars=(Bar(0, 128 * KIB),),
    capabilities=(
        capability(
            0x40,
            "express",
            Flags="Version=2 Type=4",
            DevCap="MaxPayload=1 ExtTag RBE",
            DevCtl="CorrErr FatalErr ExtTag MaxPayload=1 MaxReadReq=5",
            LnkCap="Surprise LLActRep BwNot ASPMOptComp",
            LnkCtl="CommClk",
            LnkSta="SlotClk DLActive",
            RootCtl="ErrCorrectable ErrNon-Fatal ErrFatal PMEIntEna CRSVisible",
            RootCap="CRSVisible",
            DevCap2="Timeout=7 TimeoutDis NROPrPrP LTR 10BitTagComp 10BitTagReq ExtFmt EETLPPrefix MaxEETLPPrefixes=1 "
            "TPH=1 ARIFwd Routing 32bit 64bit 128bitCAS",
            DevCtl2="Timeout=6 LTR ReqEn",
            LnkCap2="Retimer 2Retimers",
        ),
        capability(0xA0, "power_management", Flags=_WAKES, Status="NoSoftRst"),
        capability(0x94, "subsystem", Vendor="Value=0x8086"),
        capability(0x80, "msi", Flags="Enable Maskable"),
        _ROOT_ERRORS,
        capability(0x220, "access_control", ACSCap="SrcValid TransBlk ReqRedir CmpltRedir UpstreamFwd"),
        capability(0x190, "extended_vendor_specific", Header="ID=3 Len=10"),
        _ROOT_CONTAINMENT,
        _PRECISION,
        _CHANNEL,
        capability(0xA30, "secondary"),
        capability(0xA90, "data_link_feature"),
        capability(0xA9C, "physical_layer_16"),
        capability(0xAE0, "physical_layer_32"),
        capability(0xEDC, "lane_margining"),
        capability(0xB20, "alternate_protocol"),
    ),
)

_HUB_PORT = replace(
    _ROOT_PORT,
    revision=0x11,
    capabilities=(
        capability(
            0x40,
            "express",
            Flags="Version=2 Type=4",
            DevCap="MaxPayload=1 ExtTag RBE",
            DevCtl="FatalErr ExtTag MaxPayload=1 MaxReadReq=2",
            LnkCap="Surprise LLActRep BwNot ASPMOptComp",
            LnkCtl="CommClk",
            LnkSta="SlotClk DLActive",
            RootCtl="ErrNon-Fatal ErrFatal PMEIntEna CRSVisible",
            RootCap="CRSVisible",
            DevCap2="Timeout=7 TimeoutDis NROPrPrP LTR ARIFwd",
            DevCtl2="Timeout=6 LTR",
        ),
        capability(0x80, "power_management", Flags=_WAKES),
        capability(0x88, "subsystem", Vendor="Value=0x8086"),
        capability(0x90, "msi", Flags="Enable Maskable"),
        replace(_ROOT_ERRORS, version=1),
        replace(_CHANNEL, registers=MappingProxyType({"Control0": "TC=255 Enable"})),
        capability(0x148, "access_control", ACSCap="SrcValid TransBlk UpstreamFwd", ACSCtl="SrcValid"),
        replace(_PRECISION, at=0x1E0),
        capability(0x200, "secondary"),
        replace(
            _ROOT_CONTAINMENT,
            at=0x190,
            registers=MappingProxyType({**_ROOT_CONTAINMENT.registers, "DpcSta": ""}),
        ),
    ),
)

_UPSTREAM = Profile(
    class_code=_PORT_CLASS,
    command="I/O Mem BusMaster",
    bridge_control="Parity SERR",
    capabilities=(
        capability(0x40, "power_management", Flags=_WAKES, Status="NoSoftRst"),
        capability(
            0x68,
            "express",
            Flags="Version=2 Type=5",
            DevCap="MaxPayload=4 RBE",
            DevCtl="CorrErr NonFatalErr FatalErr UnsupReq RlxdOrd NoSnoop MaxPayload=1",
            LnkCap="ASPM=3 L0s=6 L1=5 Port=200 ASPMOptComp",
            DevCap2="10BitTagComp Routing",
        ),
        capability(0xB0, "subsystem", Vendor="Value=0x1000", Device="Value=0x0144"),
        capability(0xE0, "vendor_specific", Length="Value=0x20"),
        capability(0x50, "slot_id", Slots="Slots=4 First"),
        capability(0x100, "serial_number"),
        capability(0xFB4, "extended_vendor_specific", Header="Len=8"),
        capability(0x10C, "secondary"),
        _SWITCH_CHANNEL,
        capability(0x1E0, "extended_vendor_specific", Header="ID=1 Rev=2 Len=16"),
        capability(0x250, "physical_layer_16"),
        capability(0x180, "lane_margining"),
        capability(0x1D0, "data_link_feature"),
        capability(
            0x1F0,
            "error_reporting",
            UEMsk="UnxCmplt",
            UESvrt=_SEVERE,
            CEMsk="AdvNonFatalErr",
            AERCap="FirstError=31 ECRCGenCap ECRCChkCap",
        ),
        capability(0x220, "extended_vendor_specific", Header="ID=0x2000 Rev=1 Len=32"),
    ),
)

_DOWNSTREAM = Profile(
    class_code=_PORT_CLASS,
    command="I/O Mem BusMaster DisINTx",
    bridge_control="Parity SERR",
    capabilities=(
        capability(0x40, "power_management", Flags=_WAKES, Status="NoSoftRst"),
        capability(
            0x68,
            "express",
            Flags="Version=2 Type=6 Slot",
            DevCap="MaxPayload=4 RBE",
            DevCtl="CorrErr NonFatalErr FatalErr UnsupReq RlxdOrd NoSnoop MaxPayload=1",
            LnkCap="ASPM=3 L0s=6 L1=5 Surprise LLActRep ASPMOptComp",
            LnkSta="DLActive",
            SltCap="HotPlug PowerValue=250 PowerScale=1 NoCompl",
            SltCtl="PresDet HPIrq LinkChg AttnInd=3 PwrInd=3",
            SltSta="PresDet",
            DevCap2="10BitTagComp ARIFwd Routing",
        ),
        capability(0xB0, "subsystem", Vendor="Value=0x1000", Device="Value=0x0144"),
        capability(0xE0, "vendor_specific", Length="Value=0x20"),
        capability(0x50, "msi", Flags="Enable 64bit"),
        capability(0x100, "serial_number"),
        capability(0x10C, "secondary"),
        _SWITCH_CHANNEL,
        capability(0x1E0, "extended_vendor_specific", Header="ID=1 Rev=2 Len=16"),
        capability(0x250, "physical_layer_16"),
        capability(0x180, "lane_margining"),
        capability(0x1D0, "data_link_feature"),
        capability(0x170, "access_control", ACSCap="SrcValid TransBlk ReqRedir CmpltRedir UpstreamFwd DirectTrans"),
        capability(0x140, "enclosure_management"),
        capability(
            0x1F0,
            "error_reporting",
            UEMsk="UnxCmplt ACSViol",
            UESvrt=_SEVERE,
            CEMsk="AdvNonFatalErr",
            AERCap="FirstError=31 ECRCGenCap ECRCChkCap",
        ),
        capability(
            0x220,
            "port_containment",
            DpcCap="PoisonedTLP SwTrigger DL_ActiveErr",
            DpcCtl="Trigger=2 ErrCor PoisonedTLP",
        ),
    ),
)

BRIDGES: Mapping[str, Profile] = MappingProxyType(
    {"root_port": _ROOT_PORT, "switch_upstream": _UPSTREAM, "switch_downstream": _DOWNSTREAM}
)
"""Profiles by the role that the site gives a function."""

HUB_PORTS = frozenset(f"8086:1bb{digit}" for digit in "0123456789abcdef")
"""Root ports of the platform hub, which are of an older kind than the processor's."""

HUB_PORT = _HUB_PORT
