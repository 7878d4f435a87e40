"""What web servers of the site answer: dcgm-exporter on port 9400 of GPU nodes. Others are not modelled.

Headers: those that Go's net/http gives the exporter's handlers (dcgm-exporter 4.4.2-4.7.1, internal/pkg/server).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from engine.commands.context import Context
from engine.control.dcgm import exporter
from engine.kernel.units import SECOND

_PHRASES = {
    200: "OK",
    204: "No Content",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
    500: "Internal Server Error",
}
_NO_SNIFF = ("X-Content-Type-Options", "nosniff")
_ONE_PIECE = 2048
_FRONT = """<html>
\t\t\t<head><title>GPU Exporter</title></head>
\t\t\t<body>
\t\t\t<h1>GPU Exporter</h1>
\t\t\t<p><a href="./metrics">Metrics</a></p>
\t\t\t</body>
\t\t\t</html>"""


@dataclass(frozen=True, slots=True)
class Answer:
    """A response: its status, its headers in order, its body."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: str

    @property
    def phrase(self) -> str:
        """The words after the status."""
        return _PHRASES[self.status]

    @property
    def head(self) -> str:
        """Status line and headers as they come over the wire, with the empty line after them."""
        lines = [f"HTTP/1.1 {self.status} {self.phrase}", *(f"{name}: {text}" for name, text in self.headers), "", ""]
        return "\r\n".join(lines)


def answer(ctx: Context, host: str, port: int, path: str) -> Answer | None:
    """What a GET of `path` brings from a port of a node that is open; None where that is not modelled."""
    if port == exporter.PORT and exporter.is_serving(ctx.world, host):
        return _exporter(ctx, host, path or "/")
    return None


def _exporter(ctx: Context, host: str, path: str) -> Answer:
    if path == "/metrics":
        body = exporter.metrics(ctx.world, host, ctx.now)
        return _sniffed(ctx, "text/plain; charset=utf-8", body) if body else _error(ctx, 500, "internal server error")
    if path == "/health":
        return _sniffed(ctx, "text/plain; charset=utf-8", "KO")
    if path == "/":
        return _sniffed(ctx, "text/html; charset=utf-8", _FRONT)
    return _error(ctx, 404, "404 page not found")


def _sniffed(ctx: Context, kind: str, body: str) -> Answer:
    """A body whose type the server found out itself; a long one comes in chunks."""
    headers = [_NO_SNIFF, date(ctx)]
    if len(body) <= _ONE_PIECE:
        headers.append(("Content-Length", str(len(body))))
    headers.append(("Content-Type", kind))
    if len(body) > _ONE_PIECE:
        headers.append(("Transfer-Encoding", "chunked"))
    return Answer(200, tuple(headers), body)


def _error(ctx: Context, status: int, text: str) -> Answer:
    """What Go's http.Error writes."""
    body = f"{text}\n"
    length = ("Content-Length", str(len(body)))
    return Answer(status, (("Content-Type", "text/plain; charset=utf-8"), _NO_SNIFF, date(ctx), length), body)


def date(ctx: Context) -> tuple[str, str]:
    """The header that says when it was answered."""
    moment = datetime.fromtimestamp(ctx.epoch // SECOND, UTC)
    return "Date", f"{moment:%a, %d %b %Y %H:%M:%S} GMT"
