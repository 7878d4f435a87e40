"""What `nvidia-smi -q` tells of memory errors: ECC, retired pages, remapped rows."""

from __future__ import annotations

from collections.abc import Callable

from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.fields_errors import (
    REMAP_LEVELS,
    RemapLevel,
    banks,
    counted,
    sram_threshold_exceeded,
    uncorrected_sram,
)
from engine.commands.gpu._nvidia_smi.formats import enabled, yes
from engine.commands.gpu._nvidia_smi.report import Node, Source, group, leaf
from engine.world.records import EccCounts

SOURCES_FROM, REPAIRS_FROM, UNREPAIRABLE_FROM = 550, 580, 590
PARITY_FROM = 550
"""The release that tells parity from SEC-DED on Ampere; on later boards all that know them do (535 of an A100)."""

_COUNTS: tuple[tuple[str, Callable[[EccCounts], int]], ...] = (
    ("SRAM Correctable", lambda c: c.sram_corrected),
    ("SRAM Uncorrectable Parity", lambda c: c.sram_uncorrected_parity),
    ("SRAM Uncorrectable SEC-DED", lambda c: c.sram_uncorrected_secded),
    ("DRAM Correctable", lambda c: c.dram_corrected),
    ("DRAM Uncorrectable", lambda c: c.dram_uncorrected),
)


def _leaves(scope: str) -> tuple[Node, ...]:
    corrected, *others = (
        Node(label, counted(scope, count), only=_apart if _split(label) else None) for label, count in _COUNTS
    )
    return corrected, Node("SRAM Uncorrectable", only=_in_one, source=counted(scope, uncorrected_sram)), *others


def _split(label: str) -> bool:
    return label.startswith("SRAM Uncorrectable")


def _in_one(device: Device) -> bool:
    """Whether uncorrectable SRAM errors are one line."""
    return device.release < PARITY_FROM and device.product.architecture == "Ampere"


def _apart(device: Device) -> bool:
    return not _in_one(device)


def _threshold(device: Device) -> str | None:
    return yes(sram_threshold_exceeded(device.state.aggregate)) if device.state.ecc_enabled else None


def _level(level: RemapLevel) -> Source:
    return lambda device: f"{banks(device, level)} bank(s)"


_NONE = counted("aggregate", lambda counts: 0)

ERRORS: tuple[Node, ...] = (
    group(
        "ECC Mode",
        leaf("Current", lambda d: enabled(d.state.ecc_enabled)),
        leaf("Pending", lambda d: enabled(d.state.ecc_pending)),
        displays="ECC",
    ),
    group(
        "ECC Errors",
        group("Volatile", *_leaves("volatile")),
        group("Aggregate", *_leaves("aggregate"), Node("SRAM Threshold Exceeded", _threshold, only=_apart)),
        group(
            "Aggregate Uncorrectable SRAM Sources",
            leaf("SRAM L2", _NONE),
            leaf("SRAM SM", counted("aggregate", uncorrected_sram)),
            leaf("SRAM Microcontroller", _NONE),
            leaf("SRAM PCIE", _NONE),
            leaf("SRAM Other", _NONE),
            since=SOURCES_FROM,
        ),
        leaf("Channel Repair Pending", lambda d: "No", since=REPAIRS_FROM),
        leaf("TPC Repair Pending", lambda d: "No", since=REPAIRS_FROM),
        leaf("Unrepairable Memory", lambda d: "No", since=UNREPAIRABLE_FROM),
        displays="ECC",
    ),
    group(
        "Retired Pages",
        leaf("Single Bit ECC"),
        leaf("Double Bit ECC"),
        leaf("Pending Page Blacklist"),
        displays="PAGE_RETIREMENT",
    ),
    Node(
        "Remapped Rows",
        lambda d: None,
        displays=frozenset({"ROW_REMAPPER"}),
        only=lambda d: bool(d.mig_devices),
    ),
    Node(
        "Remapped Rows",
        parts=(
            leaf("Correctable Error", lambda d: d.state.remap.correctable),
            leaf("Uncorrectable Error", lambda d: d.state.remap.uncorrectable),
            leaf("Pending", lambda d: yes(d.state.remap.pending)),
            leaf("Remapping Failure Occurred", lambda d: yes(d.state.remap.failure)),
            group(
                "Bank Remap Availability Histogram",
                *(leaf(level.label, _level(level)) for level in REMAP_LEVELS),
            ),
        ),
        displays=frozenset({"ROW_REMAPPER"}),
        only=lambda d: not d.mig_devices,
    ),
)
