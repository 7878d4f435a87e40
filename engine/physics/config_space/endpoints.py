"""Profiles of end points: GPU, NVSwitch, ConnectX-7, NVMe drives, network cards and what the processor itself shows.

Values are those of an HGX H100 machine's `lspci -vvv` (a public capture of an 8-GPU server; CX7 and H100 with their
vendors' firmware), but for the correctable errors, which that machine keeps from the operating system and ours reports.
Guesses: a boot drive has the registers of the same maker's data drive, the X550's are the usual
ones of its data sheet.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.physics.config_space.profile import GIB, KIB, MIB, Bar, Capability, Profile, capability, sizes

_MASKED = "UnxCmplt"
_SEVERE = "DLP SDES TLP FCP CmpltTO CmpltAbrt RxOF MalfTLP ECRC"
_NO_WAKING = capability(0x40, "power_management", Flags="Version=3", Status="NoSoftRst")
_REPORTS = "CorrErr NonFatalErr FatalErr UnsupReq RlxdOrd"


def _errors(at: int, version: int, status: str = "", first: int = 0, severe: str = _SEVERE) -> Capability:
    return capability(
        at,
        "error_reporting",
        version,
        UEMsk=_MASKED,
        UESvrt=severe,
        CESta=status,
        CEMsk="AdvNonFatalErr",
        AERCap=f"FirstError={first} ECRCGenCap ECRCChkCap",
    )


_GPU = Profile(
    class_code=0x030200,
    command="I/O Mem BusMaster DisINTx",
    pin=1,
    bars=(
        Bar(0, 16 * MIB, prefetchable=True),
        Bar(2, 128 * GIB, prefetchable=True),
        Bar(4, 32 * MIB, prefetchable=True),
        Bar(0, 256 * KIB, bits=32, virtual=32),
        Bar(1, 4 * GIB, prefetchable=True, virtual=32),
        Bar(3, 32 * MIB, prefetchable=True, virtual=32),
    ),
    capabilities=(
        _NO_WAKING,
        capability(0x48, "msi", Flags="Capable=4 Maskable 64bit"),
        capability(
            0x60,
            "express",
            Flags="Version=2",
            DevCap="MaxPayload=1 ExtTag RBE FLReset PowerValue=250 PowerScale=1",
            DevCtl=f"{_REPORTS} ExtTag MaxPayload=1 MaxReadReq=5",
            LnkCap="ASPM=2 L1=2 ClockPM ASPMOptComp",
            LnkSta="SlotClk",
            DevCap2="Timeout=3 TimeoutDis LTR 10BitTagComp 10BitTagReq OBFF=1",
            DevCtl2="Timeout=6 ReqEn",
            LnkCap2="Retimer 2Retimers",
            LnkSta2="Retimer",
        ),
        capability(0x9C, "vendor_specific", Length="Value=0x14"),
        capability(0xB0, "msi_x", Flags="TableSize=8 Enable", Table="Value=0xb90000", Pending="Value=0xba0000"),
        capability(0x100, "secondary"),
        capability(0x12C, "latency_tolerance"),
        capability(0x134, "resizable_bar", Sizes=sizes(6, 17), Control="BAR=2 Bars=1 Size=17"),
        capability(0x140, "virtual_resizable_bar", Sizes=sizes(6, 17), Control="BAR=1 Bars=1 Size=12 More=0xFFFF"),
        capability(0x14C, "data_link_feature"),
        capability(0x158, "physical_layer_16"),
        capability(0x188, "physical_layer_32"),
        _errors(0x1B8, 2),
        capability(0x200, "lane_margining"),
        capability(0x248, "alternative_routing"),
        capability(
            0x250,
            "virtual_functions",
            IOVCtl="ARIHierarchy",
            Initial="Value=32",
            Total="Value=32",
            Offset="Value=2",
            Stride="Value=1",
            Supported="Value=0x573",
            System="Value=1",
        ),
        capability(0x2A4, "extended_vendor_specific", Header="ID=1 Rev=1 Len=0x14"),
        capability(0x2B8, "power_budgeting"),
        capability(0x2C8, "object_exchange"),
        capability(0x2F0, "serial_number"),
    ),
)

_NVSWITCH = Profile(
    class_code=0x068000,
    command="I/O Mem BusMaster DisINTx",
    pin=1,
    bars=(Bar(0, 32 * MIB),),
    capabilities=(
        _NO_WAKING,
        capability(0x48, "msi", Flags="Enable Capable=4 Maskable 64bit", Mask64="Value=0xfffe"),
        capability(
            0x60,
            "express",
            Flags="Version=2",
            DevCap="MaxPayload=1 ExtTag RBE FLReset",
            DevCtl=f"{_REPORTS} ExtTag MaxPayload=1 MaxReadReq=5",
            LnkCap="ClockPM ASPMOptComp",
            LnkCtl="CommClk",
            LnkSta="SlotClk",
            DevCap2="Timeout=3 TimeoutDis 10BitTagComp 10BitTagReq OBFF=1",
            DevCtl2="Timeout=6 ReqEn",
            LnkCap2="Retimer 2Retimers",
        ),
        capability(0x9C, "vendor_specific", Length="Value=0x14"),
        capability(0x100, "secondary"),
        capability(0x14C, "data_link_feature"),
        capability(0x158, "physical_layer_16"),
        capability(0x188, "physical_layer_32"),
        _errors(0x1B8, 2, "AdvNonFatalErr"),
        capability(0x200, "lane_margining"),
        capability(0x2A4, "extended_vendor_specific", Header="ID=1 Rev=1 Len=0x14"),
        capability(0x2C8, "object_exchange"),
        capability(0x2F0, "serial_number"),
    ),
)

_CONNECTX7 = Profile(
    class_code=0x020700,
    command="Mem BusMaster DisINTx",
    pin=1,
    rom=MIB,
    bars=(Bar(0, 32 * MIB, prefetchable=True), Bar(0, MIB, prefetchable=True, virtual=16)),
    capabilities=(
        capability(
            0x60,
            "express",
            Flags="Version=2",
            DevCap="MaxPayload=2 L0s=7 L1=7 ExtTag RBE FLReset PowerValue=250 PowerScale=1",
            DevCtl=f"{_REPORTS} ExtTag NoSnoop MaxPayload=1 MaxReadReq=5",
            LnkCap="ASPMOptComp",
            LnkSta="SlotClk",
            DevCap2="Timeout=7 TimeoutDis 10BitTagComp 10BitTagReq 32bit 64bit 128bitCAS",
            DevCtl2="Timeout=6 ReqEn",
            LnkCap2="Retimer 2Retimers",
        ),
        capability(0x48, "vital_product_data"),
        capability(0x9C, "msi_x", Flags="TableSize=63 Enable", Table="Value=0x2000", Pending="Value=0x3000"),
        capability(0xC0, "vendor_specific", Length="Value=0x18"),
        capability(0x40, "power_management", Flags="Version=3 AuxCurrent=7 PMED3cold", Status="NoSoftRst PME-Enable"),
        _errors(0x100, 1, "AdvNonFatalErr", first=4, severe=_SEVERE.replace("SDES ", "")),
        capability(0x150, "alternative_routing"),
        capability(
            0x180,
            "virtual_functions",
            IOVCtl="ARIHierarchy",
            Initial="Value=16",
            Total="Value=16",
            Offset="Value=1",
            Stride="Value=1",
            Device="Value=0x101e",
            Supported="Value=0x7ff",
            System="Value=1",
        ),
        capability(0x1C0, "secondary"),
        capability(0x320, "lane_margining"),
        capability(0x370, "physical_layer_16"),
        capability(0x3B0, "physical_layer_32"),
        capability(0x420, "data_link_feature"),
    ),
)

_NVME = Profile(
    class_code=0x010802,
    command="I/O Mem BusMaster DisINTx",
    pin=1,
    bars=(Bar(0, 256 * KIB),),
    capabilities=(
        capability(0x80, "power_management", Flags="Version=3", Status="NoSoftRst"),
        capability(0x90, "msi", Flags="Maskable 64bit"),
        capability(0xB0, "msi_x", Flags="TableSize=255 Enable", Table="Value=0x20000", Pending="Value=0x23000"),
        capability(
            0xC0,
            "express",
            Flags="Version=2",
            DevCap="MaxPayload=2 L0s=4 ExtTag RBE FLReset PowerValue=250 PowerScale=1",
            DevCtl=f"{_REPORTS} ExtTag MaxPayload=1 MaxReadReq=5",
            LnkCap="ASPM=3 L0s=2 L1=7 ASPMOptComp",
            LnkSta="SlotClk",
            DevCap2="Timeout=2 TimeoutDis LTR 10BitTagComp OBFF=1 ExtFmt",
            DevCtl2="Timeout=6",
            LnkCap2="Retimer 2Retimers",
        ),
        _errors(0x100, 2),
        capability(0x1B8, "latency_tolerance"),
        capability(0x300, "secondary"),
        capability(0x920, "lane_margining"),
        capability(0x9C0, "physical_layer_16"),
    ),
)

_ETHERNET = Profile(
    class_code=0x020000,
    command="Mem BusMaster DisINTx",
    pin=1,
    bars=(Bar(0, 4 * MIB, prefetchable=True), Bar(4, 16 * KIB, prefetchable=True)),
    rom=512 * KIB,
    capabilities=(
        capability(
            0x40,
            "power_management",
            Flags="Version=3 DSI PMED0 PMED3hot PMED3cold",
            Status="NoSoftRst DScale=1",
        ),
        capability(0x50, "msi", Flags="Maskable 64bit"),
        capability(0x70, "msi_x", Flags="TableSize=63 Enable", Table="BAR=4", Pending="BAR=4 Value=0x2000"),
        capability(
            0xA0,
            "express",
            Flags="Version=2",
            DevCap="MaxPayload=2 L0s=3 L1=6 ExtTag RBE FLReset",
            DevCtl="CorrErr NonFatalErr FatalErr UnsupReq RlxdOrd ExtTag MaxPayload=1 MaxReadReq=2",
            LnkCap="ASPM=2 L1=4 ASPMOptComp",
            LnkCtl="CommClk",
            LnkSta="SlotClk",
            DevCap2="Timeout=15 TimeoutDis",
            DevCtl2="Timeout=6",
        ),
        _errors(0x100, 2),
        capability(0x140, "serial_number"),
        capability(0x150, "alternative_routing"),
        capability(0x1B0, "access_control"),
        capability(0x1D0, "secondary"),
    ),
)

_MEMORY_MAP = Profile(
    class_code=0x088000,
    command="",
    revision=0x20,
    capabilities=(capability(0x40, "express", Flags="Version=2 Type=9"),),
)
_ISA_BRIDGE = Profile(class_code=0x060100, command="I/O Mem BusMaster ParErr SERR DisINTx", revision=0x11)

ENDPOINTS: Mapping[str, Profile] = MappingProxyType(
    {
        "gpu": _GPU,
        "nvswitch": _NVSWITCH,
        "hca": _CONNECTX7,
        "nvme": _NVME,
        "ethernet": _ETHERNET,
        "host_bridge": _MEMORY_MAP,
        "isa_bridge": _ISA_BRIDGE,
    }
)
"""Profiles by the role that the site gives a function."""
