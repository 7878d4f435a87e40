"""The web server: who is let in, what a page may load, how many may play, and where their things are kept."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import aiohttp
import pytest
from aiohttp.test_utils import TestServer

from engine.kernel.errors import BreakfixError
from tui.commands import serve
from tui.web.server import WebServer
from tui.web.visitors import Full, Visitors, known_token, new_token

Play = Callable[[aiohttp.ClientSession, str], Awaitable[None]]


def served(folder: Path, play: Play, seats: int = 2) -> None:
    """Do something with a server."""

    async def run() -> None:
        server = TestServer(await WebServer("127.0.0.1", 0, folder, seats).make_app())
        jar = aiohttp.CookieJar(unsafe=True)
        async with server, aiohttp.ClientSession(cookie_jar=jar) as client:
            await play(client, str(server.make_url("/")).rstrip("/"))

    asyncio.run(run())


async def received(socket: aiohttp.ClientWebSocketResponse, wanted: bytes) -> bytes:
    """What comes until something was in it, or the end."""
    data = b""
    async with asyncio.timeout(90):
        while wanted not in data:
            message = await socket.receive()
            if message.type is not aiohttp.WSMsgType.BINARY:
                break
            data += message.data
    return data


def test_the_page_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    async def play(client: aiohttp.ClientSession, at: str) -> None:
        answer = await client.get(f"{at}/")
        text = await answer.text()
        assert answer.status == 200
        assert not re.findall(r"(?:src|href)=\"(?:https?:)?//", text)
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'self'")
        for path in re.findall(r"(?:src|href)=\"(/static/[^\"]+)\"", text) + re.findall(r"url\(\"([^\"]+)\"\)", text):
            assert (await client.get(at + path)).status == 200, path

    served(tmp_path, play)


def test_only_its_own_page_opens_a_session(tmp_path: Path) -> None:
    async def refused(client: aiohttp.ClientSession, at: str, **more: str) -> int:
        with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
            await client.ws_connect(f"{at}/ws", **more)  # type: ignore[arg-type]
        return caught.value.status

    async def play(client: aiohttp.ClientSession, at: str) -> None:
        assert await refused(client, at, origin=at) == 403, "nobody without a cookie"
        await client.get(f"{at}/")
        assert await refused(client, at) == 403
        assert await refused(client, at, origin="http://elsewhere.example") == 403

    served(tmp_path, play)
    assert not [*tmp_path.iterdir()]


def test_a_visitor_plays_in_a_folder_of_their_own_and_comes_back_to_it(tmp_path: Path) -> None:
    async def play(client: aiohttp.ClientSession, at: str) -> None:
        for _ in range(2):
            await client.get(f"{at}/")
            async with client.ws_connect(f"{at}/ws?width=100&height=30", origin=at) as socket:
                assert b"First look around" in await received(socket, b"First look around")
                await socket.send_str(json.dumps(["resize", {"width": 120, "height": 36}]))

    served(tmp_path, play)
    (home,) = tmp_path.iterdir()
    assert re.fullmatch(r"[0-9a-f]{32}", home.name) and home.stat().st_mode & 0o077 == 0


def test_when_all_seats_are_taken_it_says_so(tmp_path: Path) -> None:
    async def play(client: aiohttp.ClientSession, at: str) -> None:
        await client.get(f"{at}/")
        async with client.ws_connect(f"{at}/ws", origin=at) as first:
            await received(first, b"breakfix")
            async with client.ws_connect(f"{at}/ws", origin=at) as second:
                assert b"All seats are taken" in await received(second, b"\0never")

    served(tmp_path, play, seats=1)


def test_seats_come_free_again() -> None:
    visitors = Visitors(Path("x"), 1)
    with visitors.session(), pytest.raises(Full), visitors.session():
        pass
    with visitors.session():
        assert visitors.running == 1


def test_cookies_that_are_not_ours_are_nobodys() -> None:
    token = new_token()
    assert known_token(token) == token
    assert known_token("../../etc/passwd") is known_token("") is known_token(None) is None
    assert Visitors(Path("x"), 1).home(token).parent == Path("x")


@pytest.mark.parametrize(
    ("words", "told"),
    [(["--port", "0"], "0 is no port"), (["--port", "99999"], "is no port"), (["--seats", "0"], "cannot be served")],
)
def test_what_cannot_be_served_is_said(words: list[str], told: str) -> None:
    parser = argparse.ArgumentParser()
    serve.add_arguments(parser)
    with pytest.raises(BreakfixError, match=told):
        serve.run(parser.parse_args(words))


def test_listening_for_everybody_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tui.web.server.serve", lambda *_: None)
    parser = argparse.ArgumentParser()
    serve.add_arguments(parser)
    for host, warned in (("127.0.0.1", False), ("::1", False), ("localhost", False), ("0.0.0.0", True), ("box", True)):
        assert serve.run(parser.parse_args(["--host", host])) == 0
        assert ("everybody who reaches" in capsys.readouterr().err) == warned
