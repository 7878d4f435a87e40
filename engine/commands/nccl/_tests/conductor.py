"""The first process of an nccl-tests run: it lets the time of everything pass, and prints the table.

Source: NVIDIA/nccl-tests 2.17.6 src/common.cu (run, TimeTest, BenchTime), whose line numbers the errors name. Times:
a row takes two sides of (1 + iterations + checks) calls and the checks' own work (the checking rate is a guess).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.commands.linux._support.clock import shown
from engine.commands.nccl._tests import json_file, model, report, rows, seats
from engine.commands.nccl._tests.party import BY_NCCL, Party
from engine.commands.nccl._tests.report import DeviceLine, Measured
from engine.commands.nccl._tests.rows import Series
from engine.control import communicators
from engine.kernel.units import MICROSECOND, MILLISECOND, SECOND
from engine.physics.load import bound_gpus
from engine.workloads.gpu_copies import local_rate

if TYPE_CHECKING:
    from engine.workloads.nccl import CollectiveFailed, Communicator

_STARTS, _STARTS_WITH_OTHERS = 900 * MILLISECOND, 1_400 * MILLISECOND
_LOOK = 1 * SECOND
_MOMENT = 1  # ns: the others notice what has changed when time passes
_CHECKED_PER_SECOND = 500e9  # bytes: filling buffers, computing what is expected, comparing (a guess)
_NOTHING_TO_DO = 0.26  # us of a call with no bytes (captures: 0.24 to 0.30)
_LAUNCH = 4.5  # us of host time for each GPU of a process (a guess); one rank alone only copies, in place not even that
_OUT_OF_MEMORY = "NCCL|unhandled cuda error (run with NCCL_DEBUG=INFO for details) / Cuda failure 2 'out of memory'"
_HAS_FP8 = ("Hopper", "Blackwell")
BELOW_LEAST = 7
_ASYNCHRONOUS, _TIMED_OUT, _UNIQUE_ID = "common.cu:430", "common.cu:442", "common.cu:1284"
_NO_INTERFACE = "interface"
_FROM_THE_CALL = ("memory", "address", "disagree", "algorithm")
"""Reasons of the NCCL model: what fails when the ranks connect, so that the call itself returns it."""


@dataclass(slots=True)
class Stopped(Exception):
    """The process ends here with `status`; what it says has been printed."""

    status: int


@dataclass(slots=True)
class Total:
    """Bus bandwidths so far, and how often a check found something wrong."""

    sum: float = 0.0
    count: int = 0
    wrong: int = 0


class Conductor:
    """The run as its first process sees it."""

    def __init__(self, party: Party) -> None:
        self.party, self.ctx = party, party.ctx
        self.asked, self.settings = party.asked, party.settings
        self.total = Total()
        self.record = json_file.Record(party.ctx, party.asked)
        self._come = 0
        self._made: Communicator | None = None
        self._known: tuple[tuple[int, int], Communicator] | None = None

    async def conduct(self) -> int:
        """The whole run. Returns the exit status."""
        try:
            await self._gather()
            await self._introduce()
            await self._connect()
            for line in report.columns(self.settings):
                self.ctx.line(line)
            if self._made is not None and self.party.listens():
                self.party.say_connecting(self._made)
            await self._measure()
            return self._conclude()
        except Stopped as stopped:
            self.record.finish()
            return stopped.status

    # ---- before the table

    async def _gather(self) -> None:
        """MPI_Init: everybody comes."""
        await self.ctx.clock.sleep(0)
        while len(self.party.meeting.members) < self.party.seat.size:
            await self._pass(100 * MILLISECOND)
        self._come = self.party.seat.size
        self.record.open()
        await self._pass(_STARTS if self.party.seat.size == 1 else _STARTS_WITH_OTHERS)

    async def _introduce(self) -> None:
        """The header and the devices, unless a process has none."""
        for line in report.header(self.party.operation.program, self.asked, self.ctx.inventory.software["nccl"]):
            self.ctx.line(line)
        await self._proceed(communicators.CONNECTING)
        if self.party.devices.status:
            raise Stopped(self.party.refuse())
        while any(not each.gpus for each in self.party.meeting.members):
            await self._pass(_LOOK)
        devices = self._device_lines()
        for device in devices:
            self.ctx.line(device.text())
        self.record.configuration(devices)
        if self.settings.maxbytes < self.asked.maxbytes:
            self.ctx.line("#")
            self.ctx.line(f"# Reducing maxBytes to {self.settings.maxbytes} due to memory limitation")

    def _device_lines(self) -> list[DeviceLine]:
        world, found, on_host = self.ctx.world, [], dict[str, int]()
        given = self.ctx.environment.get("NCCL_TESTS_DEVICE")
        count = self.settings.gpus_per_process
        for each in self.party.meeting.members:
            local = on_host.get(each.host, 0)
            on_host[each.host] = local + 1
            first = local * count if given is None else self.party.devices.first
            gpus = bound_gpus(world, each.host)
            for place, index in enumerate(each.gpus):
                gpu, number = gpus[index], each.rank * count + place
                address, name = gpu.address.rpartition(".")[0], gpu.product.name
                found.append(DeviceLine(number, each.pid, each.host.partition(".")[0], first + place, address, name))
        return found

    async def _connect(self) -> None:
        """NCCL initialises, and the buffers are allocated."""
        from engine.workloads.nccl import CollectiveFailed

        place = ("common.cu:209", "common.cu:1356", "common.cu:1188")
        room = min(seats.free_mib(self.ctx, gpu, self.party.pid) for gpu in self.party.devices.gpus)
        if room < seats.INITIAL_MIB:
            await self._fail(_OUT_OF_MEMORY, place, 3, SECOND)
        try:
            communicator = model.connect(self.ctx.world, self.party.meeting, self.ctx.now)
        except CollectiveFailed as failed:
            await self._collective_failed(failed, place)
            return await self._connect()
        await self._pass(communicator.initialization)
        if self.party.listens():
            self.party.say_nccl(communicator)
        self._made = communicator
        if room < seats.INITIAL_MIB + seats.buffers_mib(self.settings):
            places = ("common.cu:889", "common.cu:1372", "common.cu:1188")
            await self._fail(_OUT_OF_MEMORY, places, 3, 0)
        await self._proceed(communicators.WORKING, self._flows(communicator))

    def _flows(self, communicator: Communicator) -> tuple[tuple[str, str, int, int, int], ...]:
        """What the collective sends over the network; nothing where it will fail."""
        from engine.workloads.nccl import CollectiveFailed

        try:
            demands = communicator.demands(self.party.operation.name)
        except CollectiveFailed:
            return ()
        return tuple((each.source, each.destination, each.rate, each.key_index, each.dscp) for each in demands)

    # ---- the table

    async def _measure(self) -> None:
        operation, settings = self.party.operation, self.settings
        ranks = len(model.ranks(self.ctx.world, self.party.meeting))
        if operation.name == "hypercube" and ranks & (ranks - 1):
            self.ctx.line(f"nRanks {ranks} is not a power of 2, skipping")
            return
        fp8 = all(gpu.product.architecture in _HAS_FP8 for gpu in self.party.devices.gpus)
        for each in rows.series(operation, settings, ranks, fp8=fp8):
            await self._series(each, ranks)

    async def _series(self, each: Series, ranks: int) -> None:
        """One call of TimeTest: warm-up and rows."""
        warm_up = 0.0
        for size in rows.warm_up_sizes(self.settings):
            time = await self._time(size, each, ranks, (_ASYNCHRONOUS, "common.cu:548", "common.cu:724"))
            warm_up += time * self.settings.warmup_iters
        await self._pass(round(warm_up * MICROSECOND))
        cycle = 0
        while True:
            for size in rows.sizes(self.settings):
                await self._row(size, each, ranks)
            cycle += 1
            if cycle == self.settings.run_cycles:
                return

    async def _row(self, size: int, each: Series, ranks: int) -> None:
        sent, received, parameter = self.party.operation.counts(size, each.element, ranks)
        shown_size = max(sent, received) * each.element
        self.ctx.write(report.row_start(shown_size, parameter, each.datatype, each.reduction, each.root))
        place = (_ASYNCHRONOUS, "common.cu:548", "common.cu:561", "common.cu:733")
        time = await self._time(size, each, ranks, place)
        times = (time, _NOTHING_TO_DO if ranks == 1 else time)
        sides = [self._side(times[number], parameter, each, ranks, shown_size, number) for number in (0, 1)]
        calls = 1 + self.settings.iters * self.settings.agg_iters * max(self.settings.cudagraph, 1)
        calls += self.settings.check
        spoken = self._tuning(shown_size) * calls
        checking = (1 + self.settings.check) * shown_size / _CHECKED_PER_SECOND if self.settings.check else 0.0
        await self._pass(2 * round(time * calls * MICROSECOND + checking * SECOND))
        text = "".join(spoken + report.side(measured) for measured in sides)
        if self.settings.report_timestamps:
            text += f"{shown(self.ctx, self.ctx.epoch, report.TIME_FORMAT):>21}"
        self.ctx.line(text)
        self.record.row((shown_size, parameter, each.datatype, each.reduction, each.root), sides)
        for measured in sides:
            self.total.sum += measured.bus
            self.total.count += 1
            self.total.wrong += bool(measured.wrong)
        self._go_astray(shown_size)

    def _tuning(self, size: int) -> str:
        """What NCCL says of each call, where that is asked for: amid the row, which ends later."""
        if size == 0 or self._made is None or not self.party.listens():
            return ""
        return "".join(f"{line}\n" for line in self._communicator().tuning(self.party.operation.name, size))

    def _side(self, time: float, parameter: int, each: Series, ranks: int, size: int, number: int) -> Measured:
        words = " ".join(
            (self.party.operation.program, *self.ctx.arguments, each.datatype, each.reduction, str(each.root))
        )
        hosts = ",".join(dict.fromkeys(member.host for member in self.party.meeting.members))
        measured = time * model.noise(self.ctx.world.seed, words, hosts, size, number)
        algorithm = self.party.operation.moved(parameter, each.element, ranks) / 1000 / measured
        wrong = self._wrong(parameter, number) if self.settings.check else None
        bus = algorithm * self.party.operation.factor(ranks)
        if self.settings.report_cputime:
            measured = min(measured, _LAUNCH * self.settings.ngpus)
        return Measured(measured, algorithm, bus, wrong)

    def _wrong(self, elements: int, side: int) -> int:
        """How many elements a check of one side of a row finds wrong."""
        from engine.workloads.nccl import chunks

        return chunks.wrong_elements(self._made, self.party.operation.name, elements, side) if self._made else 0

    def _go_astray(self, size: int) -> None:
        """Where results are wrong, kernels also reach for memory that is not there, if messages are large."""
        from engine.workloads.nccl import chunks

        if self._made and size >= chunks.FAULTS_FROM and chunks.unsafe(self._made, self.party.operation.name):
            members = self.party.meeting.members
            hosts, pids = tuple(each.host for each in members), tuple(each.pid for each in members)
            self.ctx.simulation.apply(chunks.AccessAstray(hosts, pids))

    async def _time(self, size: int, each: Series, ranks: int, place: tuple[str, ...]) -> float:
        """us of one call, as things are now. Where NCCL fails, so does the run."""
        from engine.workloads.nccl import CollectiveFailed

        sent, received, _ = self.party.operation.counts(size, each.element, ranks)
        moved = max(sent, received) * each.element
        if moved == 0:
            return _NOTHING_TO_DO
        if ranks == 1:
            return _LAUNCH + moved / 1000 / local_rate(self.ctx.world, self.party.devices.gpus[0])
        while True:
            try:
                return self._communicator().timing(self.party.operation.name, moved).microseconds
            except CollectiveFailed as failed:
                await self._collective_failed(failed, (*place, *self.party.calls))

    def _communicator(self) -> Communicator:
        """The communicator as it works now; the same within a second in which nothing changes.

        Raises CollectiveFailed.
        """
        moment = self.ctx.now // SECOND, self.ctx.world.generation
        if self._known is None or self._known[0] != moment:
            share = communicators.share(self.ctx.world, self.party.seat.name)
            self._known = moment, self._become(share)
        return self._known[1]

    def _become(self, share: int) -> Communicator:
        return model.connect(self.ctx.world, self.party.meeting, self.ctx.now, share, before=self._made)

    def _conclude(self) -> int:
        """The footer; the run is over."""
        average = self.total.sum / self.total.count if self.total.count else float("nan")
        given = self.ctx.environment.get("NCCL_TESTS_MIN_BW")
        least = None if given is None else _atof(given)
        memory: list[tuple[str, int]] = []
        if self.settings.memory_report:
            buffers = seats.buffers_mib(self.settings) << 20
            memory = [("Initialization", seats.INITIAL_MIB << 20), ("User-Allocated", buffers), ("Collective", 0)]
        for line in report.footer(self.party.operation.program, average, least, memory, self.total.wrong):
            self.ctx.line(line)
        self.record.results(average, least, self.total.wrong)
        self.record.finish()
        if least is not None and average < least * 0.9:
            self.ctx.simulation.apply(communicators.Fail(self.party.seat.name, ("common.cu:1188",), "", BELOW_LEAST))
            return self.party.fail() or BELOW_LEAST
        self.ctx.simulation.apply(communicators.Finish(self.party.seat.name))
        return int(self.total.wrong > 0)

    # ---- time and trouble

    async def _proceed(self, stage: str, flows: tuple[tuple[str, str, int, int, int], ...] = ()) -> None:
        self.ctx.simulation.apply(communicators.Proceed(self.party.seat.name, stage, flows))
        await self._pass(_MOMENT)

    async def _pass(self, duration: int) -> None:
        """Let time pass. Raises Stopped if this process is ended meanwhile; a lost partner makes it wait for ever."""
        await self.ctx.flush()
        await self._until_trouble(duration)
        while self._in_trouble():
            if not self.party.is_there():
                raise Stopped(await self.party.lost_status())
            await self._until_trouble(_LOOK, others=False)

    def _in_trouble(self) -> bool:
        members = self.party.meeting.members
        return not self.party.is_there() or len(members) < self._come or any(each.lost for each in members)

    async def _until_trouble(self, duration: int, *, others: bool = True) -> None:
        """At most `duration`; less when this process (or with `others` any) ends."""
        condition = self._in_trouble if others else lambda: not self.party.is_there()
        if condition():
            return
        watch = asyncio.ensure_future(self.ctx.clock.until(condition))
        timer = asyncio.ensure_future(self.ctx.clock.sleep(duration))
        try:
            await asyncio.wait({watch, timer}, return_when=asyncio.FIRST_COMPLETED)
            if not watch.done():
                timer.result()
        finally:
            for task in (watch, timer):
                task.cancel()
            await asyncio.gather(watch, timer, return_exceptions=True)

    async def _collective_failed(self, failed: CollectiveFailed, places: tuple[str, ...]) -> None:
        """NCCL gives an error after its time, or nothing ever comes back; then this returns, to look again."""
        limit = self.settings.timeout * SECOND
        if limit > 0 and (failed.hangs or failed.after > limit) and places[0] == _ASYNCHRONOUS:
            await self._fail(f"timeout|{self.settings.timeout}", (_TIMED_OUT, *places[1:]), 4, limit)
        if failed.hangs:
            await self._pass(_LOOK)
        else:
            errors = model.errors_of(self.ctx.world, self.party.meeting, self.ctx.now, failed, self._made)
            if failed.reason in _FROM_THE_CALL and places[0] == _ASYNCHRONOUS:
                places = (*self._call(), "common.cu:722", *self.party.calls)
            if failed.reason == _NO_INTERFACE and 0 in failed.culprits:
                # ncclGetUniqueId fails in the first process; the others wait for what it would tell them.
                places, errors = (_UNIQUE_ID, places[-1]), errors[:1]
            await self._fail(BY_NCCL, places, 3, failed.after, errors)

    def _call(self) -> tuple[str, ...]:
        """Where the program calls NCCL: in the test, or at the end of a group for several GPUs of a thread."""
        if self.settings.ngpus > 1:
            return ("common.cu:535",)
        operation = self.party.operation
        return (f"{operation.source}:{operation.library}", "common.cu:513")

    async def _fail(
        self,
        reason: str,
        places: tuple[str, ...],
        status: int,
        after: int,
        errors: tuple[tuple[int, str, str, tuple[str, ...]], ...] = (),
    ) -> None:
        """The error comes after so long, to the processes that notice it. Raises Stopped."""
        await self._pass(after)
        self.ctx.simulation.apply(communicators.Fail(self.party.seat.name, places, reason, status, errors))
        ended = self.party.fail()
        await self.ctx.sleep(_MOMENT)
        while ended is None:
            await self._pass(_LOOK)
        raise Stopped(ended)


def _atof(text: str) -> float:
    """The number at the beginning of a text as C's atof reads it."""
    for end in range(len(text), 0, -1):
        try:
            return float(text[:end])
        except ValueError:
            continue
    return 0.0
