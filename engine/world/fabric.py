"""What connects nodes: switches and cables."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Identity:
    """What an InfiniBand device says of itself: its description, vendor and device numbers, and the GUID of the system
    that it is part of.
    """

    description: str
    vendor: int
    device: int
    system_guid: int


@dataclass(frozen=True, slots=True)
class Switch:
    """A network switch. `kind` is infiniband or ethernet; ports are numbered from 1. `identity` is None where that
    follows from its name and model.
    """

    name: str
    kind: str
    model: str
    role: str
    ports: int
    rate: int
    guid: int
    firmware: str
    serial: str
    address: str
    rack: str
    unit: int
    system: str
    identity: Identity | None = None


@dataclass(frozen=True, slots=True)
class Cable:
    """A cable between two port ids."""

    id: str
    ends: tuple[str, str]
    kind: str
    length_m: int
    serial: str
    part_number: str

    def other(self, port: str) -> str:
        """The port at the other end."""
        return self.ends[1] if self.ends[0] == port else self.ends[0]
