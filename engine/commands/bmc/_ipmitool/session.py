"""A session with a BMC: in-band through /dev/ipmi0, or over the network, and how times and numbers are shown in it.

Modelled on ipmitool 1.8.19 (Ubuntu 24.04): dates and times are the locale's, in the host's time zone. Before 1.8.19
they were plain and in UTC, and a deasserted threshold event kept its sign; a host with an older package has that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from engine.commands.context import Context
from engine.commands.linux._support.strftime import Moment, american, format_time
from engine.control import bmc, packages
from engine.control.bmc import Sensor
from engine.control.package_table import upstream
from engine.kernel.units import SECOND
from engine.world.records import SelEntry
from engine.world.world import World

PACKAGE = "ipmitool"
_LOCALE_SINCE = (1, 8, 19)


class Failed(Exception):
    """A command that cannot go on; what it says has been written."""


@dataclass(frozen=True)
class Session:
    """The running tool's view: which node's BMC, with which privilege, and how to show things."""

    context: Context
    host: str
    privilege: str = "ADMINISTRATOR"
    csv: bool = False
    verbose: int = 0
    utc: bool = False

    @property
    def world(self) -> World:
        return self.context.world

    @cached_property
    def sensors(self) -> list[Sensor]:
        """The sensors as they read now."""
        return bmc.sensors(self.world, self.host, self.context.now)

    @property
    def entries(self) -> list[SelEntry]:
        """The event log, oldest first."""
        return bmc.sel(self.world, self.host)

    @cached_property
    def modern(self) -> bool:
        """Whether the tool is 1.8.19 or later."""
        return version_number(version(self.context)) >= _LOCALE_SINCE

    def line(self, text: str = "") -> None:
        """A line to standard output."""
        self.context.line(text)

    def refuse(self, text: str) -> Failed:
        """Say why it does not go on; to be raised."""
        self.context.error(text)
        return Failed(text)

    def date(self, time: int) -> str:
        """The day of a time of the simulation."""
        return self._time(time, "%x" if self.modern else "%m/%d/%Y")

    def clock(self, time: int) -> str:
        """The time of day."""
        return self._time(time, "%X %Z" if self.modern else "%H:%M:%S")

    def moment(self, time: int) -> str:
        """Day and time of day."""
        return f"{self.date(time)} {self.clock(time)}"

    def _time(self, time: int, pattern: str) -> str:
        epoch = (self.context.inventory.start + time) // SECOND * SECOND
        own = self.modern and not self.utc
        zone = self.context.inventory.timezone if own else "Etc/UTC"
        return format_time(Moment(epoch, zone, american(self.context.environment)), pattern)


def version(context: Context) -> str:
    """The version of the installed tool, which a site may state."""
    stated = context.inventory.software.get(PACKAGE)
    package = packages.installed(context.world, context.host).get(PACKAGE)
    return stated or (upstream(package.version) if package else "unknown")


def version_number(text: str) -> tuple[int, ...]:
    """1.8.19 as numbers."""
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def integer(text: str) -> int | None:
    """A number as strtol reads it with base 0: 12, 0x0c, 014."""
    try:
        return int(text, 8) if re.fullmatch(r"-?0\d+", text) else int(text, 0)
    except ValueError:
        return None


def decimal(thousandths: int, digits: int) -> str:
    """A number of thousandths with so many digits after the point."""
    scale = 10 ** (3 - digits)
    units = (abs(thousandths) + scale // 2) // scale
    whole, rest = divmod(units, 10**digits)
    return ("-" if thousandths < 0 else "") + (f"{whole}.{rest:0{digits}d}" if digits else str(whole))


def short(thousandths: int, digits: int) -> str:
    """The same, but a whole number goes without the point."""
    return decimal(thousandths, 0 if thousandths % 1000 == 0 else digits)
