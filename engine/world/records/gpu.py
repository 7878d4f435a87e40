"""GPU slots and the boards in them: how they answer, how they are set, what their counters hold."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class BusState(Enum):
    """How a PCI function answers. LOST: was enumerated, now reads all ones. ABSENT: not enumerated at the last boot."""

    PRESENT = "present"
    LOST = "lost"
    ABSENT = "absent"


class RecoveryAction(Enum):
    """What the driver asks for after an error, by nvidia-smi's names under `GPU Recovery Action` (as in the open kernel
    modules).
    """

    NONE = "None"
    RESET = "Reset"
    REBOOT = "Reboot"
    DRAIN_P2P = "Drain P2P"
    DRAIN_AND_RESET = "Drain and Reset"


@dataclass(frozen=True, slots=True)
class BusDefect:
    """Why a GPU drops off the bus. A cold start revives it for `holds_after_cold_start` ns (None: not at all)."""

    holds_after_cold_start: int | None
    seating: bool = False


@dataclass(frozen=True, slots=True)
class EccCounts:
    """ECC error counts of one kind (volatile or aggregate)."""

    sram_corrected: int = 0
    sram_uncorrected_parity: int = 0
    sram_uncorrected_secded: int = 0
    dram_corrected: int = 0
    dram_uncorrected: int = 0


@dataclass(frozen=True, slots=True)
class RowRemap:
    """Row remapping of a GPU.

    `degraded_banks` gives how many banks have lost how many rows, as (rows, banks); all others have lost none.
    """

    correctable: int = 0
    uncorrectable: int = 0
    pending: bool = False
    failure: bool = False
    degraded_banks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class GpuLoad:
    """What runs on a GPU: utilisation of SMs and memory in percent, memory in MiB, share of the power budget."""

    sm: int = 0
    memory_busy: int = 0
    memory_used: int = 0
    power_permille: int = 0

    @property
    def idle(self) -> bool:
        return self.sm == 0


@dataclass(frozen=True, slots=True)
class GpuState:
    """A GPU slot and the board in it.

    `bound` says whether the driver found it when it was last loaded (it then keeps its index, even when lost later);
    `cold_starts` counts the cold starts of a defective board.
    """

    bus: BusState = BusState.PRESENT
    defect: BusDefect | None = None
    serial: str = ""
    uuid: str = ""
    persistence: bool = True
    compute_mode: str = "Default"
    power_limit: int = 0
    locked_clock: int | None = None
    application_clock: int | None = None
    ecc_enabled: bool = True
    ecc_pending: bool = True
    volatile: EccCounts = EccCounts()
    aggregate: EccCounts = EccCounts()
    remap: RowRemap = RowRemap()
    mig_enabled: bool = False
    mig_pending: bool = False
    recovery: RecoveryAction = RecoveryAction.NONE
    pcie_replays: int = 0
    pcie_generation: int | None = None
    pcie_width: int | None = None
    bound: bool = True
    cold_starts: int = 0
    locked_clock_minimum: int | None = None
