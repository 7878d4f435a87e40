"""The diagnostics' tests under load: what each finds wrong with the GPUs that it was run on.

Conditions and texts: nvvs/plugin_src and nvvs/src/DcgmRecorder.cpp. Every test looks at what changed while it ran:
double-bit errors, Xids, temperatures above the operating limits, row remappings that wait or failed; a GPU that fails
by these is also told how heat and slowdowns held back its clocks. What a GPU reaches: engine.workloads.benchmarks;
processes of others share it. Temperatures and power are looked at every five seconds, the diagnostics' own interval.
Guess: that a GPU which does not answer costs its own result only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from engine.control.dcgm import links
from engine.control.dcgm.errors import DcgmError, Fault, error
from engine.control.dcgm.readings import Reading, xids
from engine.kernel.random import hash64
from engine.kernel.units import SECOND
from engine.physics import thermal
from engine.physics.gpu_power import Reason
from engine.physics.paths import figures, pcie
from engine.workloads import benchmarks, cuda
from engine.workloads.dcgm_diag.outcome import Result, TestRun
from engine.workloads.dcgm_diag.plan import Parameters, Test, limits

LOOKS_EVERY = 5 * SECOND
_LEAST_SHARE = 0.75
_BUSY_COPIES = 10
_NO_CUDA = (
    "Unable to initialize CUDA library: '{}'.{} Please check if a CUDA sample program can be run successfully on this "
    "host. Refer to https://github.com/nvidia/cuda-samples"
)
_FABRIC_HINT = " ; verify that the fabric-manager has been started if applicable."
_UNSAFE = "the GPU or its memory have reached unsafe temperatures."
_SLOWDOWNS = (
    (
        Reason.HW_SLOWDOWN,
        "clocks_event_reason_hw_slowdown: either the temperature is too high or there is a power supply problem (the "
        "power brake assertion has been tripped).",
    ),
    (Reason.SW_THERMAL, f"clocks_event_reason_sw_thermal_slowdown: {_UNSAFE}"),
    (Reason.HW_THERMAL, f"clocks_event_reason_hw_thermal_slowdown: {_UNSAFE}"),
)


@dataclass(frozen=True, slots=True)
class Before:
    """What was so when a test began: the time (ns), volatile double-bit errors by GPU id, GPUs that others use."""

    time: int
    doubles: Mapping[int, int]
    others: Mapping[int, int]
    """By GPU id the SM utilisation that others' processes ask for, in percent."""
    copies: Mapping[int, int]
    """By GPU id the memory utilisation of others' processes, in percent."""


def look(gpus: Sequence[Reading], now: int) -> Before:
    """What is so now, before a test puts load on the GPUs."""
    return Before(
        now,
        MappingProxyType({gpu.index: _doubles(gpu) for gpu in gpus}),
        MappingProxyType({gpu.index: gpu.load.sm for gpu in gpus}),
        MappingProxyType({gpu.index: gpu.load.memory_busy for gpu in gpus}),
    )


def _doubles(gpu: Reading) -> int:
    counts = gpu.ecc("volatile")
    return counts.dram_uncorrected + counts.sram_uncorrected_parity + counts.sram_uncorrected_secded


def skipped(test: Test, gpus: Sequence[Reading]) -> TestRun:
    """A test that was left out because one before it failed."""
    return TestRun(test, {gpu.index: Result.SKIP for gpu in gpus})


def refused(test: Test, gpus: Sequence[Reading], environment: Mapping[str, str], user: str) -> TestRun | None:
    """What comes of a test that CUDA does not let begin; None where it does."""
    run = TestRun(test, {gpu.index: Result.PASS for gpu in gpus})
    try:
        cuda.open_devices(gpus[0].world, gpus[0].gpu.node, environment, user)
    except cuda.CudaError as failed:
        if failed.code == cuda.UNKNOWN:
            return None
        hint = _FABRIC_HINT if failed.code == cuda.NOT_READY else ""
        for gpu in gpus:
            found = error(Fault.CUDA_API, "cuInit", gpu=gpu.index)
            run.add(DcgmError(found.fault, gpu.index, f"{found.message} {_NO_CUDA.format(failed.text, hint)}"))
        return run
    return None


