"""What `nvidia-smi -q` tells of how the GPU runs: clocks, memory, load, temperature, power, fabric, processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.commands.gpu._nvidia_smi import fabric, reasons
from engine.commands.gpu._nvidia_smi.architectures import architecture
from engine.commands.gpu._nvidia_smi.csv_query import supported_graphics_clocks
from engine.commands.gpu._nvidia_smi.devices import Device, instance_ids, process_name
from engine.commands.gpu._nvidia_smi.fields_running import APPLICATIONS_CLOCKS_UNTIL
from engine.commands.gpu._nvidia_smi.formats import active, watts
from engine.commands.gpu._nvidia_smi.report import OLD_COLUMN, Line, Node, Source, deprecated, group, leaf
from engine.commands.gpu._nvidia_smi.report_samples import CLOCK_SAMPLES, POWER_SAMPLES, UTILIZATION_SAMPLES
from engine.kernel.units import MILLISECOND

MEMORY_POWER_FROM, BLOCKS_OF_550, BLOCKS_OF_570, BLOCKS_OF_580, BLOCKS_OF_590 = 545, 550, 570, 580, 590


def _reason(reason: reasons.Reason) -> Source:
    return lambda device: active(reason.active(device))


def _counter(reason: reasons.Reason) -> Node:
    assert reason.counter
    return leaf(reason.counter, lambda device: f"{device.reason_microseconds(reason.bit)} us")


def _reason_lines(device: Device) -> Iterator[Line]:
    yield Line(1, "Clocks Event Reasons")
    for reason in reasons.REPORT_ORDER:
        yield Line(2 + reason.depth, reason.label, active(reason.active(device)))


def _busy(share: Callable[[Device], int]) -> Source:
    """A utilisation, which the driver does not give in MIG mode."""

    def shown(device: Device) -> str | None:
        busy = device.busy(share(device))
        return None if busy is None else f"{busy} %"

    return shown


def _application(clock: Callable[[Device], int]) -> Source:
    """An applications clock, as long as the driver tells it."""
    return lambda d: f"{clock(d)} MHz" if d.release < APPLICATIONS_CLOCKS_UNTIL else deprecated(d)


def mebibytes(amount: int) -> str:
    return f"{amount} MiB"


_NO_MODULE = tuple(
    leaf(label)
    for label in (
        "Current Power Limit", "Requested Power Limit", "Default Power Limit", "Min Power Limit", "Max Power Limit",
    )
)  # fmt: skip

BEFORE_ERRORS: tuple[Node, ...] = (
    leaf("Performance State", lambda d: "P0", "PERFORMANCE"),
    Node("Clocks Event Reasons", lines=_reason_lines, displays=frozenset({"PERFORMANCE"})),
    group(
        "Clocks Event Reasons Counters",
        *(_counter(reason) for reason in reasons.COUNTED),
        displays="PERFORMANCE",
        since=BLOCKS_OF_580,
    ),
    leaf("Sparse Operation Mode", lambda d: architecture(d.product).sparse, "PERFORMANCE", since=BLOCKS_OF_550),
    group(
        "FB Memory Usage",
        leaf("Total", lambda d: mebibytes(d.product.memory_total)),
        leaf("Reserved", lambda d: mebibytes(d.product.memory_reserved)),
        leaf("Used", lambda d: mebibytes(d.memory_used)),
        leaf("Free", lambda d: mebibytes(d.memory_free)),
        displays="MEMORY",
    ),
    group(
        "BAR1 Memory Usage",
        leaf("Total", lambda d: mebibytes(d.product.bar1_total)),
        leaf("Used", lambda d: mebibytes(d.bar1_used)),
        leaf("Free", lambda d: mebibytes(d.product.bar1_total - d.bar1_used)),
        displays="MEMORY",
    ),
    group(
        "Conf Compute Protected Memory Usage",
        leaf("Total", lambda d: mebibytes(0)),
        leaf("Used", lambda d: mebibytes(0)),
        leaf("Free", lambda d: mebibytes(0)),
        displays="MEMORY",
    ),
    leaf("Compute Mode", lambda d: d.state.compute_mode, "COMPUTE"),
    group(
        "Utilization",
        leaf("Gpu", _busy(lambda d: d.load.sm), until=BLOCKS_OF_570),
        leaf("GPU", _busy(lambda d: d.load.sm), since=BLOCKS_OF_570),
        leaf("Memory", _busy(lambda d: d.load.memory_busy)),
        *(leaf(unit, _busy(lambda d: 0)) for unit in ("Encoder", "Decoder", "JPEG", "OFA")),
        displays="UTILIZATION",
    ),
    *UTILIZATION_SAMPLES,
    *(
        group(
            f"{kind} Stats",
            leaf("Active Sessions", lambda d: 0),
            leaf("Average FPS", lambda d: 0),
            leaf("Average Latency", lambda d: 0),
            displays=f"{kind.upper()}_STATS",
        )
        for kind in ("Encoder", "FBC")
    ),
    group("DRAM Encryption Mode", leaf("Current"), leaf("Pending"), since=BLOCKS_OF_570),
)


def _celsius(value: int) -> str:
    return f"{value} C"


def _limit(device: Device, limit: int) -> str:
    """A temperature limit: as a margin to the operating limit since Ada and Hopper, absolute before."""
    if architecture(device.product).limits_as_margins:
        return _celsius((device.product.temperature_max_operating - limit) // 1000)
    return _celsius(limit // 1000)


def _temperature_lines(device: Device) -> Iterator[Line]:
    product, margins = device.product, architecture(device.product).limits_as_margins
    word = "T.Limit Temp" if margins else "Temp"
    yield Line(1, "Temperature")
    yield Line(2, "GPU Current Temp", _celsius(device.temperature))
    yield Line(2, "GPU T.Limit Temp", _celsius(device.margin) if margins else "N/A")
    yield Line(2, f"GPU Shutdown {word}", _limit(device, product.temperature_shutdown))
    yield Line(2, f"GPU Slowdown {word}", _limit(device, product.temperature_slowdown))
    yield Line(2, f"GPU Max Operating {word}", _limit(device, product.temperature_max_operating))
    yield Line(2, "GPU Target Temperature", "N/A")
    yield Line(2, "Memory Current Temp", _celsius(device.memory_temperature))
    memory_limit = "0 C" if margins else _celsius(product.memory_temperature_max_operating // 1000)
    yield Line(2, f"Memory Max Operating {word}", memory_limit)


def _supported_clock_lines(device: Device) -> Iterator[Line]:
    yield Line(1, "Supported Clocks")
    yield Line(2, "Memory", f"{device.product.clock_memory} MHz")
    for clock in supported_graphics_clocks(device):
        yield Line(3, "Graphics", f"{clock} MHz")


def _process_lines(device: Device) -> Iterator[Line]:
    if not device.processes:
        yield Line(1, "Processes", "None")
        return
    yield Line(1, "Processes")
    for process, used in device.processes:
        instance, compute = instance_ids(process)
        yield Line(2, "GPU instance ID", instance, OLD_COLUMN)
        yield Line(2, "Compute instance ID", compute, OLD_COLUMN)
        yield Line(2, "Process ID", str(process.pid), OLD_COLUMN)
        yield Line(3, "Type", "C", OLD_COLUMN)
        yield Line(3, "Name", process_name(process), OLD_COLUMN)
        yield Line(3, "Used GPU Memory", mebibytes(used), OLD_COLUMN)


def _accounted_lines(device: Device) -> Iterator[Line]:
    """Processes that accounting kept. Labels: the tool's manual page and older outputs."""
    if not device.state.accounted:
        yield Line(1, "Accounted Processes", "None")
        return
    yield Line(1, "Accounted Processes")
    for process in device.state.accounted:
        yield Line(2, "Process ID", str(process.pid))
        yield Line(3, "GPU Utilization", f"{process.gpu_busy} %")
        yield Line(3, "Memory Utilization", f"{process.memory_busy} %")
        yield Line(3, "Max memory usage", mebibytes(process.memory_most))
        yield Line(3, "Time", f"{(process.ended - process.started) // MILLISECOND} ms")
        yield Line(3, "Is Running", "0")


