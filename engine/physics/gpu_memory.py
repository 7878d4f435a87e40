"""A GPU's memory: errors that its correction mends or not, and rows of HBM that are replaced by spare ones.

Law (NVIDIA's guide to GPU memory errors, for Ampere and newer): each row that lost data is remapped to a spare row of
its bank. It is marked at once and counts; a reset of the GPU makes it effective, and until then `pending` is set. A
bank has 8 spare rows for uncorrectable errors and a GPU 512 remappings; the attempt beyond either, and an error in a
row that was remapped before, sets the failure flag for good, which (with the field diagnostic's consent) asks for a new
board. SRAM cannot be remapped: more than 4 parity or 2 SEC-DED events in its life ask for a new board. Volatile counts
end with a reset or a new load of the driver, aggregate ones and remapped rows stay with the board. With ECC off nothing
is noticed. A correctable remapping and Blackwell's repair of channels are not modelled; that a bank loses its spare row
when the row is marked, not with the reset, is a guess.

Boards before Ampere retired pages instead, 64 at most, effective with the next load of the driver; no site has them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypedDict

from engine.kernel.events import Event, Handler
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.physics import board_defects
from engine.world.events import BoardDefectStruck, GpuMemoryError
from engine.world.records import BoardDefect, EccCounts, GpuState, RowRemap
from engine.world.world import World

SPARE_ROWS, MOST_REMAPPED = 8, 512
PARITY_THRESHOLD, SECDED_THRESHOLD = 4, 2
RETIRED_PAGES_BEFORE_AMPERE = 64

MARKED, BANK_FULL, TABLE_FULL, REMAPPED_ROW = "marked", "bank_full", "table_full", "remapped_row"
"""What becomes of a row that lost data."""

PARITY, SECDED = 0, 1
"""Places of a defect of SRAM: by how its words are protected."""

_ROW = 32
_MIB = 1 << 20


class Fresh(TypedDict):
    """What a reset makes of a GPU's state."""

    volatile: EccCounts
    remap: RowRemap
    hung: bool
    gsp_stalled: bool
    gsp_timeouts: int


def after_reset(state: GpuState) -> Fresh:
    """What a reset makes of a GPU: marked rows are remapped, volatile counts start at zero, what hung runs."""
    return Fresh(
        volatile=EccCounts(),
        remap=replace(state.remap, pending=False),
        hung=False,
        gsp_stalled=False,
        gsp_timeouts=0,
    )


def threshold_exceeded(counts: EccCounts) -> bool:
    """Whether the lifetime counts of SRAM errors ask for another board."""
    return counts.sram_uncorrected_parity > PARITY_THRESHOLD or counts.sram_uncorrected_secded > SECDED_THRESHOLD


def uncorrected(counts: EccCounts) -> int:
    """All errors that could not be corrected."""
    return counts.sram_uncorrected_parity + counts.sram_uncorrected_secded + counts.dram_uncorrected


def corrected(counts: EccCounts) -> int:
    """All errors that were corrected."""
    return counts.sram_corrected + counts.dram_corrected


def count(simulation: Simulation[World], gpu_id: str, **more: int) -> None:
    """Add to counts of a GPU by their names in EccCounts, volatile and aggregate."""
    state = simulation.world.gpus[gpu_id]
    volatile, aggregate = (
        replace(counts, **{name: getattr(counts, name) + number for name, number in more.items()})
        for counts in (state.volatile, state.aggregate)
    )
    simulation.world.gpus.update(gpu_id, volatile=volatile, aggregate=aggregate)


def wear_bank(simulation: Simulation[World], gpu_id: str, rows: int) -> None:
    """A bank has lost `rows` spare rows before the moment that anybody looks at: they were remapped and are at work."""
    if rows:
        remap = simulation.world.gpus[gpu_id].remap
        worn = _worn(remap.degraded_banks, 0, min(rows, SPARE_ROWS))
        changed = replace(remap, uncorrectable=remap.uncorrectable + rows, degraded_banks=worn)
        simulation.world.gpus.update(gpu_id, remap=changed)


def _worn(degraded: tuple[tuple[int, int], ...], before: int, after: int) -> tuple[tuple[int, int], ...]:
    """The wear of banks when one that had lost `before` rows has lost `after`."""
    banks = dict(degraded)
    if before:
        banks[before] = banks.get(before, 1) - 1
    banks[after] = banks.get(after, 0) + 1
    return tuple((rows, count) for rows, count in sorted(banks.items()) if count > 0)


def _struck(simulation: Simulation[World], event: BoardDefectStruck) -> None:
    """Bad cells have lost or bent data."""
    state = simulation.world.gpus[event.gpu]
    defect = board_defects.find(simulation.world, event.gpu, event.kind, event.place)
    law = _LAWS.get(event.kind)
    if law and defect and state.ecc_enabled:
        law(simulation, event.gpu, defect)


def _bend(simulation: Simulation[World], gpu_id: str, defect: BoardDefect) -> None:
    """Errors that are corrected."""
    count(simulation, gpu_id, dram_corrected=board_defects.amount(simulation.world, gpu_id, defect, "corrected"))


def _lose_in_dram(simulation: Simulation[World], gpu_id: str, defect: BoardDefect) -> None:
    """A word of HBM is lost, and its row is to be remapped."""
    count(simulation, gpu_id, dram_uncorrected=1)
    remap = simulation.world.gpus[gpu_id].remap
    outcome = _outcome(remap, defect)
    if outcome == MARKED:
        worn = _worn(remap.degraded_banks, defect.rows, defect.rows + 1)
        remap = replace(remap, uncorrectable=remap.uncorrectable + 1, pending=True, degraded_banks=worn)
        board_defects.change(simulation, gpu_id, replace(defect, rows=defect.rows + 1))
    else:
        remap = replace(remap, failure=True)
    simulation.world.gpus.update(gpu_id, remap=remap)
    address = _address(simulation.world, gpu_id, defect)
    simulation.publish(GpuMemoryError(gpu_id, "dram", address, defect.contained, outcome))


def _outcome(remap: RowRemap, defect: BoardDefect) -> str:
    if defect.kind == board_defects.BAD_ROW:
        return REMAPPED_ROW
    if remap.uncorrectable + remap.correctable >= MOST_REMAPPED:
        return TABLE_FULL
    return BANK_FULL if defect.rows >= SPARE_ROWS else MARKED


def _address(world: World, gpu_id: str, defect: BoardDefect) -> int:
    """A physical address: each time another row of the same bank, or the same row again."""
    size = world.inventory.gpu(gpu_id).product.memory_total * _MIB
    bank = hash64(world.seed, "bank", world.gpus[gpu_id].serial, defect.kind, defect.place) % (size // 2)
    step = 0 if defect.kind == board_defects.BAD_ROW else defect.strikes * 0x2_1000
    return (bank + step) // _ROW * _ROW


def _lose_in_sram(simulation: Simulation[World], gpu_id: str, defect: BoardDefect) -> None:
    name = "sram_uncorrected_secded" if defect.place == SECDED else "sram_uncorrected_parity"
    count(simulation, gpu_id, **{name: 1})
    simulation.publish(GpuMemoryError(gpu_id, "sram", 0, defect.contained))


_LAWS = {
    board_defects.DRAM: _lose_in_dram,
    board_defects.BAD_ROW: _lose_in_dram,
    board_defects.SRAM: _lose_in_sram,
    board_defects.CORRECTED: _bend,
}

HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((BoardDefectStruck, _struck),)
