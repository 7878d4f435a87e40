"""Interpreters are given back: each holds threads and file descriptors, and an hour of work uses thousands."""

from __future__ import annotations

import asyncio
import gc
import os
from pathlib import Path

import pytest

from engine.shell.play import Play
from engine.simulation import open_site

DESCRIPTORS = Path("/proc/self/fd")

LINES = {
    "logins": ["ssh dgx-01", "exit", "bash", "exit"],
    "scripts": ["bash -c 'echo a | cat'", "for i in 1 2 3; do ssh dgx-01 'hostname; uptime'; done"],
    "jobs": ["sleep 5 & (echo b)", "wait"],
    "fan-out": ["clush -w dgx-[01-04] 'date; hostname'"],
    "cut off": ["ssh dgx-01 'sleep 1; nosuch' | head -1"],
}


@pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="descriptors can't be counted here")
@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
def test_what_was_run_leaves_no_descriptor_open(lines: list[str]) -> None:
    async def play() -> list[int]:
        session = Play(open_site("dgx-h100-4", 1))
        terminal = session.open_terminal("head-01", "alex", interactive=True)
        counts = []
        for _ in range(4):
            for line in lines:
                await session.run_line(terminal, line)
            gc.collect()
            counts.append(len(os.listdir(DESCRIPTORS)))
        session.close()
        return counts

    counts = asyncio.run(play())
    assert counts[-1] <= counts[0]


@pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="descriptors can't be counted here")
def test_a_session_that_is_over_leaves_none() -> None:
    async def play() -> None:
        session = Play(open_site("dgx-h100-4", 1))
        terminal = session.open_terminal("head-01", "alex", interactive=True)
        await session.run_line(terminal, "echo a | cat")
        session.close()

    counts = []
    for _ in range(4):
        asyncio.run(play())
        gc.collect()
        counts.append(len(os.listdir(DESCRIPTORS)))
    assert counts[-1] <= counts[0]
