"""The test itself: messages flow for their time, rows appear one after another, both ends say goodbye.

The client measures and tells the server, which prints what the real one prints: its last row for one-sided verbs, every
row where it takes part. While it runs, what is sent is in the traffic model, so ports count it, and what other traffic
leaves is what it gets. A queue pair that gets no answer gives up with status 12 after its retries (four times the
timeout for each, within what the InfiniBand specification allows: a guess); syndromes 0x81 and 0x88 are mlx5's for lost
answers and refused memory.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from typing import Any

from engine.commands.context import Context
from engine.commands.linux._support import paths, talking
from engine.commands.perftest._program import tables
from engine.commands.perftest._program.device import Failed
from engine.commands.perftest._program.kinds import READ, SEND, Kind
from engine.commands.perftest._program.meeting import Gap, Joined
from engine.commands.perftest._program.options import RULE, Settings
from engine.commands.perftest._program.tables import Rate
from engine.kernel.random import hash64
from engine.kernel.units import MICROSECOND, SECOND
from engine.physics import links
from engine.physics.traffic import exchange
from engine.workloads import perftest, streams
from engine.workloads.perftest import WHOLE, Route, Sending, Spread
from engine.workloads.rdma_route import End, route
from engine.world.records import Flow, ServiceClass

_LOST, _REFUSED = (12, 0x81), (10, 0x88)
_TIMEOUT_NS = 4096
_TOLERANCE = 4
_ABORTED = " Failed to complete run_iter_bw function successfully"


class Measuring:
    """One run between two ends that have met."""

    def __init__(
        self, ctx: Context, kind: Kind, settings: Settings, pid: int, talk: talking.Talk, joined: Joined
    ) -> None:
        self.ctx, self.kind, self.settings, self.pid = ctx, kind, settings, pid
        self.talk, self.joined = talk, joined
        self.best = (0.0, 0.0)
        self._conflict = None if settings.CPU_freq else _conflicting_clocks(paths.read_or(ctx, "/proc/cpuinfo"))

    async def run(self) -> int:
        """This end's part, to its exit status. Raises Failed."""
        if not self.settings.client:
            return await self._serve()
        if self.settings.run_infinitely:
            await self._without_end()
        else:
            for size in self._sizes():
                row = await (self._rate(size) if self.kind.bandwidth else self._latency(size))
                self.talk.say(json.dumps(row, sort_keys=True))
        if self.settings.full:
            self.ctx.line(RULE)
        self.talk.say(json.dumps({"end": True}))
        await self.talk.hear()
        self.talk.close()
        return self._below_limits()

    def _sizes(self) -> list[int]:
        if not self.settings.all:
            return [self.settings.size]
        most = self.joined.packet if self.settings.connection == "UD" else 1 << 23
        return [1 << power for power in range(1, 24) if 1 << power <= most]

    # --- the server -------------------------------------------------------------------------------------------------

    async def _serve(self) -> int:
        """Print what the client tells. Where it has gone without a word, either fail or wait on, as the verb does."""
        takes_part = self.kind.verb == SEND or self.settings.bidirectional or not self.kind.bandwidth
        last: dict[str, Any] | None = None
        while (message := await self._next()) is not None and "end" not in message:
            last = message
            if (takes_part and self.kind.verb != READ) or self.settings.bidirectional:
                self._show(message)
        if message is None:
            if takes_part and self.kind.verb != READ:
                await talking.wait_for(self.ctx, self.pid, lambda: False)
            reason = "ethernet_read_keys: Couldn't read remote address"
            raise Failed(
                reason, " Unable to read to socket/rdma_cm", " Failed to exchange data between server and clients"
            )
        if last and not takes_part:
            self._show(last)
        if self.settings.full:
            self.ctx.line(RULE)
        await self.ctx.flush()
        self.talk.say(json.dumps({"end": True}))
        self.talk.close()
        return 0

    async def _next(self) -> dict[str, Any] | None:
        text = await self.talk.hear()
        return None if text is None else json.loads(text)

    def _show(self, row: dict[str, Any]) -> None:
        """A row that the client measured, as this end sees it."""
        if "peak" in row:
            self.ctx.line(tables.rate_row(self.settings, Rate(**row)))
        elif "per_second" in row:
            self.ctx.line(tables.duration_row(self.settings, **row))
        else:
            size, iterations = row["size"], row["iterations"]
            typical = row["spread"]["typical"]
            own = perftest.spread(typical, iterations, *self._names(size))
            self.ctx.line(tables.latency_row(self.settings, size, iterations, own))

    # --- the client: bandwidth --------------------------------------------------------------------------------------

    async def _rate(self, size: int) -> dict[str, Any]:
        """Send messages of one size, and print the row."""
        settings = self.settings
        found = await self._route(size)
        messages = perftest.message_rate(found, self._sending(size))
        demand = int(messages * size * 8 * 1_000_000)
        share = self._send(demand, size)
        if not share:
            await self._lose()
        if settings.timed:
            row = await self._for_a_time(size, messages)
        else:
            rate = messages * share / WHOLE
            count = settings.iters * settings.qp
            await self._pass(int(count / rate * MICROSECOND))
            row = self._measured(size, count, rate * size * 1_000_000)
        self.ctx.simulation.apply(streams.StopSending(self.ctx.host, self.pid))
        self._print(tables.rate_row(settings, row))
        self.best = max(self.best, (row.average / _unit(settings), row.messages))
        return asdict(row)

    async def _for_a_time(self, size: int, messages: float) -> Rate:
        """-D: what passes between the margins."""
        settings = self.settings
        await self._pass(settings.margin * SECOND)
        seconds = settings.duration - 2 * settings.margin
        payload = await self._payload(seconds, messages * size * 1_000_000)
        await self._pass(settings.margin * SECOND)
        return self._measured(size, payload // size, payload / seconds)

    async def _without_end(self) -> None:
        """--run_infinitely: a row for each period, until Ctrl-C."""
        size = self.settings.size
        messages = perftest.message_rate(await self._route(size), self._sending(size))
        self._send(int(messages * size * 8 * 1_000_000), size)
        while True:
            seconds = self.settings.duration
            payload = await self._payload(seconds, messages * size * 1_000_000)
            self._print(tables.rate_row(self.settings, self._measured(size, payload // size, payload / seconds)))

    async def _payload(self, seconds: int, bytes_per_second: float) -> int:
        """Bytes that arrive in one direction during so many seconds; a device that talks to itself asks no network."""
        ctx, name = self.ctx, streams.owner(self.ctx.host, self.pid)
        before = exchange.moved(ctx.world, name, ctx.now)
        await self._pass(seconds * SECOND)
        if not ctx.world.bundles[name].flows:
            return int(bytes_per_second * seconds)
        moved = exchange.moved(ctx.world, name, ctx.now) - before
        return moved // (2 if self.settings.bidirectional else 1)

    def _measured(self, size: int, count: int, bytes_per_second: float) -> Rate:
        """The row: what was measured lies a little below the truth, the peak between them; -b adds both directions."""
        both = 2 if self.settings.bidirectional else 1
        names = self._names(size)
        peak = bytes_per_second * (1 - hash64("perftest", "peak", *names) % 250 / 1_000_000) * both
        return Rate(size, count, peak, perftest.noisy(peak, *names))

    def _sending(self, size: int) -> Sending:
        settings = self.settings
        depth = self.joined.own.reads if self.kind.verb == READ else settings.tx_depth
        return Sending(self.kind.verb, size, settings.qp, depth, settings.post_list)

    def _send(self, rate: int, size: int) -> int:
        """Put messages of `size` bytes into the traffic model; gives the share (ppm)."""
        own, other = self.joined.own.hca.port, self.joined.other.port
        ways = [(other, own)] if self.kind.verb == READ else [(own, other)]
        if self.settings.bidirectional:
            ways = [(own, other), (other, own)]
        packet = min(self.joined.packet, size)
        key, dscp = self.settings.pkey_index, self._dscp
        action = streams.Send(self.ctx.host, self.pid, tuple(ways), rate, packet, dscp=dscp, key_index=key)
        share: int = self.ctx.simulation.apply(action)
        return share

    # --- the client: latency ----------------------------------------------------------------------------------------

    async def _latency(self, size: int) -> dict[str, Any]:
        """Send messages of one size to and fro, and print the row."""
        settings = self.settings
        found = await self._route(size)
        share = self._left(found)
        if not share:
            await self._lose()
        typical = perftest.latency(replace(found, share=share), self.kind.verb, size, self.joined.own.inline)
        round_trip = typical * (1 if self.kind.verb == READ else 2)
        self._send(int(size * 8 * 1_000_000 / round_trip), size)
        if settings.timed:
            row = await self._latency_for_a_time(size, typical, round_trip)
        else:
            await self._pass(int(settings.iters * round_trip * MICROSECOND))
            spread = perftest.spread(perftest.noisy(typical, *self._names(size)), settings.iters, *self._names(size))
            row = {"size": size, "iterations": settings.iters, "spread": asdict(spread)}
            self._print(tables.latency_row(settings, size, settings.iters, Spread(**row["spread"])))
        self.ctx.simulation.apply(streams.StopSending(self.ctx.host, self.pid))
        return row

    async def _latency_for_a_time(self, size: int, typical: float, round_trip: float) -> dict[str, Any]:
        settings = self.settings
        await self._pass(settings.duration * SECOND)
        sampled = (settings.duration - 2 * settings.margin) * 1_000_000
        average = perftest.noisy(typical, *self._names(size)) * 1.005
        count = int(sampled / (average * round_trip / typical))
        row = {"size": size, "iterations": count, "average": average, "per_second": count * 1_000_000 / sampled}
        self._print(tables.duration_row(settings, size, count, average, row["per_second"]))
        return row

    def _left(self, found: Route) -> int:
        """What other traffic leaves of the route, in ppm."""
        own, other = self.joined.own.hca.port, self.joined.other.port
        demand = int(found.rate * 8 * 1_000_000_000)
        flow = Flow(own, other, demand, service=ServiceClass(dscp=self._dscp), key_index=self.settings.pkey_index)
        return WHOLE if own == other else min(WHOLE, exchange.offer(self.ctx.world, flow) * WHOLE // demand)

    @property
    def _dscp(self) -> int:
        """What packets ask for: --tclass, or with -R the type of service (-T, or that of the device's connections)."""
        settings = self.settings
        if not settings.rdma_cm:
            return settings.tclass >> 2
        usual = self.ctx.world.roce[self.joined.own.hca.port].connection_tos
        return (settings.tos if settings.tos >= 0 else usual) >> 2

    # --- both -------------------------------------------------------------------------------------------------------

    async def _route(self, size: int) -> Route:
        """The way of messages of `size` bytes as it stands now. Without one, or where the other end's memory refuses,
        the queue pair fails.
        """
        joined, ctx = self.joined, self.ctx
        if joined.refused:
            self._give_up(_REFUSED)
        hca, talk = joined.own.hca, self.talk
        own = End(hca, joined.own_gpu, talk.is_near(hca.numa, here=True))
        other = End(joined.other, joined.other_gpu, talk.is_near(joined.other.numa, here=False))
        found = route(
            ctx.world,
            own,
            other,
            mtu=joined.packet,
            queue_pairs=self.settings.qp,
            key_index=self.settings.pkey_index,
            dscp=self._dscp,
            message=size,
        )
        if found is None or not joined.same_gid_type or joined.astray:
            await self._lose()
        assert found is not None
        return found

    async def _pass(self, duration: int) -> None:
        """Let the test run; fail if the other end or the own link goes meanwhile."""
        port = self.joined.own.hca.port
        gone = await talking.wait_for(
            self.ctx, self.pid, lambda: self.talk.over or not links.link_up(self.ctx.world, port), duration
        )
        if gone:
            await self._lose()

    async def _lose(self) -> None:
        """No answer comes: try as often as was asked, then give up."""
        settings = self.settings
        self.ctx.simulation.apply(streams.StopSending(self.ctx.host, self.pid))
        if settings.connection != "RC":
            raise Gap(f"{self.kind.name} -c {settings.connection} where packets get lost")
        limit = None if settings.qp_timeout == 0 else (_TIMEOUT_NS << settings.qp_timeout % 32) * _TOLERANCE
        await talking.wait_for(
            self.ctx, self.pid, lambda: False, None if limit is None else limit * (settings.retry_count + 1)
        )
        self._give_up(_LOST)

    def _give_up(self, how: tuple[int, int]) -> None:
        settings = self.settings
        status, syndrome = how
        depth = min(settings.tx_depth, settings.iters) if not settings.timed else settings.tx_depth
        if self.kind.verb == READ:
            depth = min(depth, settings.iters)
        sent = depth * settings.qp if self.kind.bandwidth else 1
        lines = [f" Failed status {status}: wr_id 0 syndrom {syndrome:#x}", f"scnt={sent}, ccnt=0"]
        raise Failed(" Completion with error at client", *lines, *_last_words(self.kind))

    def _print(self, row: str) -> None:
        if self._conflict:
            self.ctx.error(self._conflict)
        self.ctx.line(row)

    def _names(self, size: int) -> tuple[object, ...]:
        return (self.ctx.world.seed, self.ctx.host, self.pid, size, self.ctx.now)

    def _below_limits(self) -> int:
        """-w and -y: status 1 if the best row stayed below."""
        settings = self.settings
        if settings.limit_bw and self.best[0] < settings.limit_bw:
            self.ctx.error("Error: BW result is below bw limit")
            return 1
        if settings.limit_bw and settings.limit_msgrate and self.best[1] < settings.limit_msgrate:
            self.ctx.error("Error: Msg rate  is below msg_rate limit")
            return 1
        return 0


def _last_words(kind: Kind) -> tuple[str, ...]:
    """What a program says after its test has failed."""
    if not kind.bandwidth:
        return ("Test exited with Error",) if kind.verb != SEND else ()
    return () if kind.verb == SEND else (_ABORTED,)


def _unit(settings: Settings) -> float:
    return 125_000_000 if settings.report_gbits else 0x100000


def _conflicting_clocks(cpuinfo: str) -> str | None:
    """get_clock.c: the warning where clocks in /proc/cpuinfo differ by more than 2 %."""
    clocks = [float(text) for text in re.findall(r"^cpu MHz\s*: ([\d.]+)", cpuinfo, re.MULTILINE)]
    other = next((clock for clock in clocks if clocks[0] and abs(clock - clocks[0]) / clocks[0] > 0.02), None)
    if other is None:
        return None
    return f"Conflicting CPU frequency values detected: {clocks[0]:f} != {other:f}. CPU Frequency is not max."
