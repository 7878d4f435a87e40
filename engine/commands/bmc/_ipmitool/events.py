"""Types of sensors and of events as the IPMI 2.0 specification numbers them, with ipmitool's words (tables 42-1 to 42-3
of the specification, ipmi_sel.h and ipmi_strings.c of ipmitool 1.8.19).

An event is (event type, offset): offset 3 of type 0x6f of a power supply is "Power Supply AC lost". Only types that
servers of these sites have are here.
"""

from __future__ import annotations

from dataclasses import dataclass

THRESHOLD, SENSOR_SPECIFIC = 0x01, 0x6F

SENSOR_TYPES = (
    "reserved", "Temperature", "Voltage", "Current", "Fan", "Physical Security", "Platform Security", "Processor",
    "Power Supply", "Power Unit", "Cooling Device", "Other", "Memory", "Drive Slot / Bay", "POST Memory Resize",
    "System Firmwares", "Event Logging Disabled", "Watchdog1", "System Event", "Critical Interrupt", "Button",
    "Module / Board", "Microcontroller", "Add-in Card", "Chassis", "Chip Set", "Other FRU", "Cable / Interconnect",
    "Terminator", "System Boot Initiated", "Boot Error", "OS Boot", "OS Critical Stop", "Slot / Connector",
    "System ACPI Power State", "Watchdog2", "Platform Alert", "Entity Presence", "Monitor ASIC", "LAN",
    "Management Subsys Health", "Battery", "Session Audit", "Version Change", "FRU State",
)  # fmt: skip

ENTITIES = {
    3: "Processor", 4: "Disk or Disk Bay", 6: "System Management Module", 7: "System Board", 8: "Memory Module",
    10: "Power Supply", 11: "Add-in Card", 12: "Front Panel Board", 15: "Drive Backplane", 19: "Power Unit",
    23: "System Chassis", 29: "Fan Device", 30: "Cooling Unit", 32: "Memory Device", 34: "BIOS", 55: "Air Inlet",
    64: "Air Inlet", 65: "Processor", 66: "Baseboard/Main System Board",
}  # fmt: skip

_GENERIC = {
    THRESHOLD: (
        "Lower Non-critical going low ", "Lower Non-critical going high", "Lower Critical going low ",
        "Lower Critical going high", "Lower Non-recoverable going low ", "Lower Non-recoverable going high",
        "Upper Non-critical going low ", "Upper Non-critical going high", "Upper Critical going low ",
        "Upper Critical going high", "Upper Non-recoverable going low ", "Upper Non-recoverable going high",
    ),
    0x03: ("State Deasserted", "State Asserted"),
    0x04: ("Predictive Failure Deasserted", "Predictive Failure Asserted"),
    0x05: ("Limit Not Exceeded", "Limit Exceeded"),
    0x06: ("Performance Met", "Performance Lags"),
    0x07: (
        "Transition to OK", "Transition to Non-critical from OK", "Transition to Critical from less severe",
        "Transition to Non-recoverable from less severe", "Transition to Non-critical from more severe",
        "Transition to Critical from Non-recoverable", "Transition to Non-recoverable", "Monitor", "Informational",
    ),
    0x08: ("Device Absent", "Device Present"),
    0x09: ("Device Disabled", "Device Enabled"),
    0x0B: (
        "Fully Redundant", "Redundancy Lost", "Redundancy Degraded", "Non-Redundant: Sufficient from Redundant",
        "Non-Redundant: Sufficient from Insufficient", "Non-Redundant: Insufficient Resources",
        "Redundancy Degraded from Fully Redundant", "Redundancy Degraded from Non-Redundant",
    ),
}  # fmt: skip

