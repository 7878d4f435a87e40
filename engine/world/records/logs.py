"""What is written down as it happens: the journal of a host and the event log of its BMC."""

from __future__ import annotations

from enum import Enum

from engine.kernel.quick_dataclass import dataclass


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
    the driver, `kernel_options` what the boot loader was given for the kernel (None: the image's own), `narrow` the
    PCI functions whose link runs below what both of its ends can do, each with its generation and width.
    """

    start: int
    driver: str | None
    absent: tuple[str, ...]
    linked: tuple[str, ...]
    silent: tuple[str, ...] = ()
    kernel_options: str | None = None
    narrow: tuple[tuple[str, int, int], ...] = ()


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
class Sel:
    """A BMC's system event log since the site's start."""

    entries: tuple[SelEntry, ...] = ()
    cleared_at: int | None = None
