"""When a host was up before the site's start, and which driver it had loaded then."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.units import DAY, HOUR, MINUTE, SECOND
from engine.world.inventory import Inventory
from engine.world.world import World

# The release before, by branch and version, where one is known; other versions count as installed with the machine.
_RELEASES_BEFORE = {
    "590.48.01": "590.44.01",
    "580.105.08": "580.95.05",
    "570.158.01": "570.133.20",
    "550.127.05": "550.90.07",
}


@dataclass(frozen=True, slots=True)
class PastBoot:
    """A time during which the system ran: kernel start, the first instant that the journal still holds, end (None: not
    ended).
    """

    start: int
    kept_from: int
    end: int | None
    driver: str | None

    @property
    def whole(self) -> bool:
        """Whether the journal still holds its beginning."""
        return self.kept_from == self.start


def first_boot(world: World, host: str) -> int:
    """When the kernel that ran at the site's start had started."""
    state = world.nodes[host]
    return state.boot_history[0][0] if state.boot_history else state.booted_at


def past_boots(world: World, host: str) -> tuple[PastBoot, ...]:
    """Boots up to the site's start, oldest first; the last one is the boot that ran then."""
    start = first_boot(world, host)
    inventory, seed = world.inventory, world.seed
    return inventory.once(("past boots", seed, host, start), lambda: _past_boots(inventory, seed, host, start))


def driver_before(inventory: Inventory) -> str | None:
    """The driver version that the last upgrade replaced, or None if there was no upgrade."""
    return _RELEASES_BEFORE.get(inventory.software.get("driver", ""))


def serviced_at(boots: tuple[PastBoot, ...]) -> int:
    """When the packages were upgraded: some minutes before the end of the boot before the current one."""
    end = boots[-2].end
    assert end is not None
    return end - 9 * MINUTE


def _past_boots(inventory: Inventory, seed: int, host: str, start: int) -> tuple[PastBoot, ...]:
    draw = hash64(seed, "past", host)
    down, service, down_before = (
        4 * MINUTE + draw % 240 * SECOND,
        HOUR + draw % 3500 * SECOND,
        6 * MINUTE + draw % 900 * SECOND,
    )
    last_end = start - down
    last_start = last_end - service
    long_end = last_start - down_before
    long_start = long_end - 20 * DAY - draw % (30 * DAY // SECOND) * SECOND
    now_driver = inventory.software.get("driver") if inventory.node(host).gpus else None
    then_driver = (driver_before(inventory) or now_driver) if now_driver else None
    kept_from = long_end - 2 * DAY - draw % 70_000 * SECOND
    return (
        PastBoot(long_start, kept_from, long_end, then_driver),
        PastBoot(last_start, last_start, last_end, then_driver),
        PastBoot(start, start, None, now_driver),
    )