_SPECIFIC = {
    "Processor": (
        "IERR", "Thermal Trip", "FRB1/BIST failure", "FRB2/Hang in POST failure",
        "FRB3/Processor startup/init failure", "Configuration Error", "SM BIOS Uncorrectable CPU-complex Error",
        "Presence detected", "Disabled", "Terminator presence detected", "Throttled",
        "Uncorrectable machine check exception", "Correctable machine check error",
    ),
    "Power Supply": (
        "Presence detected", "Failure detected", "Predictive failure", "Power Supply AC lost",
        "AC lost or out-of-range", "AC out-of-range, but present", "Config Error", "Power Supply Inactive",
    ),
    "Power Unit": (
        "Power off/down", "Power cycle", "240VA power down", "Interlock power down", "AC lost",
        "Soft-power control failure", "Failure detected", "Predictive failure",
    ),
    "Memory": (
        "Correctable ECC", "Uncorrectable ECC", "Parity", "Memory Scrub Failed", "Memory Device Disabled",
        "Correctable ECC logging limit reached", "Presence Detected", "Configuration Error", "Spare", "Throttled",
        "Critical Overtemperature",
    ),
    "Drive Slot / Bay": (
        "Drive Present", "Drive Fault", "Predictive Failure", "Hot Spare", "Parity Check In Progress",
        "In Critical Array", "In Failed Array", "Rebuild In Progress", "Rebuild Aborted",
    ),
    "Event Logging Disabled": (
        "Correctable memory error logging disabled", "Event logging disabled", "Log area reset/cleared",
        "All event logging disabled", "Log full", "Log almost full",
    ),
    "System Event": (
        "System Reconfigured", "OEM System boot event", "Undetermined system hardware failure",
        "Entry added to auxiliary log", "PEF Action", "Timestamp Clock Sync",
    ),
    "Critical Interrupt": (
        "NMI/Diag Interrupt", "Bus Timeout", "I/O Channel check NMI", "Software NMI", "PCI PERR", "PCI SERR",
        "EISA failsafe timeout", "Bus Correctable error", "Bus Uncorrectable error", "Fatal NMI", "Bus Fatal Error",
        "Bus Degraded",
    ),
    "Chip Set": ("Soft Power Control Failure", "Thermal Trip"),
    "System Boot Initiated": (
        "Initiated by power up", "Initiated by hard reset", "Initiated by warm reset", "User requested PXE boot",
        "Automatic boot to diagnostic", "OS initiated hard reset", "OS initiated warm reset", "System Restart",
    ),
    "System ACPI Power State": (
        "S0/G0: working", "S1: sleeping with system hw & processor context maintained",
        "S2: sleeping, processor context lost", "S3: sleeping, processor & hw context lost, memory retained",
        "S4: non-volatile sleep/suspend-to-disk", "S5/G2: soft-off", "S4/S5: soft-off", "G3: mechanical off",
        "Sleeping in S1/S2/S3 state", "G1: sleeping", "S5: entered by override", "Legacy ON state",
        "Legacy OFF state",
    ),
    "Watchdog2": (
        "Timer expired", "Hard reset", "Power down", "Power cycle", "reserved", "reserved", "reserved", "reserved",
        "Timer interrupt",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class EventType:
    """A class of events: its code and the words of its offsets."""

    code: int
    texts: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its class, as verbose output calls it."""
        names = {THRESHOLD: "Threshold", SENSOR_SPECIFIC: "Sensor-specific Discrete"}
        return names.get(self.code, "Generic Discrete")

    def mask(self, states: list[str]) -> int:
        """The bits of the states that are asserted."""
        return sum(1 << self.texts.index(state) for state in states if state in self.texts)


_ALIASES = {"Other Units Based Sensor": "Other"}


def type_name(kind: str) -> str:
    """The tool's word for a type of sensor."""
    name = _ALIASES.get(kind, kind)
    return name if name in SENSOR_TYPES else "Unknown"


def sensor_type(kind: str) -> int:
    """The number of a type of sensor; 0 for one that is not in the table."""
    name = type_name(kind)
    return SENSOR_TYPES.index(name) if name in SENSOR_TYPES else 0


def event_type(kind: str, text: str) -> EventType:
    """The class that an event of a sensor of type `kind` belongs to: the sensor's own class if it has the words."""
    own = _SPECIFIC.get(kind, ())
    if text in own:
        return EventType(SENSOR_SPECIFIC, own)
    for code, texts in _GENERIC.items():
        if text in texts:
            return EventType(code, texts)
    return EventType(SENSOR_SPECIFIC, own)
