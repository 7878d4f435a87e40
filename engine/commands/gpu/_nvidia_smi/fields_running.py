"""`--query-gpu` fields about how the GPU runs: clocks, memory in use, load, temperature, power, fabric."""

from __future__ import annotations

from collections.abc import Callable

from engine.commands.gpu._nvidia_smi import fabric, reasons
from engine.commands.gpu._nvidia_smi.architectures import architecture
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.fields import Entry, Section, Source, field
from engine.commands.gpu._nvidia_smi.formats import DEPRECATED, active, enabled, hexadecimal, watts

_DEPRECATED = f"[{DEPRECATED}]"

APPLICATIONS_CLOCKS_UNTIL = 590


def _reason(reason: reasons.Reason) -> Source[Device]:
    return lambda device: active(reason.active(device))


def _counter(reason: reasons.Reason) -> Source[Device]:
    return lambda device: device.reason_microseconds(reason.bit)


def _deprecated(_: Device) -> str:
    return _DEPRECATED


def _application(clock: Callable[[Device], int]) -> Source[Device]:
    """An applications clock, which the driver no longer tells from release 590 on."""
    return lambda device: clock(device) if device.release < APPLICATIONS_CLOCKS_UNTIL else _DEPRECATED


def _reason_names(name: str) -> str:
    return f"clocks_event_reasons.{name} clocks_throttle_reasons.{name}"


def _smoothing(owner: str, words: str) -> tuple[Entry[Device], ...]:
    """Power smoothing as one owner of settings has it; Blackwell and later."""
    prefix = f"power_smoothing.{owner}."
    return (
        field(prefix + "secondary_power_floor", f"Secondary floor of {words}.", unit="W"),
        field(prefix + "primary_floor_act_window_multiplier", f"Windows to activation of {words}."),
        field(prefix + "primary_floor_tar_window_multiplier", f"Windows to the target of {words}."),
        field(prefix + "primary_floor_act_offset", f"Activation offset of {words}.", unit="W"),
    )


REASONS: tuple[Entry[Device], ...] = (
    field("fan.speed", "Speed that the board's own fan is told to run at; passive boards have none.", unit="%"),
    field("pstate", "Performance state, P0 (highest) to P12.", lambda d: "P0"),
    Section("clocks_event_reasons", "What holds the clocks back; all inactive means as fast as can be."),
    field(
        _reason_names("supported"),
        "Bits of the reasons that the GPU knows.",
        lambda d: hexadecimal(reasons.SUPPORTED, 16),
    ),
    field(_reason_names("active"), "Bits of the reasons that hold now.", lambda d: hexadecimal(d.reasons, 16)),
    *(field(_reason_names(reason.field), reason.text, _reason(reason)) for reason in reasons.QUERY_ORDER),
    Section("clocks_event_reasons_counters", "For how long each reason has held the clocks back."),
    *(
        field(f"clocks_event_reasons_counters.{reason.field}", reason.text, _counter(reason), "us")
        for reason in reasons.COUNTED
    ),
)

MEMORY: tuple[Entry[Device], ...] = (
    Section("memory", "The board's memory; ECC and the driver keep a part of it."),
    field("memory.total", "All of it.", lambda d: d.product.memory_total, "MiB"),
    field("memory.reserved", "What driver and firmware keep.", lambda d: d.product.memory_reserved, "MiB"),
    field("memory.used", "What clients have allocated.", lambda d: d.memory_used, "MiB"),
    field("memory.free", "What is left.", lambda d: d.memory_free, "MiB"),
    field(
        "compute_mode",
        "How many clients may compute: Default, Exclusive_Process or Prohibited.",
        lambda d: d.state.compute_mode,
    ),
    field("compute_cap", "CUDA compute capability.", lambda d: architecture(d.product).compute_capability),
    Section("utilization", "Share of the last sample period in which a unit was busy; not given under MIG."),
    field("utilization.gpu", "A kernel was running.", lambda d: d.busy(d.load.sm), "%"),
    field("utilization.memory", "Memory was read or written.", lambda d: d.busy(d.load.memory_busy), "%"),
    field("utilization.encoder", "The video encoder worked.", lambda d: d.busy(0), "%"),
    field("utilization.decoder", "The video decoder worked.", lambda d: d.busy(0), "%"),
    field("utilization.jpeg", "The JPEG engine worked.", lambda d: d.busy(0), "%"),
    field("utilization.ofa", "The optical flow engine worked.", lambda d: d.busy(0), "%"),
    Section("encoder.stats", "Video encoder sessions."),
    field("encoder.stats.sessionCount", "How many there are.", lambda d: 0),
    field("encoder.stats.averageFps", "Their frames per second.", lambda d: 0),
    field("encoder.stats.averageLatency", "Their latency, microseconds.", lambda d: 0),
    Section("dramEncryption.mode", "Encryption of the board's memory."),
    field("dramEncryption.mode.current", "The mode in use."),
    field("dramEncryption.mode.pending", "The mode after the next restart."),
)

