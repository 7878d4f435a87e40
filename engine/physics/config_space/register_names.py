"""The names of registers and capabilities that setpci knows, in the order of its --dumpregs (pciutils 3.13)."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class RegisterName:
    """A register in the header: offset, width in bytes (0: a capability's start), types of headers that have it (bits;
    0: all). A capability's name has its `chain` (1 plain, 2 extended) and id.
    """

    name: str
    offset: int
    width: int
    headers: int = 0
    chain: int = 0
    capability: int = 0


_HEADER = """
00W0 VENDOR_ID|02W0 DEVICE_ID|04W0 COMMAND|06W0 STATUS|08B0 REVISION|09B0 CLASS_PROG|0aW0 CLASS_DEVICE
0cB0 CACHE_LINE_SIZE|0dB0 LATENCY_TIMER|0eB0 HEADER_TYPE|0fB0 BIST|10L3 BASE_ADDRESS_0|14L3 BASE_ADDRESS_1
18L1 BASE_ADDRESS_2|1cL1 BASE_ADDRESS_3|20L1 BASE_ADDRESS_4|24L1 BASE_ADDRESS_5|28L1 CARDBUS_CIS
2cW1 SUBSYSTEM_VENDOR_ID|2eW1 SUBSYSTEM_ID|30L1 ROM_ADDRESS|34B3 CAPABILITIES|3cB3 INTERRUPT_LINE
3dB3 INTERRUPT_PIN|3eB1 MIN_GNT|3fB1 MAX_LAT|18B2 PRIMARY_BUS|19B2 SECONDARY_BUS|1aB2 SUBORDINATE_BUS
1bB2 SEC_LATENCY_TIMER|1cB2 IO_BASE|1dB2 IO_LIMIT|1eW2 SEC_STATUS|20W2 MEMORY_BASE|22W2 MEMORY_LIMIT
24W2 PREF_MEMORY_BASE|26W2 PREF_MEMORY_LIMIT|28L2 PREF_BASE_UPPER32|2cL2 PREF_LIMIT_UPPER32|30W2 IO_BASE_UPPER16
32W2 IO_LIMIT_UPPER16|38L2 BRIDGE_ROM_ADDRESS|3eW2 BRIDGE_CONTROL|10L4 CB_CARDBUS_BASE|14W4 CB_CAPABILITIES
16W4 CB_SEC_STATUS|18B4 CB_BUS_NUMBER|19B4 CB_CARDBUS_NUMBER|1aB4 CB_SUBORDINATE_BUS|1bB4 CB_CARDBUS_LATENCY
1cL4 CB_MEMORY_BASE_0|20L4 CB_MEMORY_LIMIT_0|24L4 CB_MEMORY_BASE_1|28L4 CB_MEMORY_LIMIT_1|2cW4 CB_IO_BASE_0
2eW4 CB_IO_BASE_0_HI|30W4 CB_IO_LIMIT_0|32W4 CB_IO_LIMIT_0_HI|34W4 CB_IO_BASE_1|36W4 CB_IO_BASE_1_HI
38W4 CB_IO_LIMIT_1|3aW4 CB_IO_LIMIT_1_HI|40W4 CB_SUBSYSTEM_VENDOR_ID|42W4 CB_SUBSYSTEM_ID|44L4 CB_LEGACY_MODE_BASE
"""
_PLAIN = """
01 PM|02 AGP|03 VPD|04 SLOTID|05 MSI|06 CHSWP|07 PCIX|08 HT|09 VNDR|0a DBG|0b CCRC|0c HOTPLUG|0d SSVID|0e AGP3
0f SECURE|10 EXP|11 MSIX|12 SATA|13 AF|14 EA
"""
_EXTENDED = """
01 AER|02 VC|03 DSN|04 PB|05 RCLINK|06 RCILINK|07 RCEC|08 MFVC|09 VC2|0a RBCB|0b VNDR|0d ACS|0e ARI|0f ATS|10 SRIOV
11 MRIOV|12 MCAST|13 PRI|15 REBAR|16 DPA|17 TPH|18 LTR|19 SECPCI|1a PMUX|1b PASID|1c LNR|1d DPC|1e L1PM|1f PTM
20 M_PCIE|21 FRS|22 RTR|23 DVSEC|24 VF_REBAR|25 DLNK|26 16GT|27 LMR|28 HIER_ID|29 NPEM|2a 32GT|30 IDE|31 64GT
"""
_WIDTHS = {"B": 1, "W": 2, "L": 4}


def _entries(text: str) -> list[list[str]]:
    return [entry.split() for line in text.strip().splitlines() for entry in line.split("|")]


NAMES: tuple[RegisterName, ...] = (
    *(RegisterName(name, int(form[:2], 16), _WIDTHS[form[2]], int(form[3])) for form, name in _entries(_HEADER)),
    *(RegisterName(f"CAP_{name}", 0, 0, chain=1, capability=int(form, 16)) for form, name in _entries(_PLAIN)),
    *(RegisterName(f"ECAP_{name}", 0, 0, chain=2, capability=int(form, 16)) for form, name in _entries(_EXTENDED)),
)
