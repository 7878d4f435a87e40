"""Waiting: what somebody does at a moment is seen at that moment; what forks within a line is told."""

from __future__ import annotations

import asyncio

import pytest

from engine.kernel.units import SECOND
from engine.shell.lines import forks
from engine.shell.scheduler import Scheduler
from engine.simulation import open_site


def test_a_reply_at_the_same_moment_costs_no_time() -> None:
    async def scene() -> int:
        simulation = open_site("dgx-h100-4")
        scheduler = Scheduler(simulation)
        began, said = simulation.now, False

        def ready() -> bool:
            return said

        watch = asyncio.ensure_future(scheduler.until(ready))
        timer = asyncio.ensure_future(scheduler.sleep(2 * SECOND, 1, scheduler))
        await asyncio.sleep(0)
        said = True
        await scheduler.drive(watch.done)
        timer.cancel()
        return simulation.now - began

    assert asyncio.run(scene()) == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("for i in 1 2; do sleep 1 & done", True),
        ("a && b >&2 2>&1", False),
        ("echo 'a & b'", False),
        ("{ a & b; }", True),
    ],
)
def test_what_forks(text: str, told: bool) -> None:
    assert forks(text) is told