TEMPERATURE: tuple[Entry[Device], ...] = (
    field("temperature.gpu", "Core temperature, °C.", lambda d: d.temperature),
    field(
        "temperature.gpu.tlimit",
        "°C left to the operating limit.",
        lambda d: d.margin if architecture(d.product).limits_as_margins else None,
    ),
    field("temperature.memory", "HBM temperature, °C.", lambda d: d.memory_temperature),
)

POWER: tuple[Entry[Device], ...] = (
    field("power.management", "No longer given.", _deprecated),
    field("power.draw", "Power draw; a mean over one second since Ampere.", lambda d: watts(d.power), "W"),
    field(
        "power.draw.average gpu.power.draw.average",
        "Mean power draw of the last second.",
        lambda d: watts(d.power) if architecture(d.product).mean_power else None,
        "W",
    ),
    field(
        "power.draw.instant gpu.power.draw.instant",
        "Last reading of power draw.",
        lambda d: watts(d.power_at(d.now)),
        "W",
    ),
    field("power.limit gpu.power.requested_limit", "Limit asked for.", lambda d: watts(d.state.power_limit), "W"),
    field(
        "enforced.power.limit gpu.power.current_limit",
        "Limit in force, the lowest of all.",
        lambda d: watts(d.state.power_limit),
        "W",
    ),
    field(
        "power.default_limit gpu.power.default_limit",
        "Limit after a driver load.",
        lambda d: watts(d.product.power_limit),
        "W",
    ),
    field(
        "power.min_limit gpu.power.min_limit",
        "Lowest limit that can be set.",
        lambda d: watts(d.product.power_limit_min),
        "W",
    ),
    field(
        "power.max_limit gpu.power.max_limit",
        "Highest limit that can be set.",
        lambda d: watts(d.product.power_limit),
        "W",
    ),
    field("module.power.draw.average", "Mean draw of a module of GPU and CPU.", unit="W"),
    field("module.power.draw.instant", "Last reading of the module's draw.", unit="W"),
    field("module.power.limit module.power.requested_limit", "Module limit asked for.", unit="W"),
    field("module.enforced.power.limit module.power.current_limit", "Module limit in force.", unit="W"),
    field("module.power.default_limit", "Module limit after a driver load.", unit="W"),
    field("module.power.min_limit", "Lowest module limit.", unit="W"),
    field("module.power.max_limit", "Highest module limit.", unit="W"),
    field("power_smoothing.delayed_power_smoothing_supported", "Whether smoothing can start late."),
    field("power_smoothing.primary_power_floor", "Primary floor of power smoothing.", unit="W"),
    field("power_smoothing.secondary_power_floor", "Secondary floor.", unit="W"),
    field(
        "power_smoothing.min_primary_floor_activation_offset",
        "Least offset at which the primary floor starts.",
        unit="W",
    ),
    field(
        "power_smoothing.min_primary_floor_activation_point", "Least point at which the primary floor starts.", unit="W"
    ),
    field("power_smoothing.window_multiplier", "Length of a window.", unit="ms"),
    *_smoothing("curr_profile", "the current profile"),
    *_smoothing("admin_override", "the administrator"),
    field("edpp_multiplier", "Share of the peak power budget in use.", lambda d: "100.00", "%"),
)