def _draw(average: Source | None = None, instant: Source | None = None) -> tuple[Node, ...]:
    """The lines of power draw: one before release 570, mean and moment since."""
    return (
        leaf("Power Draw", average, until=BLOCKS_OF_570),
        leaf("Average Power Draw", _mean_only(average), since=BLOCKS_OF_570),
        leaf("Instantaneous Power Draw", instant, since=BLOCKS_OF_570),
    )


def _memory_draw(device: Device) -> str:
    return f"{watts(device.memory_power)} W"


def _mean_only(source: Source | None) -> Source | None:
    """Of a board that gives no mean, nothing."""
    if source is None:
        return None
    return lambda device: source(device) if architecture(device.product).mean_power else None


_POWER: tuple[Node, ...] = (
    group(
        "GPU Power Readings",
        *_draw(lambda d: f"{watts(d.power)} W", lambda d: f"{watts(d.power_at(d.now))} W"),
        leaf("Current Power Limit", lambda d: f"{watts(d.state.power_limit)} W"),
        leaf("Requested Power Limit", lambda d: f"{watts(d.state.power_limit)} W"),
        leaf("Default Power Limit", lambda d: f"{watts(d.product.power_limit)} W"),
        leaf("Min Power Limit", lambda d: f"{watts(d.product.power_limit_min)} W"),
        leaf("Max Power Limit", lambda d: f"{watts(d.product.power_limit)} W"),
        displays="POWER",
    ),
    *POWER_SAMPLES,
    group("GPU Memory Power Readings ", *_draw(_memory_draw), displays="POWER", since=MEMORY_POWER_FROM),
    group("Module Power Readings", *_draw(), *_NO_MODULE, displays="POWER"),
    leaf("Power Smoothing", lambda d: architecture(d.product).power_smoothing, "POWER_SMOOTHING", since=BLOCKS_OF_570),
    group(
        "Workload Power Profiles",
        leaf("Requested Profiles"),
        leaf("Enforced Profiles"),
        displays="POWER_PROFILES",
        since=BLOCKS_OF_570,
    ),
    leaf("EDPp Multiplier", lambda d: "100.00%", since=BLOCKS_OF_590),
)

