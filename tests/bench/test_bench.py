"""The bench reports figures, marks what misses its goal and survives an entry that breaks. No time is asserted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.bench import bench
from tests.bench.entries import BASELINE, ENTRIES, Action, Entry, process


def counting(calls: list[int]) -> Action:
    return lambda: calls.append(1)


def test_every_run_is_measured_and_the_warm_up_is_not() -> None:
    calls: list[int] = []
    assert len(bench.measure(Entry("count", lambda: counting(calls)), runs=5)) == 5
    assert len(calls) == 5 + bench.WARM_UP


def test_figures_are_those_of_the_runs() -> None:
    entry = Entry("x", lambda: counting([]), goal_ms=4, figure="p99_ms")
    result = bench.result_of(entry, [3.0, 1.0, 5.0, 2.0], baseline=2.0)
    assert (result["median_ms"], result["min_ms"], result["max_ms"], result["p99_ms"]) == (2.5, 1.0, 5.0, 5.0)
    assert result["reached"] is False
    assert result["ratio_to_baseline"] == 2.5


def test_an_action_can_give_the_figure_itself() -> None:
    entry = Entry("x", lambda: lambda: 7.5, goal_ms=7, given="%", most_runs=1)
    result = bench.result_of(entry, bench.measure(entry, runs=3), baseline=None)
    assert (result["median_ms"], result["unit"], result["reached"]) == (7.5, "%", False)


def test_report_and_exit_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = process("broken", sys.executable, "-c", "import sys; sys.exit('out of order')")
    monkeypatch.setattr(bench, "ENTRIES", (BASELINE, Entry("fine", lambda: counting([]), goal_ms=1e9), broken))
    file = tmp_path / "new" / "bench.json"
    assert bench.main(["--runs", "1", "--json", str(file), "--check"]) == 1
    entries = {entry["name"]: entry for entry in json.loads(file.read_text("utf-8"))["entries"]}
    assert entries["fine"]["reached"] is True
    assert "out of order" in entries["broken"]["error"]
    assert "out of order" in capsys.readouterr().out
    assert bench.main(["--runs", "1", "--json", str(file), "--check", "--only", "fine"]) == 0


def test_names_are_unique_and_the_baseline_comes_first() -> None:
    assert len({entry.name for entry in ENTRIES}) == len(ENTRIES)
    assert ENTRIES[0] is BASELINE
