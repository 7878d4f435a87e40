"""Hosts in use: where terminals are, what their lines and a text name."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tui.live import sandbox
from tui.live.hosts_in_use import named_hosts, recent_hosts
from tui.opening import Opening


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def test_recent_hosts_come_from_terminals_and_their_lines() -> None:
    async def run() -> list[str]:
        live = await sandbox.begin(Opening("dgx-h100-4", 1))
        for line in ("ssh dgx-02 uptime", "ping -c 1 dgx-03", "ssh dgx-04"):
            await live.run_line(1, line)
        found = recent_hosts(live)
        live.close()
        return found

    assert asyncio.run(run()) == ["dgx-04", "dgx-03", "dgx-02"]


def test_hosts_are_named_in_text_and_in_lines() -> None:
    known = {"dgx-01", "dgx-02", "head-01"}
    assert named_hosts("It is (dgx-02). dgx-01, dgx-02; dgx-03-", known) == ["dgx-02", "dgx-01"]
    assert named_hosts("scp alex@head-01:/tmp/x nodename=dgx-01", known) == ["head-01", "dgx-01"]
    assert named_hosts("dgx-011 xdgx-01", known) == []
