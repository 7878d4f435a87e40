"""What stands around a node's system: rack PDUs, the power brake, the BMC, and the firmware of the boards."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class PduState:
    """A rack PDU: whether its feed gives power, and which of its fused strips (1, 2) have a blown fuse."""

    supplied: bool = True
    blown: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PlatformState:
    """The platform of a node: `brake_stuck` says that its board holds the GPUs' power brake although the supplies are
    well; `went_dark` that the chassis went off for want of power, and not by anybody's order.
    """

    brake_stuck: bool = False
    went_dark: bool = False


@dataclass(frozen=True, slots=True)
class BmcState:
    """A BMC. `hung` is "" while it works, "network" if it answers only its host, "all" if it answers nobody.

    `clock_skew` (ns) is what its clock is ahead of the true time, `fan_duty` (permille) what somebody set its fans to
    by hand (None: it controls them), `policy` what it does when power comes back, `busy_until` when it will have
    started again, `light_until` until when its blue light is on, `restart_cause` why the node last started (as IPMI
    numbers it). `bios` are BIOS attributes that differ from the defaults, `bios_pending` those that the next start
    will bring.
    """

    hung: str = ""
    clock_skew: int = 0
    fan_duty: int | None = None
    policy: str = "previous"
    busy_until: int = 0
    light_until: int = 0
    restart_cause: int = 1
    bios: tuple[tuple[str, str], ...] = ()
    bios_pending: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class FirmwareState:
    """Versions of a node's firmware that differ from its board's set, by component."""

    versions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LeakState:
    """The leak rope under a rack's cooling door: `wet` if there is water, `broken` if it says so without any."""

    wet: bool = False
    broken: bool = False