def memory_wanted(test: Test, gpus: Sequence[Reading]) -> int:
    """MiB that a test allocates on each GPU: a share of what is free where least is."""
    free = [gpu.framebuffer_free for gpu in gpus if not gpu.lost]
    return max(0, min(free, default=0) - cuda.CONTEXT_MIB) * test.memory_percent // 100 + cuda.CONTEXT_MIB


def judge(test: Test, gpus: Sequence[Reading], before: Before, parameters: Parameters, previous: Test) -> TestRun:
    """What a test that has just ended found."""
    run = TestRun(test, {gpu.index: Result.PASS for gpu in gpus})
    for gpu in gpus:
        if gpu.lost and not _lost_since(gpu, before.time):
            run.add(error(Fault.CUDA_DEVICE, gpu.index, "unknown error", gpu=gpu.index))
            continue
        _OWN.get(test.name, _nothing)(run, gpu, before, parameters)
        _common(run, gpu, before)
    if test.name == "nvbandwidth":
        _copies_disturbed(run, gpus, before, previous)
    return run


def _lost_since(gpu: Reading, time: int) -> bool:
    return any(number == 79 for _, number in xids(gpu.world, gpu.gpu, time))


Own = Callable[[TestRun, Reading, Before, Parameters], None]


def _nothing(run: TestRun, gpu: Reading, before: Before, parameters: Parameters) -> None:
    """A test that finds only what every test looks for."""


def _memory(run: TestRun, gpu: Reading, before: Before, parameters: Parameters) -> None:
    if not gpu.state.ecc_enabled:
        run.results[gpu.index] = Result.SKIP
        run.remarks.append((gpu.index, error(Fault.ECC_DISABLED, "Memory", gpu.index).message))
        return
    least = parameters.number("memory", "minimum_allocation_percentage", 100 * _LEAST_SHARE) / 100
    total, free = gpu.product.memory_total, gpu.framebuffer_free
    if free < total * least:
        run.results[gpu.index] = Result.SKIP
        text = f"Only {free} mb of memory is free, but we need to allocate {int(total * least)} mb to pass this test."
        run.remarks.append((None, f"{text} Skipping"))
        return
    size = (free - cuda.CONTEXT_MIB) * 99 // 100 << 20
    run.remarks.append((gpu.index, f"Allocated {size} bytes ({size * 100 / (total << 20):.1f}%)"))


def _pcie(run: TestRun, gpu: Reading, before: Before, parameters: Parameters) -> None:
    wanted = limits(_device_id(gpu))
    groups = ("h2d_d2h_single_pinned", "h2d_d2h_single_unpinned")
    for group in groups:
        generation = int(parameters.number("pcie", f"{group}.min_pci_generation", wanted.generation))
        width = int(parameters.number("pcie", f"{group}.min_pci_width", wanted.width))
        if gpu.link.generation < generation:
            values = (gpu.index, gpu.link.generation, generation, "min_pci_generation")
            run.add(error(Fault.PCIE_GENERATION, *values, gpu=gpu.index))
        if gpu.link.width < width:
            values = (gpu.index, gpu.link.width, width, "min_pci_width")
            run.add(error(Fault.PCIE_WIDTH, *values, gpu=gpu.index))
        least = parameters.number("pcie", f"{group}.min_bandwidth", 0.0)
        rate = pcie.host_copy(gpu.world, gpu.gpu.id)
        for way in ("d2h", "h2d") if rate < least else ():
            run.add(error(Fault.LOW_BANDWIDTH, gpu.index, way, rate, least, gpu=gpu.index))
    expected = int(parameters.number("pcie", "gpu_nvlinks_expected_up", 0))
    up = links.of_gpu(gpu.world, gpu.gpu).count(links.UP)
    if expected and up != expected:
        run.add(error(Fault.LINKS_UP, up, expected, gpu=gpu.index))


