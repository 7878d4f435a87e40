"""The server of iperf3: it serves one client after the other, and prints what the client measured as it sees it."""

from __future__ import annotations

import json
from typing import Any

from engine.commands.context import Context, Interrupted
from engine.commands.linux._support import talking
from engine.commands.linux._support.iperf3_options import Settings
from engine.commands.linux._support.iperf3_report import (
    HEADER,
    RULE,
    SEPARATOR,
    Piece,
    interval_line,
    summary_line,
    total,
)
from engine.control import sockets

DAEMON = "iperf3 -D"
BUSY, TERMINATED = "busy", "terminated"


class Server:
    """One run of `iperf3 -s`."""

    def __init__(self, ctx: Context, settings: Settings, pid: int) -> None:
        self.ctx, self.settings, self.pid = ctx, settings, pid
        self._seen: frozenset[int] = frozenset()

    async def run(self) -> int:
        """Serve until somebody ends it; with -1, one client."""
        ctx, port = self.ctx, self.settings.port
        if self.settings.json:
            return ctx.not_modelled("iperf3 -s -J")
        refusal = ctx.simulation.apply(sockets.Listen(ctx.host, port, self.pid, ctx.identity.name, ctx.name))
        if refusal:
            ctx.error(f"iperf3: error - unable to start listener for connections: {refusal}\niperf3: exiting")
            return 1
        number = 0
        while True:
            number += 1
            ctx.line(f"{RULE}\nServer listening on {port} (test #{number})\n{RULE}")
            try:
                served = await self._serve()
            except Interrupted:
                ctx.error("iperf3: interrupt - the server has terminated")
                return 1
            if self.settings.once:
                return 0 if served else 1

    async def _serve(self) -> bool:
        """One client. Returns whether it went to its end."""
        talk = await talking.accept(self.ctx, self.pid, self._seen)
        self._seen |= {talk.number}
        try:
            return await self._test(talk)
        except Interrupted:
            talk.say(json.dumps({TERMINATED: True}))
            raise
        finally:
            talk.close()

    async def _test(self, talk: talking.Talk) -> bool:
        ctx = self.ctx
        hello = await _message(talk)
        if hello is None:
            return self._gone(talk)
        client = hello["client"]
        ctx.line(f"Accepted connection from {client}, port {hello['port']}")
        talk.say(json.dumps({"welcome": True}))
        for stream, port in zip(hello["server_streams"], hello["ports"], strict=True):
            ctx.line(
                f"[{stream:>3}] local {hello['address']} port {self.settings.port} connected to {client} port {port}"
            )
        sender, first, numbers = bool(hello["reverse"]), True, hello["server_streams"]
        while (message := await _message(talk)) is not None and "end" not in message:
            self._refuse_others()
            if TERMINATED in message:
                self._summary([], sender)
                ctx.error("iperf3: the client has terminated")
                return False
            pieces = _pieces(message["pieces"], numbers)
            if first:
                ctx.line(HEADER + ("         Retr  Cwnd" if sender else ""))
            elif len(pieces) > 1:
                ctx.line(SEPARATOR)
            first = False
            for piece in [*pieces, *([total(pieces)] if len(pieces) > 1 else [])]:
                ctx.line(interval_line(piece, self.settings.unit, sender=sender, omitted=message["omitted"]))
        if message is None:
            return self._gone(talk)
        self._summary(_pieces(message["sent" if sender else "received"], numbers), sender)
        await ctx.flush()
        talk.say(json.dumps({"bye": True}))
        return True

    def _summary(self, pieces: list[Piece], sender: bool) -> None:
        self.ctx.line(f"{SEPARATOR}\n{HEADER}         Retr")
        for piece in [*pieces, *([total(pieces)] if len(pieces) > 1 else [])]:
            self.ctx.line(summary_line(piece, self.settings.unit, "sender" if sender else "receiver"))

    def _gone(self, talk: talking.Talk) -> bool:
        self.ctx.error("iperf3: error - control socket has closed unexpectedly")
        return False

    def _refuse_others(self) -> None:
        """Whoever else comes meanwhile is told to come later."""
        for found in sockets.connections_of(self.ctx.world, self.ctx.host, self.pid):
            if found.number not in self._seen and found.server.pid == self.pid:
                self._seen |= {found.number}
                self.ctx.simulation.apply(sockets.Say(found.number, sockets.SERVER, json.dumps({BUSY: True})))
                self.ctx.simulation.apply(sockets.Close(found.number, sockets.SERVER))


async def _message(talk: talking.Talk) -> dict[str, Any] | None:
    text = await talk.hear()
    return None if text is None else dict(json.loads(text))


def _pieces(rows: list[list[Any]], streams: list[str]) -> list[Piece]:
    """What the client measured, under the numbers that streams have here."""
    return [Piece(stream, *row[1:]) for stream, row in zip(streams, rows, strict=True)]
