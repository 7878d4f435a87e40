"""GPU memory: ECC, and rows that were remapped."""

from __future__ import annotations

from engine.facts.fact import View, fact
from engine.facts.kinds import Gpu
from engine.world import records


@fact("gpu.ecc_enabled")
def ecc_enabled(view: View, gpu: Gpu) -> bool:
    """Whether ECC protects its memory."""
    return view.world.gpus[gpu].ecc_enabled


@fact("gpu.ecc_corrected")
def ecc_corrected(view: View, gpu: Gpu) -> int:
    """How many errors ECC corrected since the driver was loaded or the GPU reset."""
    counts = view.world.gpus[gpu].volatile
    return counts.sram_corrected + counts.dram_corrected


@fact("gpu.ecc_uncorrected")
def ecc_uncorrected(view: View, gpu: Gpu) -> int:
    """How many errors ECC could not correct since the driver was loaded or the GPU reset."""
    return _uncorrected(view.world.gpus[gpu].volatile)


@fact("gpu.ecc_uncorrected_ever")
def ecc_uncorrected_ever(view: View, gpu: Gpu) -> int:
    """How many errors ECC could not correct in the board's life (the aggregate counts)."""
    return _uncorrected(view.world.gpus[gpu].aggregate)


@fact("gpu.rows_remapped")
def rows_remapped(view: View, gpu: Gpu) -> int:
    """How many rows of its memory have been remapped, for errors of either kind."""
    remap = view.world.gpus[gpu].remap
    return remap.correctable + remap.uncorrectable


@fact("gpu.remap_pending")
def remap_pending(view: View, gpu: Gpu) -> bool:
    """Whether a row waits for a reset to be remapped."""
    return view.world.gpus[gpu].remap.pending


@fact("gpu.remap_failed")
def remap_failed(view: View, gpu: Gpu) -> bool:
    """Whether a bank had no spare row left: the board has to be replaced."""
    return view.world.gpus[gpu].remap.failure


def _uncorrected(counts: records.EccCounts) -> int:
    return counts.sram_uncorrected_parity + counts.sram_uncorrected_secded + counts.dram_uncorrected
