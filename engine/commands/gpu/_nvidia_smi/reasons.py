"""Clock event reasons: NVML's bits with the names of the query fields, the lines of the report and their counters."""

from __future__ import annotations

from dataclasses import dataclass

from engine.commands.gpu._nvidia_smi.devices import Device


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason. `counter` is its line in the report's counters, `depth` its extra indentation there."""

    bit: int
    field: str
    label: str
    text: str
    counter: str | None = None
    depth: int = 0

    def active(self, device: Device) -> bool:
        """Whether it holds now."""
        return bool(device.reasons & self.bit)


IDLE = Reason(0x1, "gpu_idle", "Idle", "Nothing runs, so the clocks fall to their idle state.")
APPLICATIONS = Reason(
    0x2, "applications_clocks_setting", "Applications Clocks Setting", "Somebody limited the applications clocks."
)
POWER_CAP = Reason(
    0x4, "sw_power_cap", "SW Power Cap", "Clocks are held down to stay under the power limit.", "SW Power Capping"
)
SLOWDOWN = Reason(
    0x8, "hw_slowdown", "HW Slowdown", "The hardware at least halves the clocks: heat, power brake or over-power."
)
SYNC_BOOST = Reason(
    0x10, "sync_boost", "Sync Boost", "The GPU waits for the slowest member of its sync boost group.", "Sync Boost"
)
SOFTWARE_THERMAL = Reason(
    0x20,
    "sw_thermal_slowdown",
    "SW Thermal Slowdown",
    "Clocks are held down because the GPU or its memory is above its operating limit.",
    "SW Thermal Slowdown",
)
HARDWARE_THERMAL = Reason(
    0x40,
    "hw_thermal_slowdown",
    "HW Thermal Slowdown",
    "The hardware at least halves the clocks because of heat.",
    "HW Thermal Slowdown",
    1,
)
POWER_BRAKE = Reason(
    0x80,
    "hw_power_brake_slowdown",
    "HW Power Brake Slowdown",
    "The hardware at least halves the clocks because the system pulled the power brake.",
    "HW Power Braking",
    1,
)
DISPLAY = Reason(0x100, "display_clocks_setting", "Display Clock Setting", "A display limits the clocks.")

REPORT_ORDER = (
    IDLE, APPLICATIONS, POWER_CAP, SLOWDOWN, HARDWARE_THERMAL, POWER_BRAKE, SYNC_BOOST, SOFTWARE_THERMAL, DISPLAY,
)  # fmt: skip
QUERY_ORDER = (
    IDLE, APPLICATIONS, POWER_CAP, SLOWDOWN, HARDWARE_THERMAL, POWER_BRAKE, SOFTWARE_THERMAL, SYNC_BOOST,
)  # fmt: skip
COUNTED = (POWER_CAP, SYNC_BOOST, SOFTWARE_THERMAL, HARDWARE_THERMAL, POWER_BRAKE)
SUPPORTED = 0x1FF
