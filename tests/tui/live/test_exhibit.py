"""The cluster behind an exhibit, opened in the shell."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine.kernel.errors import BreakfixError
from exams.exhibits import Exhibits
from tests.exams import bank
from tui.live.exhibit import open_exhibit


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    return tmp_path


class Printed:
    """A pane that only remembers what was printed."""

    size_in_cells = (80, 24)

    def __init__(self) -> None:
        self.text = ""

    def print(self, data: bytes, is_error: bool) -> None:
        self.text += data.decode()

    async def ask(self, prompt: str, hidden: bool) -> str | None:
        return None

    async def show(self, screen: object, refresh: int | None) -> int | None:
        return None


def test_it_shows_what_the_exhibit_shows_and_changes_nothing_in_it(home: Path) -> None:
    async def run() -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        exhibits, item = Exhibits(), bank.course().item("idle-node")
        before = (await exhibits.show(item, 1)).lines
        live = await open_exhibit(exhibits, item, 1)
        live.seat(1).view = view = Printed()
        await live.seat(1).run_line("sinfo")
        await live.seat(1).run_line("sudo scontrol update nodename=dgx-04 state=drain reason=mine")
        assert live.elapsed < live.simulation.now
        live.close()
        return view.text, before, (await exhibits.show(item, 1)).lines

    printed, before, after = asyncio.run(run())
    assert before == after
    assert printed.splitlines()[: len(before) - 1] == list(before[1:])
    assert list(home.rglob("*.jsonl")) == []


def test_a_text_has_no_cluster() -> None:
    with pytest.raises(BreakfixError, match="no cluster"):
        asyncio.run(open_exhibit(Exhibits(), bank.course().item("fixed-exhibit"), 1))
