"""`--query-gpu` fields about memory errors: ECC counts, retired pages, remapped rows.

Since Ampere the driver counts SRAM and DRAM; the older split by unit (register file, L1, L2, texture, CBU) is `[N/A]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.fields import Entry, Field, Section, Source, field
from engine.commands.gpu._nvidia_smi.formats import enabled, yes
from engine.world.records import EccCounts

SRAM_PARITY_THRESHOLD, SRAM_SECDED_THRESHOLD = 4, 2
"""Unique uncorrectable events beyond which an SRAM asks for replacement (NVIDIA GPU memory error management guide)."""

_OLD_UNITS = (
    ("register_file", "the register file"),
    ("l1_cache", "the L1 cache"),
    ("l2_cache", "the L2 cache"),
    ("texture_memory", "texture memory"),
    ("cbu", "the convergence barrier unit"),
)


@dataclass(frozen=True, slots=True)
class RemapLevel:
    """A class of banks by how many of their spare rows are used up; `rows` bounds the used ones."""

    name: str
    label: str
    rows: range
    text: str


SPARE_ROWS_OF_A_BANK = 8
# A bank has eight spare rows (the failure flag comes with the ninth); where High, Partial and Low part is a guess.
REMAP_LEVELS = (
    RemapLevel("max", "Max", range(0, 1), "Banks with all spare rows left."),
    RemapLevel("high", "High", range(1, 4), "Banks with most spare rows left."),
    RemapLevel("partial", "Partial", range(4, 6), "Banks with some spare rows left."),
    RemapLevel("low", "Low", range(6, SPARE_ROWS_OF_A_BANK), "Banks with few spare rows left."),
    RemapLevel("none", "None", range(SPARE_ROWS_OF_A_BANK, 1 << 16), "Banks without spare rows."),
)


def banks(device: Device, level: RemapLevel) -> int:
    """How many banks of the GPU are at `level`."""
    degraded = device.state.remap.degraded_banks
    whole = device.product.remap_banks - sum(count for _, count in degraded)
    return sum(count for rows, count in ((0, whole), *degraded) if rows in level.rows)


def uncorrected_sram(counts: EccCounts) -> int:
    """Uncorrectable SRAM errors of both kinds of protection."""
    return counts.sram_uncorrected_parity + counts.sram_uncorrected_secded


def sram_threshold_exceeded(counts: EccCounts) -> bool:
    """Whether the lifetime counts ask for replacement."""
    parity, secded = counts.sram_uncorrected_parity, counts.sram_uncorrected_secded
    return parity > SRAM_PARITY_THRESHOLD or secded > SRAM_SECDED_THRESHOLD


_Count = Callable[[EccCounts], int]
_KINDS: dict[str, tuple[_Count, _Count]] = {
    "corrected": (lambda c: c.dram_corrected, lambda c: c.sram_corrected),
    "uncorrected": (lambda c: c.dram_uncorrected, uncorrected_sram),
}


def counted(scope: str, count: _Count) -> Source[Device]:
    """A source that counts in the volatile or aggregate record; nothing while ECC is off."""
    return lambda device: count(getattr(device.state, scope)) if device.state.ecc_enabled else None


def _scope_fields(kind: str, scope: str) -> Iterator[Field[Device]]:
    dram, sram = _KINDS[kind]
    prefix = f"ecc.errors.{kind}.{scope}."
    yield field(prefix + "device_memory", f"{kind.capitalize()} errors of the HBM.", counted(scope, dram))
    yield field(prefix + "dram", f"{kind.capitalize()} errors of the HBM.", counted(scope, dram))
    for name, words in _OLD_UNITS:
        yield field(prefix + name, f"{kind.capitalize()} errors of {words}, on GPUs before Ampere.")
    yield field(prefix + "sram", f"{kind.capitalize()} errors of all SRAMs.", counted(scope, sram))
    yield field(
        prefix + "total", f"{kind.capitalize()} errors of the chip.", counted(scope, lambda c: dram(c) + sram(c))
    )


def _sram_fields() -> Iterator[Field[Device]]:
    for scope in ("volatile", "aggregate"):
        prefix = f"ecc.errors.uncorrected.{scope}.sram."
        yield field(prefix + "parity", "Of parity-protected SRAM.", counted(scope, lambda c: c.sram_uncorrected_parity))
        yield field(prefix + "secded", "Of SEC-DED SRAM.", counted(scope, lambda c: c.sram_uncorrected_secded))
    prefix = "ecc.errors.uncorrected.aggregate.sram."
    yield field(
        prefix + "thresholdExceeded",
        "Whether so many that the board should be replaced.",
        lambda d: yes(sram_threshold_exceeded(d.state.aggregate)) if d.state.ecc_enabled else None,
    )
    # The model keeps SRAM errors by protection, not by place; the SMs are the place of all of them.
    yield field(prefix + "l2", "In the L2 cache.", counted("aggregate", lambda c: 0))
    yield field(prefix + "sm", "In the SMs.", counted("aggregate", uncorrected_sram))
    for name, words in (("mcu", "In microcontrollers."), ("pcie", "In the PCIe unit."), ("other", "Elsewhere.")):
        yield field(prefix + name, words, counted("aggregate", lambda c: 0))


def ecc_fields() -> tuple[Entry[Device], ...]:
    """ECC mode and counts, in the tool's order."""
    return (
        Section("ecc.mode", "Whether memory errors are detected and corrected; a change needs a restart."),
        field("ecc.mode.current", "The mode in use.", lambda d: enabled(d.state.ecc_enabled)),
        field("ecc.mode.pending", "The mode after the next restart.", lambda d: enabled(d.state.ecc_pending)),
        Section(
            "ecc.errors", "Volatile counts start at zero with the driver; aggregate ones last for the board's life."
        ),
        *(entry for kind in _KINDS for scope in ("volatile", "aggregate") for entry in _scope_fields(kind, scope)),
        *_sram_fields(),
    )


