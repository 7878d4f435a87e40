"""GPU slots and the boards in them: how they answer, how they are set, what their counters hold."""

from __future__ import annotations

from enum import Enum

from engine.kernel.quick_dataclass import dataclass


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
    """Why a GPU drops off the bus. A cold start revives it for `holds_after_cold_start` ns (None: not at all).

    One `at_start` sleeps until the node starts the next time, and then does not answer the driver.
    """

    holds_after_cold_start: int | None
    seating: bool = False
    at_start: bool = False


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
class AccountedProcess:
    """What accounting kept of a process: utilisations in percent over its life, MiB at most, when it ran (ns)."""

    pid: int
    gpu_busy: int
    memory_busy: int
    memory_most: int
    started: int
    ended: int


@dataclass(frozen=True, slots=True)
class BoardDefect:
    """Something wrong with a board that shows again and again: about every `every` ns, `under_load` only while the GPU
    works. `kind` says what shows (engine.physics.board_defects), `strikes` how often it did, `left` how often it still
    will (None: without end).

    It is `asleep` while nothing lets it show. `amount` is how much shows each time, `place` where: the link of a bad
    NVLink, or the bank of bad memory cells, of which `rows` have been remapped.
    """

    kind: str
    every: int
    under_load: bool = True
    strikes: int = 0
    left: int | None = None
    asleep: bool = False
    amount: int = 1
    place: int = 0
    rows: int = 0
    contained: bool = True


@dataclass(frozen=True, slots=True)
class FatalXid:
    """The last Xid that ended work on a GPU, when (ns), the error that CUDA gave its programs, and their ids."""

    number: int
    time: int
    cuda_error: int
    pids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class GpuState:
    """A GPU slot and the board in it.

    `bound` says whether the driver found it when it was last loaded (it then keeps its index, even when lost later);
    `cold_starts` counts the cold starts of a defective board. A board that `hung` takes work and never ends it;
    `memory_permille` is the share of its memory's bandwidth that is left (retries of bad cells take the rest).
    `accounted` are the processes that ended while `accounting` was on, oldest first. `locked_memory` is the memory
    clock that somebody locked (least and most, MHz), `timeslice` the one of compute policies (0: default), `boost` the
    video boost slider's position. `defects` go with the board. If `gsp_stalled`, its firmware answers no call
    of the driver, of which `gsp_timeouts` have waited in vain. `fatal` is the last Xid that ended work on it.
    `contact_permille` is its thermal resistance in permille of the usual one.
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
    bound: bool = True
    cold_starts: int = 0
    locked_clock_minimum: int | None = None
    hung: bool = False
    memory_permille: int = 1000
    accounting: bool = False
    accounted: tuple[AccountedProcess, ...] = ()
    locked_memory: tuple[int, int] | None = None
    timeslice: int = 0
    boost: int = 0
    defects: tuple[BoardDefect, ...] = ()
    gsp_stalled: bool = False
    gsp_timeouts: int = 0
    fatal: FatalXid | None = None
    contact_permille: int = 1000
