"""The JSON of iperf3 3.16 (iperf_json_printf calls of iperf_api.c and iperf_client_api.c).

Guesses: round trips, shares of processors, socket buffers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.commands.context import Context
from engine.commands.linux._support import clock
from engine.commands.linux._support.iperf3_options import VERSION, Settings
from engine.commands.linux._support.iperf3_report import Piece, json_text, total
from engine.control import kernel_image
from engine.kernel.random import hash64
from engine.kernel.units import SECOND
from engine.workloads.tcp import Route, largest_segment
from engine.world.records import Connection

_SEND_BUFFER, _RECEIVE_BUFFER = 16_384, 131_072
_COOKIE_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


class Document:
    """What is printed at the end of a run with -J."""

    def __init__(
        self,
        ctx: Context,
        settings: Settings,
        found: Connection | None = None,
        ports: Sequence[int] = (),
        route: Route | None = None,
    ) -> None:
        self.ctx, self.settings = ctx, settings
        self.mtu = route.mtu if route else 1500
        self.start: dict[str, Any] = {"connected": [], "version": VERSION, "system_info": self._system()}
        self.intervals: list[dict[str, Any]] = []
        if found is not None:
            self._connected(found, ports)

    def _system(self) -> str:
        release = kernel_image.running(self.ctx.world, self.ctx.host)
        return f"Linux {self.ctx.host} {release} {kernel_image.version(release)} x86_64"

    def _connected(self, found: Connection, ports: Sequence[int]) -> None:
        ctx, settings = self.ctx, self.settings
        own, other = found.client, found.server
        names = {"local_host": own.address, "remote_host": other.address, "remote_port": settings.port}
        self.start["connected"] = [
            {
                "socket": 5 + 2 * index,
                "local_host": names["local_host"],
                "local_port": port,
                "remote_host": names["remote_host"],
                "remote_port": settings.port,
            }
            for index, port in enumerate(ports)
        ]
        when = clock.shown(ctx, ctx.epoch, "%a, %d %b %Y %H:%M:%S")
        self.start |= {
            "timestamp": {"time": f"{when} GMT", "timesecs": ctx.epoch // SECOND},
            "connecting_to": {"host": settings.host, "port": settings.port},
            "cookie": "".join(
                _COOKIE_LETTERS[hash64(ctx.world.seed, "cookie", found.number, index) % 32] for index in range(36)
            ),
            "tcp_mss_default": largest_segment(self.mtu),
            "target_bitrate": settings.rate,
            "fq_rate": 0,
            "sock_bufsize": 0,
            "sndbuf_actual": _SEND_BUFFER,
            "rcvbuf_actual": _RECEIVE_BUFFER,
            "test_start": {
                "protocol": "TCP",
                "num_streams": settings.streams,
                "blksize": settings.block,
                "omit": settings.omit,
                "duration": 0 if settings.amount else settings.time,
                "bytes": settings.amount,
                "blocks": 0,
                "reverse": int(settings.reverse),
                "tos": settings.tos,
                "target_bitrate": settings.rate,
                "bidir": 0,
                "fqrate": 0,
            },
        }

    def interval(self, pieces: Sequence[Piece], omitted: bool) -> None:
        """An interval has passed."""
        sender = not self.settings.reverse
        rows = []
        for piece in pieces:
            row = {"socket": int(piece.stream), **_moved(piece)}
            if sender:
                row |= {"retransmits": piece.again, "snd_cwnd": piece.window, "snd_wnd": piece.window * 2}
                row |= {"rtt": self._round_trip(piece), "rttvar": 12, "pmtu": self.mtu}
            rows.append({**row, "omitted": omitted, "sender": sender})
        summary = {**_moved(total(pieces)), **({"retransmits": total(pieces).again} if sender else {})}
        self.intervals.append({"streams": rows, "sum": {**summary, "omitted": omitted, "sender": sender}})

    def _round_trip(self, piece: Piece) -> int:
        return 120 + hash64("rtt", self.ctx.host, piece.stream, int(piece.start)) % 180

    def text(self, sent: Sequence[Piece], received: Sequence[Piece]) -> str:
        """The whole document."""
        sender = not self.settings.reverse
        rows = []
        for mine, theirs in zip(sent, received, strict=True):
            trips = [120, 280, 190]
            extra = {"max_snd_cwnd": 3_276_800, "max_snd_wnd": 6_553_600, "max_rtt": trips[1], "min_rtt": trips[0]}
            first = {"socket": int(mine.stream), **_moved(mine), "retransmits": mine.again}
            rows.append(
                {
                    "sender": {**first, **extra, "mean_rtt": trips[2], "sender": sender},
                    "receiver": {"socket": int(mine.stream), **_moved(theirs), "sender": sender},
                }
            )
        busy = [round(3.1 + hash64("processor", self.ctx.host, index) % 900 / 100, 6) for index in range(2)]
        end = {
            "streams": rows,
            "sum_sent": {**_moved(total(sent)), "retransmits": total(sent).again, "sender": sender},
            "sum_received": {**_moved(total(received)), "sender": sender},
            "cpu_utilization_percent": {
                "host_total": busy[0] * 1.1,
                "host_user": busy[0] * 0.1,
                "host_system": busy[0],
                "remote_total": busy[1] * 1.1,
                "remote_user": busy[1] * 0.1,
                "remote_system": busy[1],
            },
            "sender_tcp_congestion": "cubic",
            "receiver_tcp_congestion": "cubic",
        }
        return json_text({"start": self.start, "intervals": self.intervals, "end": end})

    def failed(self, text: str) -> str:
        """The document of a run that failed."""
        return json_text({"start": self.start, "intervals": self.intervals, "end": {}, "error": text})


def _moved(piece: Piece) -> dict[str, Any]:
    seconds = piece.end - piece.start
    rate = piece.amount * 8 / seconds if seconds > 0 else 0.0
    return {
        "start": float(piece.start),
        "end": float(piece.end),
        "seconds": seconds,
        "bytes": piece.amount,
        "bits_per_second": rate,
    }