CLOCKS: tuple[Entry[Device], ...] = (
    field("clocks.current.graphics clocks.gr", "Graphics clock.", lambda d: d.sm_clock, "MHz"),
    field("clocks.current.sm clocks.sm", "SM clock.", lambda d: d.sm_clock, "MHz"),
    field("clocks.current.memory clocks.mem", "Memory clock.", lambda d: d.product.clock_memory, "MHz"),
    field("clocks.current.video clocks.video", "Video engine clock.", lambda d: d.video_clock, "MHz"),
    Section("clocks.applications", "Clocks asked for while something runs; no longer given."),
    field(
        "clocks.applications.graphics clocks.applications.gr",
        "Graphics clock asked for.",
        _application(lambda d: d.application_clock),
        "MHz",
    ),
    field(
        "clocks.applications.memory clocks.applications.mem",
        "Memory clock asked for.",
        _application(lambda d: d.product.clock_memory),
        "MHz",
    ),
    Section("clocks.default_applications", "Their defaults; no longer given."),
    field(
        "clocks.default_applications.graphics clocks.default_applications.gr",
        "Default graphics clock.",
        _application(lambda d: d.product.clock_graphics_max),
        "MHz",
    ),
    field(
        "clocks.default_applications.memory clocks.default_applications.mem",
        "Default memory clock.",
        _application(lambda d: d.product.clock_memory),
        "MHz",
    ),
    Section("clocks.max", "The highest clocks that the design allows."),
    field(
        "clocks.max.graphics clocks.max.gr", "Highest graphics clock.", lambda d: d.product.clock_graphics_max, "MHz"
    ),
    field("clocks.max.sm clocks.max.sm", "Highest SM clock.", lambda d: d.product.clock_graphics_max, "MHz"),
    field("clocks.max.memory clocks.max.mem", "Highest memory clock.", lambda d: d.product.clock_memory, "MHz"),
)

FEATURES: tuple[Entry[Device], ...] = (
    Section("mig.mode", "Multi-Instance GPU; a change needs a reset."),
    field("mig.mode.current", "The mode in use.", lambda d: enabled(d.state.mig_enabled)),
    field("mig.mode.pending", "The mode after a reset.", lambda d: enabled(d.state.mig_pending)),
    Section("gsp.mode", "Whether the driver runs on the GPU's own system processor."),
    field("gsp.mode.current", "The mode in use.", lambda d: "Enabled"),
    field("gsp.mode.default", "The default.", lambda d: "Enabled"),
    field(
        "c2c.mode", "Whether a chip-to-chip link to the CPU is in use.", lambda d: architecture(d.product).chip_to_chip
    ),
    Section("protected_memory", "Memory protected by confidential computing."),
    field("protected_memory.total", "All of it.", lambda d: 0, "MiB"),
    field("protected_memory.used", "What clients have allocated.", lambda d: 0, "MiB"),
    field("protected_memory.free", "What is left.", lambda d: 0, "MiB"),
    field("fabric.state", "How far registration with the NVLink fabric has come.", fabric.state),
    field("fabric.status", "How registration ended.", fabric.status),
    field("fabric.cliqueId", "The group of GPUs that reach each other over NVLink.", fabric.clique),
    field("fabric.clusterUuid", "The NVLink cluster of several nodes.", fabric.cluster),
    field("fabric.health.summary", "Health of the fabric as a whole.", lambda d: fabric.summary(d) or "N/A"),
    field("fabric.health.bandwidth", "Whether bandwidth is degraded.", lambda d: "N/A"),
    field("fabric.health.route_recovery_in_progress", "Whether routes are being repaired.", lambda d: "N/A"),
    field("fabric.health.route_unhealthy", "Whether a repair of routes failed.", lambda d: "N/A"),
    field(
        "fabric.health.access_timeout_recovery",
        "Whether an access timeout is being repaired.",
        lambda d: fabric.access_timeout(d) or "N/A",
    ),
    field("fabric.health.incorrect_configuration", "What is wrong with the configuration.", lambda d: "N/A"),
)
