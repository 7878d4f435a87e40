"""A web server for the full-screen program (textual-serve), with a page of our own that asks nothing of other servers.

Each visitor has a process and a folder of their own. Pages of other origins cannot open a session: a browser says where
a WebSocket comes from, and only this server's own page is let in.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp_jinja2
from aiohttp import WSCloseCode, web
from textual_serve.app_service import AppService
from textual_serve.server import Server, to_int

from tui.web.visitors import COOKIE, Full, Visitors, known_token, new_token

_TEMPLATES = Path(__file__).parent / "templates"
_GRACE = 10
_YEAR = 365 * 24 * 3600
_FULL = "\r\n  All seats are taken. Try again when somebody has left.\r\n"
_NOT_OURS = "this page may not open a session here"

# What the page may load and speak to: nothing but this server.
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self' ws: wss:; frame-ancestors 'none'"
)


class VisitorService(AppService):
    """The process of one visitor, in a folder of their own."""

    home: Path

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        environment = super()._build_environment(width, height)
        environment |= {"BREAKFIX_HOME": str(self.home), "PYTHONUNBUFFERED": "1"}
        return environment

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        words = [sys.executable, "-m", "tui.web.visitor"]
        self._process = await asyncio.create_subprocess_exec(
            *words, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=self._build_environment(width, height)
        )
        assert self._process.stdin is not None
        self._stdin = self._process.stdin
        return self._process

    async def end(self) -> None:
        """End the process: it is asked to, and killed if it does not."""
        await self.stop()
        if self._process is None:
            return
        try:
            await asyncio.wait_for(self._process.wait(), _GRACE)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


class WebServer(Server):
    """Serves the program at `host`:`port` to at most `most` visitors at once, whose things are kept in `folder`."""

    def __init__(self, host: str, port: int, folder: Path, most: int) -> None:
        super().__init__("breakfix", host=host, port=port, title="breakfix", templates_path=_TEMPLATES)
        self.visitors = Visitors(folder, most)

    async def on_startup(self, app: web.Application) -> None:
        """Say where it is."""
        print(f"breakfix is at {self.public_url} (Ctrl-C ends it)", flush=True)

    async def make_app(self) -> web.Application:
        """The web application."""
        app = await self._make_app()
        app.on_response_prepare.append(_secure)
        return app

    async def handle_index(self, request: web.Request) -> web.StreamResponse:
        """The page; somebody new is given a cookie."""
        token = known_token(request.cookies.get(COOKIE)) or new_token()
        scheme = "wss" if request.secure else "ws"
        context: dict[str, Any] = {
            "title": self.title,
            "websocket": f"{scheme}://{request.host}/ws",
            "font_size": max(8, min(to_int(request.query.get("fontsize", "15"), 15), 40)),
        }
        response = aiohttp_jinja2.render_template("page.html", request, context)
        response.set_cookie(COOKIE, token, max_age=_YEAR, httponly=True, samesite="Strict", secure=request.secure)
        return response

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """A session: a process for as long as the page is open."""
        token = known_token(request.cookies.get(COOKIE))
        origin = urlsplit(request.headers.get("Origin", "")).netloc
        if token is None or origin != request.host:
            raise web.HTTPForbidden(text=_NOT_OURS)
        websocket = web.WebSocketResponse(heartbeat=15)
        await websocket.prepare(request)
        try:
            with self.visitors.session():
                await self._session(request, websocket, self.visitors.home(token))
        except Full:
            await websocket.send_bytes(_FULL.encode())
            await websocket.close(code=WSCloseCode.TRY_AGAIN_LATER)
        return websocket

    async def _session(self, request: web.Request, websocket: web.WebSocketResponse, home: Path) -> None:
        service = VisitorService(
            self.command,
            write_bytes=websocket.send_bytes,
            write_str=websocket.send_str,
            close=_closing(websocket),
            download_manager=self.download_manager,
        )
        service.home = home
        width, height = (to_int(request.query.get(name, ""), usual) for name, usual in (("width", 80), ("height", 24)))
        await service.start(max(20, min(width, 500)), max(5, min(height, 200)))
        try:
            with suppress(ConnectionResetError):
                await self._process_messages(websocket, service)
        finally:
            await service.end()


def _closing(websocket: web.WebSocketResponse) -> Any:
    async def close() -> None:
        await websocket.close()

    return close


async def _secure(request: web.Request, response: web.StreamResponse) -> None:
    """What every answer tells the browser to refuse."""
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"


def serve(host: str, port: int, folder: Path, most: int) -> None:
    """Serve until Ctrl-C. Raises OSError where the address cannot be had."""
    server = WebServer(host, port, folder, most)
    web.run_app(server.make_app(), host=host, port=port, print=None)
