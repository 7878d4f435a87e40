"""The client of iperf3: it connects, lets the streams flow through the traffic model, and reports what they moved."""

from __future__ import annotations

import json
from dataclasses import astuple, replace
from typing import Any

from engine.commands.context import Context, Interrupted
from engine.commands.linux._support import talking
from engine.commands.linux._support.connections import NO_ANSWER_AFTER
from engine.commands.linux._support.iperf3_document import Document
from engine.commands.linux._support.iperf3_options import Settings
from engine.commands.linux._support.iperf3_report import (
    HEADER,
    SEPARATOR,
    Piece,
    interval_line,
    summary_line,
    total,
)
from engine.commands.linux._support.iperf3_server import BUSY, DAEMON, TERMINATED
from engine.commands.linux._support.names import Resolver
from engine.control import sockets
from engine.kernel.random import hash64
from engine.kernel.units import MILLISECOND, SECOND
from engine.workloads import streams, tcp
from engine.workloads.tcp import WHOLE

_UNREACHABLE = (
    "unable to connect to server - server may have stopped running or use a different port, firewall issue, etc."
)
_HANDSHAKE = 2 * MILLISECOND
_TAIL_MS = 40


class _Lost(Exception):
    """The server has gone, or has something else to do."""


class Client:
    """One run of `iperf3 -c`."""

    def __init__(self, ctx: Context, settings: Settings, pid: int) -> None:
        self.ctx, self.settings, self.pid = ctx, settings, pid
        self.talk: talking.Talk
        self.route: tcp.Route
        self.daemon = False
        self.intervals: list[list[Piece]] = []
        self.document: Document | None = None
        self.began = 0

    async def run(self) -> int:
        """Connect, send, report."""
        address = Resolver(self.ctx).address_of(self.settings.host)
        if address is None:
            return self._fail(f"{_UNREACHABLE}: Name or service not known")
        number = self.ctx.simulation.apply(sockets.Connect(self.ctx.host, self.pid, address, self.settings.port))
        if not isinstance(number, int):
            if number == sockets.NO_ROUTE:
                await talking.sleep(self.ctx, self.pid, NO_ANSWER_AFTER)
            return self._fail(f"{_UNREACHABLE}: {number}")
        self.talk = await talking.connected(self.ctx, self.pid, number)
        try:
            return await self._test(address)
        except _Lost as lost:
            return self._fail(str(lost))
        except Interrupted:
            return self._interrupted()
        finally:
            self._hang_up()

    def _hang_up(self) -> None:
        self.talk.close()
        if self.daemon:
            self.ctx.simulation.apply(sockets.Close(self.talk.number, sockets.SERVER))

    async def _test(self, address: str) -> int:
        ctx, settings = self.ctx, self.settings
        way = sockets.way(ctx.world, ctx.host, address)
        found = sockets.connection(ctx.world, self.talk.number)
        if way is None or found is None:
            raise _Lost("control socket has closed unexpectedly")
        self.route = tcp.route(ctx.world, way)
        self.daemon = _is_daemon(ctx, found.server.host, settings.port)
        if settings.json:
            self.document = Document(ctx, settings, found, self._ports(found.client.port), self.route)
        self._line(f"Connecting to host {settings.host}, port {settings.port}")
        if settings.reverse:
            self._line(f"Reverse mode, remote host {settings.host} is sending")
        await self._greet(found.client.address, address, found.client.port)
        for stream, port in zip(self._streams(), self._ports(found.client.port), strict=True):
            own = found.client.address
            self._line(f"[{stream:>3}] local {own} port {port} connected to {address} port {settings.port}")
        await talking.sleep(ctx, self.pid, _HANDSHAKE)
        self.began = ctx.now
        await self._flow()
        await self._finish()
        return 0

    async def _greet(self, client: str, address: str, port: int) -> None:
        if self.daemon:
            return
        server = [5, *(8 + 2 * index for index in range(self.settings.streams - 1))]
        hello = {
            "client": client,
            "address": address,
            "port": port,
            "ports": self._ports(port),
            "server_streams": [str(stream) for stream in server],
            "reverse": self.settings.reverse,
        }
        self.talk.say(json.dumps(hello))
        answer = await self.talk.hear()
        if answer is None:
            raise _Lost("control socket has closed unexpectedly")
        if BUSY in json.loads(answer):
            raise _Lost("the server is busy running a test. try again later")

    def _streams(self) -> list[str]:
        """Numbers of the streams' sockets."""
        return [str(5 + 2 * index) for index in range(self.settings.streams)]

    def _ports(self, control: int) -> list[int]:
        """Ports of the streams, a little above that of the control connection."""
        found, port = [], control
        for index in range(self.settings.streams):
            port += 2 + hash64(self.ctx.world.seed, "stream", control, index) % 8 * 2
            found.append(port)
        return found

    # --- sending ----------------------------------------------------------------------------------------------------

    async def _flow(self) -> None:
        """Interval after interval, until the time or the amount is over."""
        settings, ctx = self.settings, self.ctx
        rates = tcp.demands(self.route, settings.streams, settings.rate, ctx.world.seed, self.talk.number)
        limit = settings.omit + settings.time
        step = settings.interval or float(limit)
        at, left = 0.0, settings.amount
        while (left > 0) if settings.amount else (at < limit):
            share = self._send(rates)
            moving = sum(rate * share // WHOLE for rate in rates) / 8
            until = at + step if settings.amount else min(at + step, limit)
            if settings.amount and moving * (until - at) >= left:
                until = at + left / moving
            omitted = at < settings.omit
            await self._wait(until)
            pieces = self._pieces(rates, share, at, until, omitted)
            left -= sum(piece.amount for piece in pieces)
            self._report(pieces, omitted)
            at = until
        ctx.simulation.apply(streams.StopSending(ctx.host, self.pid))

    def _send(self, rates: list[int]) -> int:
        """Put the streams on the legs of the way; gives the share of all of them (ppm)."""
        if not self.route.ports:
            return WHOLE
        names = (self.ctx.world.seed, self.talk.number)
        legs = [tcp.leg_of(self.route, stream, *names) for stream in range(len(rates))]
        ways = tuple(self.route.ports[leg] for leg in legs)
        ways = tuple((there, here) for here, there in ways) if self.settings.reverse else ways
        mtu = tcp.largest_segment(self.route.mtu)
        action = streams.Send(self.ctx.host, self.pid, ways, sum(rates) // len(rates), mtu, tcp=True)
        share: int = self.ctx.simulation.apply(action)
        return share

    async def _wait(self, until: float) -> None:
        """Until so many seconds after the start; the server may go meanwhile. Raises _Lost."""
        end = self.began + int(until * SECOND)
        await talking.wait_for(self.ctx, self.pid, self._server_gone, max(end - self.ctx.now, 0))
        if self._server_gone():
            said = json.loads(await self.talk.hear() or "{}") if self.talk.waiting else {}
            raise _Lost("the server has terminated" if TERMINATED in said else "control socket has closed unexpectedly")

    def _server_gone(self) -> bool:
        return self.talk.over or self.talk.waiting

    def _pieces(self, rates: list[int], share: int, start: float, end: float, omitted: bool) -> list[Piece]:
        """What each stream moved, a little different each time."""
        settings = self.settings
        shift = 0 if omitted else settings.omit
        full = share < WHOLE or (not settings.rate and rates[0] < tcp.stream_limit(self.route.mtu))
        found = []
        for index, (stream, rate) in enumerate(zip(self._streams(), rates, strict=True)):
            names = (self.ctx.world.seed, self.talk.number, index)
            moved = rate * share // WHOLE / 8 * (end - start)
            noise = (
                0 if settings.rate or settings.amount else hash64("interval", int(start * 10), *names) % 9_000 - 4_500
            )
            amount = round(moved * (1 + noise / 1_000_000) / settings.block) * settings.block
            found.append(
                Piece(
                    stream,
                    start - shift,
                    end - shift,
                    amount,
                    tcp.retransmissions(full, int(start), *names),
                    tcp.window(end, *names),
                )
            )
        return found

    # --- reporting --------------------------------------------------------------------------------------------------

    def _report(self, pieces: list[Piece], omitted: bool) -> None:
        if not omitted:
            self.intervals.append(pieces)
        if self.document:
            self.document.interval(pieces, omitted)
        if not self.daemon:
            self.talk.say(json.dumps({"pieces": [astuple(piece) for piece in pieces], "omitted": omitted}))
        if not self.settings.interval:
            return
        sender = not self.settings.reverse
        if (len(self.intervals) == 1 and not self.settings.omit) or (
            self.settings.omit and pieces[0].start == 0 and omitted
        ):
            self._line(HEADER + ("         Retr  Cwnd" if sender else ""))
        elif len(pieces) > 1:
            self._line(SEPARATOR)
        for piece in [*pieces, *([total(pieces)] if len(pieces) > 1 else [])]:
            self._line(interval_line(piece, self.settings.unit, sender=sender, omitted=omitted))

    def _sums(self) -> tuple[list[Piece], list[Piece]]:
        """(sent, received) by stream: the receiver's clock runs a little longer."""
        sent = []
        for index, stream in enumerate(self._streams()):
            mine = [pieces[index] for pieces in self.intervals]
            end = mine[-1].end if mine else 0.0
            sent.append(Piece(stream, 0.0, end, sum(each.amount for each in mine), sum(each.again for each in mine)))
        tail = _TAIL_MS / 1000 if self.intervals else 0.0
        return sent, [replace(piece, end=piece.end + tail, again=0) for piece in sent]

    async def _finish(self) -> None:
        sent, received = self._sums()
        if not self.daemon:
            rows: dict[str, Any] = {"sent": [astuple(piece) for piece in sent]}
            rows |= {"received": [astuple(piece) for piece in received], "end": True}
            self.talk.say(json.dumps(rows))
        self._summary(sent, received)
        self._line("\niperf Done.")
        if self.document:
            self.ctx.line(self.document.text(sent, received))
        if not self.daemon:
            await self.talk.hear()

    def _summary(self, sent: list[Piece], received: list[Piece]) -> None:
        self._line(f"{SEPARATOR}\n{HEADER}         Retr")
        rows = [*zip(sent, received, strict=True)]
        if len(rows) > 1:
            rows.append((total(sent), total(received)))
        for mine, theirs in rows:
            self._line(summary_line(mine, self.settings.unit, "sender"))
            self._line(summary_line(theirs, self.settings.unit, "receiver"))

    def _interrupted(self) -> int:
        """Ctrl-C: what was sent so far; the server's figures are not known."""
        sent, _ = self._sums()
        self._summary(sent, [replace(piece, amount=0, again=0) for piece in sent])
        if not self.daemon:
            self.talk.say(json.dumps({TERMINATED: True}))
        return self._fail("the client has terminated", "interrupt")

    def _line(self, text: str) -> None:
        if not self.settings.json:
            self.ctx.line(f"{self.settings.title}:  {text}" if self.settings.title else text)

    def _fail(self, text: str, how: str = "error") -> int:
        if self.settings.json:
            document = self.document or Document(self.ctx, self.settings)
            self.ctx.line(document.failed(f"{how} - {text}"))
        else:
            self.ctx.error(f"iperf3: {how} - {text}")
        return 1


def _is_daemon(ctx: Context, host: str, port: int) -> bool:
    found = sockets.listener(ctx.world, host, port)
    return found is not None and found.program == DAEMON
