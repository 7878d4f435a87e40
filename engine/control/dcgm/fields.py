"""DCGM's fields: what each is called, and where its value comes from. The one reader for dmon, stats and the exporter.

Numbers, tags, short names, units, widths: tables/dcgm_fields.txt, read in DCGM 4.4.2's dcgm_fields.h and
dcgm_fields.cpp. A field without an entry in the sources below, or one of a GPU that does not answer, is blank: N/A in
dmon, left out by the exporter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from engine.control import cuda_versions, driver, nvlink_fabric
from engine.control.dcgm import links
from engine.control.dcgm.readings import Reading
from engine.control.tables import rows
from engine.physics.gpu_power import Reason
from engine.physics.paths import nvlink
from engine.world.records import EccCounts, NvLinkErrors

Value = int | float | str | None
Source = Callable[[Reading], Value]

_CONSTANT = "DCGM_FI_"
_MILLI = 1000
_KILO, _MEGA = 1_000, 1_000_000
_THERMAL = (Reason.SW_THERMAL, Reason.HW_THERMAL)


@dataclass(frozen=True, slots=True)
class Field:
    """A field. `kind` is int, double, string, time or binary; `entity` what it belongs to (NONE: the whole node)."""

    id: int
    name: str
    tag: str
    short_name: str
    unit: str
    kind: str
    entity: str
    width: int


@cache
def table() -> Mapping[int, Field]:
    """Every field by number."""
    found = {}
    for number, name, tag, short_name, unit, kind, entity, width in rows("dcgm_fields"):
        field = Field(int(number), _CONSTANT + name, tag, short_name, unit.replace("_", " "), kind, entity, int(width))
        found[field.id] = field
    return MappingProxyType(found)


@cache
def by_name() -> Mapping[str, Field]:
    """Every field by its constant's name, `DCGM_FI_DEV_GPU_TEMP`."""
    return MappingProxyType({field.name: field for field in table().values()})


def value(reading: Reading, field: Field) -> Value:
    """What the field holds for a GPU now; None where there is nothing."""
    source = SOURCES.get(field.id)
    if source is None:
        return None
    if reading.lost and field.id not in _OUTLAST_THE_GPU:
        return None
    if reading.unreadable and field.id in _ASK_THE_FIRMWARE:
        return None
    return source(reading)


def shown(field: Field, found: Value) -> str:
    """A value as dmon shows it: doubles with three decimals."""
    if found is None or field.kind == "binary":
        return "N/A"
    return f"{found:.3f}" if field.kind == "double" else str(found)


def _watts(milliwatts: int) -> float:
    return milliwatts / _MILLI


def _degrees(millidegrees: int) -> int:
    return millidegrees // _MILLI


def _ecc(scope: str, count: Callable[[EccCounts], int]) -> Source:
    return lambda r: count(r.ecc(scope)) if r.state.ecc_enabled else None


def _corrected(counts: EccCounts) -> int:
    return counts.sram_corrected + counts.dram_corrected


def _uncorrected_sram(counts: EccCounts) -> int:
    return counts.sram_uncorrected_parity + counts.sram_uncorrected_secded


def _uncorrected(counts: EccCounts) -> int:
    return _uncorrected_sram(counts) + counts.dram_uncorrected


def _banks(least: int, end: int) -> Source:
    """How many banks have used at least `least` and fewer than `end` of their spare rows."""

    def count(r: Reading) -> int:
        worn = r.state.remap.degraded_banks
        whole = r.product.remap_banks - sum(banks for _, banks in worn)
        return sum(banks for used, banks in ((0, whole), *worn) if least <= used < end)

    return count


def _held(*bits: int) -> Source:
    """ns that any of some reasons has held back the clocks."""
    return lambda r: sum(r.held_back(bit) for bit in bits)


def _fabric_status(r: Reading) -> int:
    """dcgmFabricManagerStatus_t: 0 not supported, 2 in progress, 3 success, 4 failure."""
    if not r.world.node(r.gpu.node).nvswitches:
        return 0
    if not nvlink_fabric.registered(r.world, r.gpu.node):
        return 2
    return 4 if nvlink_fabric.refused(r.world, r.gpu.id) else 3


