"""The BMC's system event log before the site's start: when it was last cleared, boots since then, and a supply that was
unplugged for a while.
"""

from __future__ import annotations

from engine.control.history.past import past_boots
from engine.kernel.random import Stream
from engine.kernel.units import DAY, HOUR, MINUTE, SECOND
from engine.world.records import SelEntry
from engine.world.world import World

_FIRMWARE = 4 * MINUTE


def past_events(world: World, host: str) -> tuple[SelEntry, ...]:
    """Entries from before the site's start, oldest first."""
    start = past_boots(world, host)[-1].start
    return world.inventory.once(("event log", world.seed, host, start), lambda: _past_events(world, host))


def _past_events(world: World, host: str) -> tuple[SelEntry, ...]:
    stream, boots = Stream(world.seed, f"event log/{host}"), past_boots(world, host)
    cleared = boots[0].start - stream.integer(30, 200) * DAY - stream.integer(0, 86_000) * SECOND
    entries = [SelEntry(cleared, "Event Logging Disabled", "SEL", "Log area reset/cleared")]
    for number, boot in enumerate(boots):
        entries += boot_events(boot.start - _FIRMWARE, cold=number == 1)
        if boot.end is not None and number == 0:
            entries.append(SelEntry(boot.end + 20 * SECOND, "System ACPI Power State", "ACPI_PWR", "S4/S5: soft-off"))
    psus = world.node(host).psus
    if psus and stream.chance(1, 3):
        psu, time = stream.choice(psus), cleared + stream.integer(5, 25) * DAY + stream.integer(8, 16) * HOUR
        entries += _supply_unplugged(psu.index, time, stream.integer(4, 40) * MINUTE)
    return tuple(sorted(entries, key=lambda entry: entry.time))


def boot_events(time: int, *, cold: bool) -> list[SelEntry]:
    """What firmware writes when it starts; the clock is set by the BIOS soon after."""
    cause = "Initiated by power up" if cold else "Initiated by warm reset"
    first = [SelEntry(time, "System ACPI Power State", "ACPI_PWR", "S0/G0: working")] if cold else []
    return [
        *first,
        SelEntry(time + SECOND, "System Boot Initiated", "SEL_NV_BOOT", cause),
        SelEntry(time + 84 * SECOND, "System Event", "SEL_NV_BIOS", "Timestamp Clock Sync"),
        SelEntry(time + 85 * SECOND, "System Event", "SEL_NV_BIOS", "Timestamp Clock Sync"),
    ]


def _supply_unplugged(index: int, time: int, lasted: int) -> list[SelEntry]:
    name = f"STATUS_PSU{index}"
    return [
        SelEntry(time, "Power Supply", name, "Power Supply AC lost"),
        SelEntry(time + SECOND, "Power Supply", "REDUNDANCY_PSU", "Redundancy Degraded"),
        SelEntry(time + lasted, "Power Supply", name, "Power Supply AC lost", False),
        SelEntry(time + lasted + SECOND, "Power Supply", "REDUNDANCY_PSU", "Fully Redundant"),
    ]
