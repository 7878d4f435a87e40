"""The sample blocks that `-q -d POWER`, `UTILIZATION` and `CLOCK` add: how a reading went in the last seconds.

Lines: outputs of drivers 455 and 535 (power: about 119 samples within 2.4 s; utilisation 99, clocks 100). The readings
are those that the model gives for the moments of the samples. That JPEG and OFA have samples too is a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.commands.gpu._nvidia_smi.devices import Device, sample_times
from engine.commands.gpu._nvidia_smi.formats import watts
from engine.commands.gpu._nvidia_smi.report import Line, Node
from engine.kernel.units import MILLISECOND, SECOND
from engine.physics import thermal
from engine.world.records import GpuLoad

Reading = Callable[[Device, int], int]


def _block(title: str, display: str, reading: Reading, count: int, step: int, show: Callable[[int], str]) -> Node:
    """A block of `count` samples taken every `step` ns."""

    def lines(device: Device) -> Iterator[Line]:
        values = [reading(device, time) for time in sample_times(device.now, count, step)]
        yield Line(1, title)
        yield Line(2, "Duration", f"{_seconds(step * (count - 1))} sec")
        yield Line(2, "Number of Samples", str(count))
        yield Line(2, "Max", show(max(values)))
        yield Line(2, "Min", show(min(values)))
        yield Line(2, "Avg", show(sum(values) // count))

    return Node(title, lines=lines, displays=frozenset({display}), sampled=True)


def _seconds(duration: int) -> str:
    hundredths = duration * 100 // SECOND
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def _load_at(device: Device, time: int) -> GpuLoad:
    """What ran on the GPU at a moment."""
    return thermal.regime_at(device.world, device.gpu.id, time).load


def _percent(value: int) -> str:
    return f"{value} %"


def _megahertz(value: int) -> str:
    return f"{value} MHz"


UTILIZATION_SAMPLES = tuple(
    _block(f"{unit} Utilization Samples", "UTILIZATION", reading, 99, 200 * MILLISECOND, _percent)
    for unit, reading in (
        ("GPU", lambda device, time: _load_at(device, time).sm),
        ("Memory", lambda device, time: _load_at(device, time).memory_busy),
        *((unit, lambda device, time: 0) for unit in ("ENC", "DEC", "JPEG", "OFA")),
    )
)

POWER_SAMPLES = (
    _block(
        "Power Samples",
        "POWER",
        lambda device, time: device.power_at(time),
        119,
        20 * MILLISECOND,
        lambda value: f"{watts(value)} W",
    ),
)

CLOCK_SAMPLES = tuple(
    _block(f"{name} Clock Samples", "CLOCK", reading, 100, 100 * MILLISECOND, _megahertz)
    for name, reading in (
        ("SM", lambda device, time: device.sm_clock_at(time)),
        ("Memory", lambda device, time: device.product.clock_memory),
    )
)
