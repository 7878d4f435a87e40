"""Tab after a colon."""

from __future__ import annotations

import asyncio

import pytest

from scenarios.catalogue import packaged
from scenarios.session import DrillSession
from tui.live.move_completion import complete_move


@pytest.fixture(scope="module")
def session() -> DrillSession:
    return asyncio.run(DrillSession.start(packaged("all-quiet"), 1))


@pytest.mark.parametrize(
    ("line", "candidates"),
    [
        (":dia", (":diagnose ",)),
        (":h", (":hands ", ":help ", ":hint ")),
        (":diagnose c", ("cause=", "component=")),
        (":diagnose cause=gpu.f", ("cause=gpu.fell_off_bus ",)),
        (":diagnose component=spine-01", ("component=spine-01", "component=spine-01/")),
        (":diagnose component=leaf-01/16", ("component=leaf-01/16",)),
        (":diagnose component=no", ("component=none",)),
        (":diagnose component=dgx-02/gpu", tuple(f"component=dgx-02/gpu{number}" for number in range(8))),
        (":diagnose component=dgx-09/", ()),
        (":hands rep", ("replace ", "replace-transceiver ")),
        (":hands replace target=dgx-01/psu", tuple(f"target=dgx-01/psu{number}" for number in range(6))),
        (":note x", ()),
    ],
)
def test_candidates(session: DrillSession, line: str, candidates: tuple[str, ...]) -> None:
    assert complete_move(session, line, len(line)).candidates == candidates