def _on_fabric(found: Value, refused: Value = None) -> Source:
    """A value of GPUs that have registered; `refused` is that of one which got no place in the fabric."""
    return lambda r: {3: found, 4: found if refused is None else refused}.get(_fabric_status(r))


_INSUFFICIENT_RESOURCES = 23
"""NVML_ERROR_INSUFFICIENT_RESOURCES of nvml.h."""


def _cuda(r: Reading) -> Value:
    spoken = cuda_versions.spoken_by(driver.nvml(r.world, r.gpu.node).library_version)
    major, _, minor = (spoken or "").partition(".")
    return int(major) * 1000 + int(minor or 0) * 10 if major else None


def _pci_number(identifier: str) -> int:
    """vendor:device as NVML's number: the device in the upper half."""
    vendor, _, device = identifier.partition(":")
    return int(device, 16) << 16 | int(vendor, 16)


_COMPUTE_MODES = {"Default": 0, "Prohibited": 2, "Exclusive_Process": 3}
_COMPUTE_CAPABILITY = {"Ampere": (8, 0), "Ada Lovelace": (8, 9), "Hopper": (9, 0), "Blackwell": (10, 0)}


def _capability(r: Reading) -> Value:
    major, minor = _COMPUTE_CAPABILITY.get(r.product.architecture, (10, 0))
    return major << 16 | minor


_IDENTITY: Mapping[int, Source] = {
    1: lambda r: driver.nvml(r.world, r.gpu.node).kernel_version,
    2: lambda r: f"{_cuda_major(r)}.{driver.nvml(r.world, r.gpu.node).library_version}",
    4: lambda r: len(driver.bound_gpus(r.world, r.gpu.node)),
    5: _cuda,
    50: lambda r: r.product.name,
    51: lambda r: "NVIDIA",
    52: lambda r: r.index,
    53: lambda r: r.state.serial,
    54: lambda r: r.state.uuid,
    55: lambda r: r.index,
    57: lambda r: r.bus_id,
    58: lambda r: _pci_number(r.product.pci_id),
    59: lambda r: _pci_number(r.product.subsystem_id),
    63: _capability,
    65: lambda r: _COMPUTE_MODES.get(r.state.compute_mode),
    66: lambda r: int(r.state.persistence),
    67: lambda r: int(r.state.mig_enabled),
    82: lambda r: r.product.inforom,
    84: lambda r: 1,
    85: lambda r: r.vbios,
    90: lambda r: r.product.bar1_total,
    92: lambda r: r.load.memory_used + 1,
    93: lambda r: r.product.bar1_total - r.load.memory_used - 1,
    500: lambda r: 0,
    526: lambda r: 0,
    577: lambda r: r.gpu.module,
}


def _cuda_major(r: Reading) -> str:
    return (cuda_versions.spoken_by(driver.nvml(r.world, r.gpu.node).library_version) or "").partition(".")[0]


