"""The program in a real browser (headless Chromium): open, start a drill, type a command, its output, reload, resume.

What the terminal shows is drawn on a canvas, so the test reads what the server sends. Skipped without Chromium.
"""

from __future__ import annotations

import asyncio
import base64
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
)
PATIENCE = 90
_ESCAPE_KEYS = {"Enter": (13, "\r"), "F3": (114, ""), "Escape": (27, "")}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Page:
    """A tab, over the DevTools protocol. `received` is what WebSockets brought, `asked` what addresses were loaded."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self.received = b""
        self.asked: list[str] = []

    async def do(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command and its answer; what is told meanwhile is kept."""
        self._number += 1
        number = self._number
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        while True:
            told = await self._socket.receive_json(timeout=PATIENCE)
            if told.get("id") == number:
                result: dict[str, Any] = told.get("result", {})
                return result
            self._note(told)

    def _note(self, told: dict[str, Any]) -> None:
        parameters = told.get("params", {})
        if told.get("method") == "Network.requestWillBeSent":
            self.asked.append(parameters["request"]["url"])
        if told.get("method") == "Network.webSocketFrameReceived":
            response = parameters["response"]
            data = response["payloadData"]
            self.received += base64.b64decode(data) if response["opcode"] == 2 else data.encode()

    async def until(self, shown: Callable[[bytes], bool]) -> None:
        """Until what was received shows something."""
        for _ in range(PATIENCE * 4):
            if shown(self.received):
                return
            await self.do("Runtime.evaluate", expression="1")
            await asyncio.sleep(0.25)
        raise AssertionError(self.received[-2000:])

    async def type(self, text: str) -> None:
        for character in text:
            await self.do("Input.dispatchKeyEvent", type="keyDown", text=character, key=character)
            await self.do("Input.dispatchKeyEvent", type="keyUp", key=character)

    async def press(self, key: str) -> None:
        code, text = _ESCAPE_KEYS[key]
        await self.do(
            "Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, text=text
        )
        await self.do("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)


@asynccontextmanager
async def browser(folder: Path) -> AsyncIterator[Page]:
    """A tab of a browser that knows nobody yet."""
    port = free_port()
    words = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--remote-debugging-port={port}"]
    words += [f"--user-data-dir={folder}", "--window-size=1200,800", "--no-first-run", "about:blank"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        async with aiohttp.ClientSession() as session:
            tab = await _tab(session, port)
            async with session.ws_connect(tab, max_msg_size=0) as told:
                page = Page(told)
                for domain in ("Page", "Network"):
                    await page.do(f"{domain}.enable")
                yield page
    finally:
        process.terminate()
        process.wait(20)


async def _tab(session: aiohttp.ClientSession, port: int) -> str:
    for _ in range(PATIENCE * 4):
        try:
            async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                tabs = await answer.json()
                return next(str(tab["webSocketDebuggerUrl"]) for tab in tabs if tab["type"] == "page")
        except (aiohttp.ClientError, StopIteration):
            await asyncio.sleep(0.25)
    raise AssertionError("the browser does not answer")


@asynccontextmanager
async def served(home: Path) -> AsyncIterator[str]:
    """The address of a server of its own."""
    port = free_port()
    environment = {**os.environ, "BREAKFIX_HOME": str(home)}
    main = "import sys; from tui.cli import main; sys.exit(main())"
    words = [sys.executable, "-c", main, "serve", "--port", str(port)]
    process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        line = await asyncio.wait_for(asyncio.to_thread(process.stdout.readline), PATIENCE)
        assert str(port).encode() in line
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium on this machine")
def test_a_drill_in_a_browser_and_again_after_a_reload(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "home") as address, browser(tmp_path / "browser") as page:
            await page.do("Page.navigate", url=address)
            await page.until(lambda data: b"First look around" in data)
            await page.press("Enter")
            await page.until(lambda data: b"alex@head-01" in data)
            await page.type("sinfo")
            await page.press("Enter")
            await page.until(lambda data: b"PARTITION" in data)
            page.received = b""
            await page.do("Page.reload")
            await page.until(lambda data: b"Go on with" in data)
            await page.press("Enter")
            await page.until(lambda data: b"alex@head-01" in data)
            outside = [url for url in page.asked if not url.startswith((address, "data:", "about:"))]
            assert not outside, "the page asks nothing of other servers"

    asyncio.run(play())