def _diagnostic(run: TestRun, gpu: Reading, before: Before, parameters: Parameters) -> None:
    rate = benchmarks.burn_of(gpu.world, gpu.gpu.id) * _share(gpu, before)
    text = f"GPU {gpu.index} calculated at approximately {rate:.2f} gigaflops during this test"
    run.remarks.append((gpu.index, text))


def _stress(run: TestRun, gpu: Reading, before: Before, parameters: Parameters) -> None:
    target = parameters.number("targeted_stress", "target_stress", limits(_device_id(gpu)).stress)
    ratio = parameters.number("targeted_stress", "target_perf_min_ratio", 0.95)
    capability = figures.gpu_figures(gpu.product.name).compute_capability
    most = benchmarks.STRESS_GFLOPS[capability] / gpu.product.clock_graphics_max
    clocks = [thermal.sm_clock(gpu.world, gpu.gpu.id, moment) for moment in _moments(before.time, gpu.now)]
    reached = [clock * most * _share(gpu, before) for clock in clocks]
    if max(reached) < ratio * target:
        run.add(error(Fault.STRESS_LEVEL, max(reached), target, gpu.index, gpu=gpu.index))
    else:
        mean = sum(reached) / len(reached)
        run.remarks.append((gpu.index, f"GPU {gpu.index} relative stress level\t{mean:.0f}"))


def _power(run: TestRun, gpu: Reading, before: Before, parameters: Parameters) -> None:
    target = parameters.number("targeted_power", "target_power", limits(_device_id(gpu)).power)
    least = target * parameters.number("targeted_power", "target_power_min_ratio", _LEAST_SHARE)
    limit = gpu.state.power_limit / 1000
    if least >= limit:
        values = (gpu.index, limit, least)
        run.add(error(Fault.ENFORCED_LIMIT, *values, gpu=gpu.index), Result.SKIP)
        return
    drawn = [thermal.power(gpu.world, gpu.gpu.id, moment) / 1000 for moment in _moments(before.time, gpu.now)]
    if max(drawn) < least:
        reached = (max(drawn), "target_power_min_ratio", least, gpu.index)
        run.add(error(Fault.TARGET_POWER, *reached, gpu=gpu.index))
        return
    mean = sum(drawn) / len(drawn)
    text = f"GPU {gpu.index} max power: {max(drawn):.1f} W average power usage: {mean:.1f} W"
    run.remarks.append((gpu.index, text))


def _bandwidth(run: TestRun, gpu: Reading, before: Before, parameters: Parameters) -> None:
    least = parameters.number("memory_bandwidth", "minimum_bandwidth", limits(_device_id(gpu)).bandwidth) / 1000
    reached = benchmarks.memory_rate_of(gpu.world, gpu.gpu.id) * _share(gpu, before)
    if reached < least:
        run.add(error(Fault.MEMORY_BANDWIDTH, gpu.index, reached, least, 0, gpu=gpu.index))


_OWN: Mapping[str, Own] = MappingProxyType(
    {
        "memory": _memory,
        "pcie": _pcie,
        "diagnostic": _diagnostic,
        "targeted_stress": _stress,
        "targeted_power": _power,
        "memory_bandwidth": _bandwidth,
    }
)


def _share(gpu: Reading, before: Before) -> float:
    """The part of a GPU that a test gets beside others' processes, which take turns with it."""
    others = before.others[gpu.index]
    return 100 / (100 + others)


def _device_id(gpu: Reading) -> str:
    return gpu.product.pci_id.rpartition(":")[2]


def _moments(start: int, end: int) -> list[int]:
    """When readings were taken: not at the very start, where the load is still being put on."""
    return [*range(start + LOOKS_EVERY, end, LOOKS_EVERY)] or [end]


