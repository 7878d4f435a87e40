"""What a profile of a PCI part says: its class, address windows and capabilities with the values of their registers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from engine.kernel.quick_dataclass import dataclass

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


@dataclass(frozen=True, slots=True)
class Bar:
    """A base address register: how much address space it asks for. `virtual` counts the virtual functions that share
    it.
    """

    index: int
    size: int
    bits: int = 64
    prefetchable: bool = False
    virtual: int = 0

    @property
    def total(self) -> int:
        """The address space that must be set aside."""
        return self.size * max(self.virtual, 1)

    @property
    def high(self) -> bool:
        """Whether it goes above 4 GiB, where bridges forward prefetchable windows only."""
        return self.bits == 64 and self.prefetchable


@dataclass(frozen=True, slots=True)
class Capability:
    """A capability at offset `at`: its kind (registers.KINDS) and the text of each register that is not zero."""

    at: int
    kind: str
    registers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    version: int = 1


@dataclass(frozen=True, slots=True)
class Profile:
    """A part. `revision` holds where the site does not give one; `pin` is the interrupt pin (0: none)."""

    class_code: int
    command: str
    bars: tuple[Bar, ...] = ()
    rom: int = 0
    capabilities: tuple[Capability, ...] = ()
    revision: int | None = None
    bridge_control: str = ""
    secondary_status: str = ""
    forwards_io: bool = False
    cache_line: int = 0
    pin: int = 0


def capability(at: int, kind: str, version: int = 1, /, **registers: str) -> Capability:
    """A capability, its registers as keyword arguments."""
    return Capability(at, kind, MappingProxyType(registers), version)


def sizes(first: int, last: int) -> str:
    """Register text for a resizable window's sizes: every power of two from 2^`first` to 2^`last` MiB."""
    return f"Value={sum(1 << exponent for exponent in range(first, last + 1)):#x}"
