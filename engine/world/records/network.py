"""Network ports and the cables between them. States are numbered as in the InfiniBand specification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType


class PhysicalState(Enum):
    """Of an InfiniBand port, with its number."""

    POLLING = (2, "Polling")
    DISABLED = (3, "Disabled")
    TRAINING = (4, "PortConfigurationTraining")
    LINK_UP = (5, "LinkUp")
    RECOVERY = (6, "LinkErrorRecovery")


class LogicalState(Enum):
    """Of an InfiniBand port, with its number."""

    DOWN = (1, "Down")
    INITIALIZING = (2, "Initializing")
    ARMED = (3, "Armed")
    ACTIVE = (4, "Active")


@dataclass(frozen=True, slots=True)
class PortState:
    """A network port: what the administrator asked and what is latched.

    Whether it is up follows from both ends and the cable. `lid` and `sm_lid` are what a subnet
    manager last gave it (None: what the first sweep of the site gave), `initialized` whether one has brought it up
    since its link came up.
    """

    enabled: bool = True
    lid: int | None = None
    sm_lid: int | None = None
    initialized: bool = True
    errors: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class CableState:
    """A cable: plugged in at both ends, and how bad its signal is (bit error rate exponent; 15 is clean)."""

    plugged: bool = True
    error_exponent: int = 15