def _copies_disturbed(run: TestRun, gpus: Sequence[Reading], before: Before, previous: Test) -> None:
    """nvbandwidth does not begin while memory is busy. From 4.5 on a reading of the test before it may still be there
    (NVIDIA/DCGM#272): in half of the runs (a guess).
    """
    first = gpus[0]
    stale = previous.name == "diagnostic" and _release(first) >= (4, 5)
    stale = stale and hash64(first.world.seed, first.gpu.node, before.time, "stale") % 2 == 0
    for gpu in gpus:
        if before.copies[gpu.index] > _BUSY_COPIES or stale:
            text = (
                f"The memory copy utilitization for the GPU: {gpu.index} is greater than 10%. This may affect the "
                "results of the nvbandwidth test."
            )
            run.add(error(Fault.THRESHOLD_TIME, text, gpu=gpu.index))
            run.results = dict.fromkeys(run.results, Result.FAIL)
            return


def _release(gpu: Reading) -> tuple[int, int]:
    major, minor, *_ = gpu.world.inventory.software.get("dcgm", "4.4.2").split(".")
    return int(major), int(minor)


def problems(gpu: Reading, before: Before) -> Iterator[DcgmError]:
    """What every test looks for, of one GPU."""
    name, number = gpu.index, gpu.index
    grown = _doubles(gpu) - before.doubles[number]
    if grown > 0:
        yield error(Fault.DBE_VIOLATION, grown, "ecc_dbe_volatile_total", name, gpu=number)
    if not gpu.lost and gpu.state.remap.pending:
        yield error(Fault.PENDING_REMAP, name, gpu=number)
    if not gpu.lost and gpu.state.remap.failure:
        yield error(Fault.REMAP_FAILURE, name, gpu=number)
    moments = _moments(before.time, gpu.now)
    highest = max(thermal.temperature(gpu.world, gpu.gpu.id, moment) for moment in moments) // 1000
    most = gpu.product.temperature_max_operating // 1000
    if highest > most:
        yield error(Fault.TEMPERATURE, highest, "GPU", name, most, gpu=number)
    for seen in sorted({found for _, found in xids(gpu.world, gpu.gpu, before.time)}):
        values = () if seen == 95 else (seen, name)
        yield error(Fault.UNCONTAINED if seen == 95 else Fault.XID, *values, gpu=number)


def _common(run: TestRun, gpu: Reading, before: Before) -> None:
    found = list(problems(gpu, before))
    for each in found:
        run.add(each)
    if found or run.results[gpu.index] is Result.FAIL:
        for each in _held_back(gpu, before):
            run.add(each)


def _held_back(gpu: Reading, before: Before) -> Iterator[DcgmError]:
    """How heat and slowdowns held back the clocks of a GPU that failed."""
    for bit, text in _SLOWDOWNS:
        moments = (m for m in _moments(before.time, gpu.now) if _reasons(gpu, m) & bit)
        first = next(moments, None)
        if first is not None:
            seconds = (first - before.time) / SECOND
            yield error(Fault.CLOCKS_EVENT, gpu.index, seconds, text, gpu=gpu.index)
            break
    bits = (Reason.SW_THERMAL, Reason.HW_THERMAL)
    held = sum(gpu.held_back(bit) - gpu.held_back(bit, before.time) for bit in bits) / SECOND
    if held > 0:
        moments = (m for m in _moments(before.time, gpu.now) if _reasons(gpu, m) & (bits[0] | bits[1]))
        seconds = (next(moments, before.time) - before.time) / SECOND
        yield error(Fault.THERMAL_VIOLATIONS_AT, held, seconds, gpu.index, gpu=gpu.index)


def _reasons(gpu: Reading, time: int) -> int:
    return thermal.regime_at(gpu.world, gpu.gpu.id, time).reasons