_CLOCKS: tuple[Node, ...] = (
    group(
        "Clocks",
        leaf("Graphics", lambda d: f"{d.sm_clock} MHz"),
        leaf("SM", lambda d: f"{d.sm_clock} MHz"),
        leaf("Memory", lambda d: f"{d.product.clock_memory} MHz"),
        leaf("Video", lambda d: f"{d.video_clock} MHz"),
        displays="CLOCK",
    ),
    *(
        group(
            title,
            leaf("Graphics", _application(graphics)),
            leaf("Memory", _application(lambda d: d.product.clock_memory)),
            displays="CLOCK",
        )
        for title, graphics in (
            ("Applications Clocks", lambda d: d.application_clock),
            ("Default Applications Clocks", lambda d: d.product.clock_graphics_max),
        )
    ),
    group("Deferred Clocks", leaf("Memory"), displays="CLOCK"),
    group(
        "Max Clocks",
        leaf("Graphics", lambda d: f"{d.product.clock_graphics_max} MHz"),
        leaf("SM", lambda d: f"{d.product.clock_graphics_max} MHz"),
        leaf("Memory", lambda d: f"{d.product.clock_memory} MHz"),
        leaf("Video", lambda d: f"{d.product.clock_video_max} MHz"),
        displays="CLOCK",
    ),
    group(
        "Max Customer Boost Clocks",
        leaf("Graphics", lambda d: f"{d.product.clock_graphics_max} MHz"),
        displays="CLOCK",
    ),
    *CLOCK_SAMPLES,
    group("Clock Policy", leaf("Auto Boost"), leaf("Auto Boost Default"), displays="CLOCK"),
    Node("Supported Clocks", lines=_supported_clock_lines, displays=frozenset({"SUPPORTED_CLOCKS"}), sampled=True),
)

_FABRIC = group(
    "Fabric",
    leaf("State", fabric.state),
    leaf("Status", fabric.status),
    leaf("CliqueId", fabric.clique, since=BLOCKS_OF_550),
    leaf("ClusterUUID", fabric.cluster, since=BLOCKS_OF_550),
    group(
        "Health",
        leaf("Summary", fabric.summary, since=BLOCKS_OF_580),
        leaf("Bandwidth"),
        leaf("Route Recovery in progress", since=BLOCKS_OF_570),
        leaf("Route Unhealthy", since=BLOCKS_OF_570),
        leaf("Access Timeout Recovery", fabric.access_timeout, since=BLOCKS_OF_570),
        leaf("Incorrect Configuration", since=BLOCKS_OF_580),
        since=BLOCKS_OF_550,
    ),
)

AFTER_ERRORS: tuple[Node, ...] = (
    Node("Temperature", lines=_temperature_lines, displays=frozenset({"TEMPERATURE"})),
    *_POWER,
    *_CLOCKS,
    group("Voltage", leaf("Graphics"), displays="VOLTAGE", until=BLOCKS_OF_580),
    Node("Voltage", parts=(leaf("Graphics"),), displays=frozenset({"VOLTAGE"}), since=BLOCKS_OF_580, sampled=True),
    _FABRIC,
    Node("Processes", lines=_process_lines, displays=frozenset({"PIDS"})),
    Node("Accounted Processes", lines=_accounted_lines, displays=frozenset({"ACCOUNTING"}), sampled=True),
    Node(
        "Supported GPU Target Temp",
        parts=(leaf("GPU Target Temp Min"), leaf("GPU Target Temp Max")),
        displays=frozenset({"SUPPORTED_GPU_TARGET_TEMP"}),
        sampled=True,
    ),
)