_RUNNING: Mapping[int, Source] = {
    100: lambda r: r.sm_clock,
    101: lambda r: r.product.clock_memory,
    102: lambda r: r.video_clock,
    110: lambda r: r.application_clock,
    111: lambda r: r.product.clock_memory,
    112: lambda r: r.reasons,
    113: lambda r: r.product.clock_graphics_max,
    114: lambda r: r.product.clock_memory,
    115: lambda r: r.product.clock_video_max,
    140: lambda r: r.memory_temperature,
    150: lambda r: r.temperature,
    151: lambda r: _degrees(r.product.memory_temperature_max_operating),
    152: lambda r: _degrees(r.product.temperature_max_operating),
    153: lambda r: r.margin,
    155: lambda r: _watts(r.power),
    156: lambda r: r.energy,
    157: lambda r: _watts(r.power_instant),
    158: lambda r: _degrees(r.product.temperature_slowdown),
    159: lambda r: _degrees(r.product.temperature_shutdown),
    160: lambda r: _watts(r.state.power_limit),
    161: lambda r: _watts(r.product.power_limit_min),
    162: lambda r: _watts(r.product.power_limit),
    163: lambda r: _watts(r.product.power_limit),
    164: lambda r: _watts(r.state.power_limit),
    170: _fabric_status,
    171: _on_fabric(0, _INSUFFICIENT_RESOURCES),
    172: _on_fabric("00000000-0000-0000-0000-000000000000"),
    173: _on_fabric(0),
    190: lambda r: 0,
    200: lambda r: r.pcie_bytes[0] // _KILO,
    201: lambda r: r.pcie_bytes[1] // _KILO,
    202: lambda r: r.state.pcie_replays,
    203: lambda r: None if r.state.mig_enabled else r.load.sm,
    204: lambda r: None if r.state.mig_enabled else r.load.memory_busy,
    206: lambda r: None if r.state.mig_enabled else 0,
    207: lambda r: None if r.state.mig_enabled else 0,
    230: lambda r: r.last_xid,
    235: lambda r: r.link.max_generation,
    236: lambda r: r.link.max_width,
    237: lambda r: r.link.generation,
    238: lambda r: r.link.width,
    240: _held(Reason.SW_POWER_CAP),
    241: _held(*_THERMAL),
    242: lambda r: 0,
    243: lambda r: 0,
    245: lambda r: 0,
    250: lambda r: r.product.memory_total,
    251: lambda r: r.framebuffer_free,
    252: lambda r: r.load.memory_used,
    253: lambda r: r.product.memory_reserved,
    254: lambda r: r.load.memory_used / (r.product.memory_total - r.product.memory_reserved),
    1420: _held(Reason.SW_POWER_CAP),
    1421: lambda r: 0,
    1422: _held(Reason.SW_THERMAL),
    1423: _held(Reason.HW_THERMAL),
    1424: lambda r: 0,
}


def _on_links(count: Callable[[NvLinkErrors], int]) -> Source:
    """Errors of all NVLinks of a GPU together. Wrong checksums are those of the lanes, for packets and for data."""
    return lambda r: sum(count(each) for each in links.errors(r.world, r.gpu).values())


_MEMORY_ERRORS: Mapping[int, Source] = {
    300: lambda r: int(r.state.ecc_enabled),
    301: lambda r: int(r.state.ecc_pending),
    310: _ecc("volatile", _corrected),
    311: _ecc("volatile", _uncorrected),
    312: _ecc("aggregate", _corrected),
    313: _ecc("aggregate", _uncorrected),
    318: _ecc("volatile", lambda c: c.dram_corrected),
    319: _ecc("volatile", lambda c: c.dram_uncorrected),
    328: _ecc("aggregate", lambda c: c.dram_corrected),
    329: _ecc("aggregate", lambda c: c.dram_uncorrected),
    342: _ecc("volatile", lambda c: c.sram_corrected),
    343: _ecc("volatile", _uncorrected_sram),
    344: _ecc("aggregate", lambda c: c.sram_corrected),
    345: _ecc("aggregate", _uncorrected_sram),
    346: lambda r: int(
        r.ecc("aggregate").sram_uncorrected_parity > 4 or r.ecc("aggregate").sram_uncorrected_secded > 2
    ),
    385: _banks(0, 1),
    386: _banks(1, 4),
    387: _banks(4, 6),
    388: _banks(6, 8),
    389: _banks(8, 1 << 16),
    393: lambda r: r.state.remap.uncorrectable,
    394: lambda r: r.state.remap.correctable,
    395: lambda r: int(r.state.remap.failure),
    396: lambda r: int(r.state.remap.pending),
    409: _on_links(lambda errors: sum(errors.crc)),
    419: _on_links(lambda errors: sum(errors.crc)),
    429: _on_links(lambda errors: errors.replay),
    439: _on_links(lambda errors: errors.recovery),
}


