"""What a test case of nvbandwidth measures, cell by cell, as the world is at that moment: samples, the figure made of
them, and how long they take.

A cell is one measurement, of one copy or of several that run at once; what is shown of several is the first's figure,
their sum, or each of both. Latency is measured once. Times besides the copies (buffers, checking) are guesses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.commands.cuda._nvbandwidth.testcases import Kind, TestCase
from engine.kernel.units import MIB, MILLISECOND
from engine.workloads import gpu_copies
from engine.world.inventory import Gpu
from engine.world.world import World

_WARM_UP = 4
_PINNING_PER_MIB, _CHECKING_PER_MIB, _BUFFERS = MILLISECOND // 4, MILLISECOND // 10, 20 * MILLISECOND
_ACCESSES = 1_000_000
_CHAIN = 1_300 * MILLISECOND
_LATENCY_SPREAD_PPM = 4_000


@dataclass(frozen=True, slots=True)
class Plan:
    """How to measure: MiB of a buffer, samples of a cell, copies of a sample, whether results are means (or medians),
    whether data is checked, and where host memory comes from.
    """

    buffer: int
    samples: int
    copies: int
    mean: bool
    checks: bool
    memory: gpu_copies.Memory


@dataclass(frozen=True, slots=True)
class Stream:
    """One of the copies of a cell: `Host` or `Device 3` at both ends, GB/s without noise, and its place."""

    source: str
    destination: str
    rate: float


@dataclass(frozen=True, slots=True)
class Cell:
    """A measurement: where it stands, the GPUs that work, figures to show (one, or one for each direction and their
    sum), lines of verbose output, ns that it took.
    """

    row: int
    column: int
    gpus: tuple[Gpu, ...]
    values: tuple[float, ...]
    lines: tuple[str, ...]
    duration: int


@dataclass(frozen=True, slots=True)
class Measurement:
    """A test case on GPUs, as process `process` measures it."""

    world: World
    case: TestCase
    gpus: Sequence[Gpu]
    plan: Plan
    process: int

    @property
    def rows(self) -> int:
        """Rows of the matrix: one where the row is the host, or everything at once."""
        return len(self.gpus) if self.case.kind in (Kind.PEER, Kind.PEER_BOTH_WAYS, Kind.PEER_LATENCY) else 1

    def places(self) -> Iterator[tuple[int, int]]:
        """Rows and columns in the order in which they are measured; those that cannot be are left out."""
        everyone = range(len(self.gpus))
        if self.rows == 1:
            yield from ((0, column) for column in everyone if self._possible(column))
        elif self.case.kind is Kind.PEER_LATENCY:
            yield from ((row, column) for column in everyone for row in everyone if self._joined(row, column))
        else:
            yield from ((row, column) for row in everyone for column in everyone if self._joined(row, column))

    def measure(self, row: int, column: int, time: int) -> Cell:
        """Measure one cell at `time`."""
        if self.case.kind in (Kind.HOST_LATENCY, Kind.PEER_LATENCY):
            return self._latency(row, column)
        streams, gpus = self._streams(row, column, time), self._working(row, column)
        samples = [self._sample(streams, row, column, number) for number in range(self.plan.samples)]
        lines = tuple(line for number, rates in enumerate(samples) for line in self._lines(streams, rates, number))
        figures = [self._figure([rates[index] for rates in samples]) for index in range(len(streams))]
        if self.case.kind is Kind.PEER_BOTH_WAYS:
            values: tuple[float, ...] = (figures[0], figures[1], figures[0] + figures[1])
        elif self.case.kind is Kind.POOL:
            values = (self._figure([sum(rates) for rates in samples]),)
        else:
            values = (figures[0],)
        return Cell(row, column, gpus, values, lines, self._duration(streams))

    def _possible(self, column: int) -> bool:
        return self.case.kind is not Kind.POOL or bool(self._peers(column))

    def _joined(self, row: int, column: int) -> bool:
        return row != column and gpu_copies.can_access(self.world, self.gpus[row], self.gpus[column])

    def _peers(self, column: int) -> list[int]:
        return [other for other in range(len(self.gpus)) if self._joined(column, other)]

    def _working(self, row: int, column: int) -> tuple[Gpu, ...]:
        """The GPUs that take part in a cell."""
        if self.case.kind is Kind.ALL_HOST:
            return tuple(self.gpus)
        if self.case.kind is Kind.POOL:
            return tuple(self.gpus[index] for index in [column, *self._peers(column)])
        return (self.gpus[column],) if self.rows == 1 else (self.gpus[row], self.gpus[column])

    def _streams(self, row: int, column: int, time: int) -> list[Stream]:
        size = self.plan.buffer * MIB
        if self.case.kind is Kind.POOL:
            return self._pool(column, time)
        if self.case.kind is Kind.PEER:
            ends = (f"Device {row}", f"Device {column}")
            rate = gpu_copies.peer_rate(self.world, self.gpus[row], self.gpus[column], self.case.manner, time=time)
            return [self._stream(*ends, gpu_copies.with_gaps(rate, size))]
        if self.case.kind is Kind.PEER_BOTH_WAYS:
            pair = self.gpus[row], self.gpus[column]
            rate = gpu_copies.peer_rate_both_ways(self.world, *pair, self.case.manner, time=time)
            rate = gpu_copies.with_gaps(rate, size)
            here, there = (f"Device {row}", f"Device {column}")
            return [self._stream(here, there, rate), self._stream(there, here, rate)]
        if self.case.kind is Kind.LOCAL:
            rate = gpu_copies.with_gaps(gpu_copies.local_rate(self.world, self.gpus[column]), size)
            return [Stream(f"Device {column}", f"Device {column}", rate)]
        return self._with_host(column, time)

    def _stream(self, row: str, column: str, rate: float) -> Stream:
        """A copy between two GPUs: a read brings the column's data to the row."""
        return Stream(column, row, rate) if self.case.read else Stream(row, column, rate)

    def _with_host(self, column: int, time: int) -> list[Stream]:
        """Copies between GPUs and the host: the measured one first, then those that disturb it."""
        everyone = range(len(self.gpus)) if self.case.kind is Kind.ALL_HOST else (column,)
        streams = []
        for index in [column, *(other for other in everyone if other != column)]:
            rate = gpu_copies.with_gaps(self._host_rate(index, time), self.plan.buffer * MIB)
            ends = ("Host", f"Device {index}") if self.case.inward else (f"Device {index}", "Host")
            streams.append(Stream(*ends, rate))
            if self.case.both:
                streams.append(Stream(ends[1], ends[0], rate))
        return streams

    def _host_rate(self, index: int, time: int) -> float:
        gpu = self.gpus[index]
        return gpu_copies.host_rate(
            self.world,
            gpu,
            self.case.manner,
            beside=gpu_copies.is_near(self.world, gpu, self.plan.memory, self.process),
            time=time,
            together=self.gpus if self.case.kind is Kind.ALL_HOST else (),
        )

    def _pool(self, column: int, time: int) -> list[Stream]:
        peers = self._peers(column)
        others = [self.gpus[index] for index in peers]
        rate = gpu_copies.pooled_rate(self.world, self.gpus[column], others, self.case.manner, time=time)
        part = gpu_copies.with_gaps(rate / len(peers), self.plan.buffer * MIB)
        here = f"Device {column}"
        ends = [(f"Device {peer}", here) if self.case.inward else (here, f"Device {peer}") for peer in peers]
        return [Stream(*pair, part) for pair in ends]

    def _sample(self, streams: Sequence[Stream], row: int, column: int, number: int) -> list[float]:
        name = (self.world.seed, self.gpus[0].node, self.process, self.case.name, row, column, number)
        return [gpu_copies.sampled(stream.rate, *name, index) for index, stream in enumerate(streams)]

    def _figure(self, samples: Sequence[float]) -> float:
        if not samples:
            return 0.0
        if self.plan.mean:
            return sum(samples) / len(samples)
        ordered, middle = sorted(samples), len(samples) // 2
        return ordered[middle] if len(samples) % 2 else (ordered[middle] + ordered[middle - 1]) / 2

    def _lines(self, streams: Sequence[Stream], rates: Sequence[float], number: int) -> Iterator[str]:
        for stream, rate in zip(streams, rates, strict=True):
            yield f"\tSample {number}: {stream.source} -> {stream.destination}: {rate:.2f} GB/s"
        if self.case.kind is Kind.POOL:
            yield f"\tSample {number}: Total Bandwidth : {sum(rates):.2f} GB/s"

    def _duration(self, streams: Sequence[Stream]) -> int:
        slowest = min(stream.rate for stream in streams)
        copying = int(self.plan.buffer * MIB / slowest * (self.plan.copies + _WARM_UP)) if slowest > 0 else 0
        checking = self.plan.buffer * _CHECKING_PER_MIB if self.plan.checks else 0
        host = self.case.kind in (Kind.HOST, Kind.ALL_HOST)
        buffers = _BUFFERS + (self.plan.buffer * _PINNING_PER_MIB * len(streams) if host else 0)
        return buffers + self.plan.samples * (copying + checking)

    def _latency(self, row: int, column: int) -> Cell:
        gpu = self.gpus[column]
        if self.case.kind is Kind.HOST_LATENCY:
            mean = gpu_copies.host_latency(gpu_copies.is_near(self.world, gpu, self.plan.memory, self.process))
        else:
            mean = gpu_copies.peer_latency()
        name = (self.world.seed, gpu.node, self.process, self.case.name, row, column)
        value = gpu_copies.sampled(mean, *name, spread_ppm=_LATENCY_SPREAD_PPM)
        took = int(value * _ACCESSES) + (_CHAIN if row in (0, 1) and self.rows > 1 else 0)
        return Cell(row, column, self._working(row, column), (value,), (), took)
