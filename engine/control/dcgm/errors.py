"""DCGM's errors: number, severity, category, message and what to do next (tables/dcgm_errors.txt).

A message and its next step are joined by a blank, as DcgmError does. Messages are filled in by position.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache

from engine.control.tables import rows

SEVERITIES: Mapping[str, int] = {"monitor": 1, "isolate": 2, "triage": 4, "config": 5, "reset": 6}
"""dcgmErrorSeverity_t by the names in the table. ISOLATE asks for the GPU to be drained."""
ISOLATE = 2


class Fault(Enum):
    """The errors that the model can give, by their names in the table."""

    PCI_REPLAY_RATE = "PCI_REPLAY_RATE"
    VOLATILE_DBE = "VOLATILE_DBE"
    PENDING_RETIREMENT = "PENDING_RETIREMENT"
    CORRUPT_INFOROM = "CORRUPT_INFOROM"
    CLOCKS_THERMAL = "CLOCKS_THERMAL"
    POWER_UNREADABLE = "POWER_UNREADABLE"
    CLOCKS_POWER = "CLOCKS_POWER"
    NVLINK_THRESHOLD = "NVLINK_THRESHOLD"
    NVLINK_CRC = "NVLINK_CRC"
    NVLINK_CRITICAL = "NVLINK_CRITICAL"
    NVLINK_DOWN = "NVLINK_DOWN"
    DEVICE_COUNT = "DEVICE_COUNT"
    FIELD_QUERY = "FIELD_QUERY"
    PERSISTENCE = "PERSISTENCE"
    LOW_BANDWIDTH = "LOW_BANDWIDTH"
    TEMPERATURE = "TEMPERATURE"
    CUDA_API = "CUDA_API"
    CUDA_DEVICE = "CUDA_DEVICE"
    THRESHOLD_TIME = "THRESHOLD_TIME"
    THERMAL_VIOLATIONS = "THERMAL_VIOLATIONS"
    THERMAL_VIOLATIONS_AT = "THERMAL_VIOLATIONS_AT"
    CLOCKS_EVENT = "CLOCKS_EVENT"
    PCIE_GENERATION = "PCIE_GENERATION"
    PCIE_WIDTH = "PCIE_WIDTH"
    ABORTED = "ABORTED"
    STRESS_LEVEL = "STRESS_LEVEL"
    MEMORY_ALLOCATION = "MEMORY_ALLOCATION"
    ECC_DISABLED = "ECC_DISABLED"
    MEMORY_BANDWIDTH = "MEMORY_BANDWIDTH"
    TARGET_POWER = "TARGET_POWER"
    CUDA_CONTEXT = "CUDA_CONTEXT"
    ENFORCED_LIMIT = "ENFORCED_LIMIT"
    REMAP_FAILURE = "REMAP_FAILURE"
    UNCONTAINED = "UNCONTAINED"
    REMAPPED_ROWS = "REMAPPED_ROWS"
    PENDING_REMAP = "PENDING_REMAP"
    LINKS_UP = "LINKS_UP"
    XID = "XID"
    SBE_VIOLATION = "SBE_VIOLATION"
    DBE_VIOLATION = "DBE_VIOLATION"
    NVLINKS_NOT_READY = "NVLINKS_NOT_READY"
    FABRIC = "FABRIC"
    SRAM_THRESHOLD = "SRAM_THRESHOLD"
    FALLEN_OFF_BUS = "FALLEN_OFF_BUS"


@dataclass(frozen=True, slots=True)
class Kind:
    """What DCGM knows of an error."""

    code: int
    severity: int
    category: int
    message: str
    next_step: str


@cache
def _kinds() -> Mapping[Fault, Kind]:
    found = {}
    for name, code, severity, category, message, next_step in rows("dcgm_errors"):
        found[Fault[name]] = Kind(int(code), SEVERITIES[severity], int(category), message, next_step)
    return found


@dataclass(frozen=True, slots=True)
class DcgmError:
    """An error that was found: of GPU `gpu`, or (None) of no entity in particular."""

    fault: Fault
    gpu: int | None
    message: str

    @property
    def kind(self) -> Kind:
        return _kinds()[self.fault]


def error(fault: Fault, *values: object, gpu: int | None = None, before: str = "") -> DcgmError:
    """The error with its values filled in, and the next step; `before` names the check that found it."""
    kind = _kinds()[fault]
    step = f" {kind.next_step}" if kind.next_step else ""
    return DcgmError(fault, gpu, f"{before}{kind.message.format(*values)}{step}")