def _of_link(link: int, count: Callable[[NvLinkErrors], int]) -> Source:
    """Errors of one NVLink; nothing where the board has no such link."""

    def found(r: Reading) -> Value:
        if link >= r.product.nvlinks:
            return None
        errors = links.errors(r.world, r.gpu).get(link)
        return count(errors) if errors else 0

    return found


def _rate_of_link(link: int, *ways: int) -> Source:
    """MB/s over one NVLink: an equal part of what goes over all that work (ways: 0 sent, 1 received)."""

    def found(r: Reading) -> Value:
        if link >= r.product.nvlinks:
            return None
        at_work = nvlink.working(r.world, r.gpu.id)
        down = link in r.world.nvlinks[r.gpu.id].down
        return 0 if down else sum(r.nvlink_bytes[way] for way in ways) // max(1, at_work) // _MEGA

    return found


_BY_LINK: Mapping[str, Callable[[int], Source]] = {
    "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_L": lambda link: _of_link(link, lambda errors: sum(errors.crc)),
    "DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_L": lambda link: _of_link(link, lambda errors: sum(errors.crc)),
    "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_L": lambda link: _of_link(link, lambda errors: errors.replay),
    "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_L": lambda link: _of_link(link, lambda errors: errors.recovery),
    "DCGM_FI_DEV_NVLINK_BANDWIDTH_L": lambda link: _rate_of_link(link, 0, 1),
    "DCGM_FI_DEV_NVLINK_TX_BANDWIDTH_L": lambda link: _rate_of_link(link, 0),
    "DCGM_FI_DEV_NVLINK_RX_BANDWIDTH_L": lambda link: _rate_of_link(link, 1),
}
"""Fields that come once for each NVLink, by what stands before its number."""


def _each_link() -> Mapping[int, Source]:
    found = {}
    for field in table().values():
        start, _, number = field.name.rpartition("_L")
        if number.isdecimal() and f"{start}_L" in _BY_LINK:
            found[field.id] = _BY_LINK[f"{start}_L"](int(number))
    return found


_NVLINK_RATES: Mapping[int, Source] = {
    449: lambda r: sum(r.nvlink_bytes) // _MEGA,
    843: lambda r: r.nvlink_bytes[0] // _MEGA,
    897: lambda r: r.nvlink_bytes[1] // _MEGA,
}


def _moved(count: Callable[[Reading], int]) -> Source:
    """A rate that the profiling module gives: nothing while it is paused, 0 where its session is broken."""

    def found(r: Reading) -> Value:
        share = r.share_of(100)
        return None if share is None else int(share) * count(r)

    return found


_PROFILING: Mapping[int, Source] = {
    1009: _moved(lambda r: r.pcie_bytes[0]),
    1010: _moved(lambda r: r.pcie_bytes[1]),
    1011: _moved(lambda r: r.nvlink_bytes[0]),
    1012: _moved(lambda r: r.nvlink_bytes[1]),
    1001: lambda r: r.share_of(r.load.sm),
    1002: lambda r: r.busy("active"),
    1003: lambda r: r.busy("occupancy"),
    1004: lambda r: r.busy("tensor"),
    1005: lambda r: r.share_of(r.load.memory_busy),
    1006: lambda r: r.busy("double"),
    1007: lambda r: r.busy("single"),
    1008: lambda r: r.busy("half"),
}
PROFILING = frozenset(range(1001, 1100))
"""Numbers of fields that the profiling module serves."""

SOURCES: Mapping[int, Source] = MappingProxyType(
    {**_IDENTITY, **_RUNNING, **_MEMORY_ERRORS, **_NVLINK_RATES, **_each_link(), **_PROFILING}
)
"""Where the values come from, by field number."""

_ASK_THE_FIRMWARE = frozenset(
    {100, 101, 102, 112, 140, 150, 153, 155, 156, 157, 190, 203, 204, 206, 207, *range(1001, 1013)}
)
"""Fields that nobody can tell of a GPU whose firmware the driver has given up."""

_OUTLAST_THE_GPU = frozenset({1, 2, 4, 5, 230})
"""Fields that the host engine has without asking the GPU."""