def remapping(source: Source[Device]) -> Source[Device]:
    """A source about remapped rows: the driver tells nothing of them while MIG devices are there."""
    return lambda device: None if device.mig_devices else source(device)


RETIRED_PAGES: tuple[Entry[Device], ...] = (
    Section("retired_pages", "Pages of memory taken out of use, on GPUs before Ampere."),
    field("retired_pages.single_bit_ecc.count retired_pages.sbe", "Pages retired for repeated single-bit errors."),
    field("retired_pages.double_bit.count retired_pages.dbe", "Pages retired for a double-bit error."),
    field("retired_pages.pending", "Whether pages wait for the next restart."),
)

REMAPPED_ROWS: tuple[Entry[Device], ...] = (
    Section("remapped_rows", "Rows of HBM banks replaced by spare ones; a reset makes pending ones effective."),
    field(
        "remapped_rows.correctable remapped_rows.sbe",
        "Rows remapped for repeated corrected errors.",
        remapping(lambda d: d.state.remap.correctable),
    ),
    field(
        "remapped_rows.uncorrectable remapped_rows.dbe",
        "Rows remapped for an uncorrected error.",
        remapping(lambda d: d.state.remap.uncorrectable),
    ),
    field(
        "remapped_rows.pending",
        "Whether a remapping waits for a reset.",
        remapping(lambda d: yes(d.state.remap.pending)),
    ),
    field("remapped_rows.failure", "Whether a remapping ever failed.", remapping(lambda d: yes(d.state.remap.failure))),
    Section("remapped_rows.histogram", "How many banks have how many spare rows left."),
    *(
        field(f"remapped_rows.histogram.{level.name}", level.text, lambda d, level=level: banks(d, level))  # type: ignore[misc]
        for level in REMAP_LEVELS
    ),
)
