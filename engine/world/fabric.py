"""What connects nodes: switches and cables."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64

AGGREGATION = "an"
"""How the aggregation node of a switch is called: `leaf-01/an`."""


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
    follows from its name and model. Of Ethernet switches: `os` is cumulus, sonic or "" (plain bridges), `split` says
    that each cage is two ports (of half its rate), `bundled` that parallel cables to one neighbour are the legs of one
    link aggregation group. `aggregation`: the last port leads to the aggregation node inside the chip, whose
    GUID is `aggregation_guid` where it does not follow from the switch's.
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
    os: str = ""
    split: bool = False
    bundled: bool = False
    aggregation: bool = False
    aggregation_guid: int = 0

    @property
    def outer_ports(self) -> int:
        """Those that stand in cages."""
        return self.ports - self.aggregation


@dataclass(frozen=True, slots=True)
class Cable:
    """A cable between two port ids, of a site. Its id names the ends that it has in the plan."""

    id: str
    ends: tuple[str, str]
    kind: str
    length_m: int
    site: str
    part_number: str

    @property
    def internal(self) -> bool:
        """Whether it is wires inside a chip, which nobody can pull."""
        return self.kind == "internal"

    @property
    def serial(self) -> str:
        """The serial number on its labels: made up when somebody asks, for a large site has 50,000 cables."""
        planned_end = self.id.partition("--")[0]
        return f"MT{hash64(0, self.site, planned_end, 'cable'):016x}"[:12].upper()

    def other(self, port: str) -> str:
        """The port at the other end."""
        return self.ends[1] if self.ends[0] == port else self.ends[0]
