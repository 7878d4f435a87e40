"""What is written down as it happens: the journal of a host and the event log of its BMC."""

from __future__ import annotations

from enum import Enum

from engine.kernel.quick_dataclass import dataclass
from engine.world.records.optics import AdapterState


class Priority(Enum):
    """syslog priorities."""

    EMERG = 0
    ALERT = 1
    CRIT = 2
    ERR = 3
    WARNING = 4
    NOTICE = 5
    INFO = 6
    DEBUG = 7


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One journal entry.

    Kernel entries have `source` "kernel"; others bear their identifier, with the unit that they came from.
    """

    time: int
    text: str
    source: str = "kernel"
    priority: Priority = Priority.INFO
    pid: int | None = None
    unit: str | None = None
    facility: str = "kern"


@dataclass(frozen=True, slots=True)
class BootRecord:
    """What a boot since the site's start found; its messages are worked out from this when looked at.

    `driver` is the NVIDIA kernel module's version (None: it was not loaded), `absent` the PCI functions that did not
    show up, `linked` the RDMA devices whose port had a link, `silent` those functions that showed up and did not answer
    the driver, `kernel_options` what the boot loader was given for the kernel (None: the image's own), `narrow` the PCI
    functions whose link runs below what both of its ends can do, each with its generation and width, `kernel` the
    release ("": the site's), `secure` whether Secure Boot was on, `refusal` what kept the NVIDIA module out (as
    engine.control.module_rules names it), `nouveau` whether the kernel's own driver was loaded before it, `cards`
    network cards whose firmware does not run as they were delivered, `bios` the BIOS's version ("": the board's).
    """

    start: int
    driver: str | None
    absent: tuple[str, ...]
    linked: tuple[str, ...]
    silent: tuple[str, ...] = ()
    kernel_options: str | None = None
    narrow: tuple[tuple[str, int, int], ...] = ()
    kernel: str = ""
    secure: bool = False
    refusal: str = ""
    nouveau: bool = False
    cards: tuple[tuple[str, AdapterState], ...] = ()
    bios: str = ""


@dataclass(frozen=True, slots=True)
class Log:
    """A host's log since the site's start, in the order of writing. What was before is history, made when looked at."""

    entries: tuple[LogEntry, ...] = ()
    boots: tuple[BootRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class SelEntry:
    """An entry of the BMC's system event log."""

    time: int
    sensor_type: str
    sensor: str
    event: str
    asserted: bool = True
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SelFlood:
    """So many entries of one kind that a sensor has written one after the other, `every` ns, from `first` on."""

    first: int
    every: int
    count: int
    sensor_type: str
    sensor: str
    event: str


@dataclass(frozen=True, slots=True)
class Sel:
    """A BMC's system event log since the site's start. Times are those of the BMC's clock. `overflowed` says that
    something could not be written since it was last cleared.
    """

    entries: tuple[SelEntry, ...] = ()
    cleared_at: int | None = None
    flood: SelFlood | None = None
    overflowed: bool = False
