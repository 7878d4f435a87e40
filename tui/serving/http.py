"""The loopback HTTP server in front of `routes`: threads for clients, one lock around the simulation.

Simulated time follows the clock on the wall: before each answer the simulation goes on to where the clock is.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from engine.control.kubernetes.api import ApiServer, NoServer, StatusError
from engine.kernel.simulation import Simulation
from engine.world.world import World
from tui.serving import routes
from tui.serving.routes import Answer, Request
from tui.serving.watching import Watch

_LOOK_EVERY = 0.2  # seconds between looks of a watch
_LONGEST_BODY = 4 << 20


class Gate:
    """The simulation behind its lock. `rate` is how many simulated seconds a second lasts."""

    def __init__(self, simulation: Simulation[World], rate: float = 1.0) -> None:
        self.simulation = simulation
        self.server = ApiServer(simulation)
        self.lock = threading.RLock()
        self._rate = rate
        self._last = time.monotonic()

    def go_on(self) -> None:
        """Let the time pass that has passed on the wall. The caller holds the lock."""
        now = time.monotonic()
        span = int((now - self._last) * self._rate * 1e9)
        self._last = now
        if span > 0:
            self.simulation.advance(span)


class _Handler(BaseHTTPRequestHandler):
    """One client's connection."""

    protocol_version = "HTTP/1.1"
    gate: Gate

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""

    def _do(self) -> None:
        parts = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        if length > _LONGEST_BODY:
            self._answer(Answer(413, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 413}))
            return
        request = Request(
            self.command, parts.path, dict(parse_qsl(parts.query, keep_blank_values=True)),
            self.headers.get("Accept", ""), self.headers.get("Content-Type", ""), self.rfile.read(length),
        )  # fmt: skip
        try:
            if request.watches:
                self._watch(request)
                return
            with self.gate.lock:
                self.gate.go_on()
                asked = replace(request, now=self.gate.simulation.now)
                answer = routes.answer(self.gate.server, asked)
            self._answer(answer)
        except NoServer:
            self.close_connection = True
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _do

    def _answer(self, answer: Answer) -> None:
        text = isinstance(answer.body, str)
        body = answer.body.encode() if text else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", "text/plain" if text else "application/json")
        self.send_header("Content-Length", str(len(body)))
        if answer.warning:
            self.send_header("Warning", f'299 - "{answer.warning}"')
        self.end_headers()
        self.wfile.write(body)

    def _watch(self, request: Request) -> None:
        gate = self.gate
        try:
            with gate.lock:
                gate.go_on()
                words = [word for word in request.path.split("/") if word]
                watch = Watch(gate.server, request, routes.target(gate.server, words))
        except StatusError as refusal:
            self._answer(Answer(refusal.code, refusal.status))
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        end = time.monotonic() + float(request.query.get("timeoutSeconds") or 3600)
        while time.monotonic() < end:
            with gate.lock:
                gate.go_on()
                events = watch.events()
            for event in events:
                self._chunk(json.dumps(event).encode() + b"\n")
            self.wfile.flush()
            time.sleep(_LOOK_EVERY)
        self._chunk(b"")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


def serve(gate: Gate, port: int) -> ThreadingHTTPServer:
    """A server on 127.0.0.1 that is ready to be run; port 0 takes a free one."""
    handler = type("Handler", (_Handler,), {"gate": gate})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    return server


def kubeconfig(port: int, cluster: str) -> str:
    """A configuration for kubectl that leads to the server."""
    return f"""apiVersion: v1
kind: Config
clusters:
- name: {cluster}
  cluster:
    server: http://127.0.0.1:{port}
users:
- name: kubernetes-admin
  user: {{}}
contexts:
- name: kubernetes-admin@{cluster}
  context:
    cluster: {cluster}
    user: kubernetes-admin
current-context: kubernetes-admin@{cluster}
"""
