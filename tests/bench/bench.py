"""Measures how fast breakfix is, against the figures it has to reach, and writes them down as JSON.

    python -m tests.bench.bench [--runs N] [--only TEXT] [--json FILE] [--check]

The entries are data in tests/bench/entries.py. Each is run a few times unmeasured, then N times; the table shows the
median and the slowest, and for a whole process the ratio to a Python that does nothing, which holds across machines.
A figure over its goal is marked; with --check it also makes the exit status 1.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.bench.entries import BASELINE, ENTRIES, PROJECT, Entry

WARM_UP = 2


def measure(entry: Entry, runs: int) -> list[float]:
    """Milliseconds of each run, without the preparation and the first, cold runs; or what the action gives."""
    action = entry.prepare()
    gc.collect()
    gc.freeze()  # what earlier entries left behind is not looked through again
    runs = min(runs, entry.most_runs or runs)
    if entry.megabytes or entry.given:
        return [float(str(action())) for _ in range(runs)]
    for _ in range(min(WARM_UP, runs)):
        action()
    times = []
    for _ in range(runs):
        start = time.perf_counter_ns()
        action()
        times.append((time.perf_counter_ns() - start) / 1e6)
    return times


def result_of(entry: Entry, times: Sequence[float], baseline: float | None) -> dict[str, Any]:
    """An entry's figures as they are written to the JSON file."""
    ordered = sorted(times)
    figures = {
        "median_ms": statistics.median(ordered),
        "p99_ms": ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))],
        "min_ms": ordered[0],
        "max_ms": ordered[-1],
    }
    judged = figures[entry.figure]
    return {
        "name": entry.name,
        **{name: round(value, 3) for name, value in figures.items()},
        "figure": entry.figure,
        "unit": entry.given or ("MB" if entry.megabytes else "ms"),
        "goal_ms": entry.goal_ms,
        "reached": entry.goal_ms is None or judged < entry.goal_ms,
        "ratio_to_baseline": round(judged / baseline, 2) if baseline else None,
    }


def failure_of(entry: Entry, error: Exception) -> dict[str, Any]:
    """An entry that could not be run."""
    return {"name": entry.name, "error": str(error), "reached": False}


def row(result: dict[str, Any]) -> str:
    """A line of the table."""
    if "error" in result:
        return f"{result['name']:<64} failed: {result['error']}"
    goal = f"{result['goal_ms']:>8g}" if result["goal_ms"] is not None else " " * 8
    ratio = f"{result['ratio_to_baseline']:>7.2f}" if result["ratio_to_baseline"] else " " * 7
    mark = "" if result["reached"] else "  OVER"
    return f"{result['name']:<64.64} {result['median_ms']:>9.2f} {result['max_ms']:>9.2f} {goal} {ratio}{mark}"


def run_entries(entries: Sequence[Entry], runs: int) -> list[dict[str, Any]]:
    """Runs the entries one after the other, printing each line as it is known."""
    print(f"{'':<64} {'median ms':>9} {'max ms':>9} {'goal':>8} {'ratio':>7}")
    results: list[dict[str, Any]] = []
    baseline: float | None = None
    for entry in entries:
        try:
            result = result_of(entry, measure(entry, runs), baseline if entry.whole_process else None)
        except Exception as error:  # one broken entry must not hide the others' figures
            result = failure_of(entry, error)
        if entry is BASELINE and "error" not in result:
            baseline = result["median_ms"]
        results.append(result)
        print(row(result), flush=True)
    return results


def machine() -> dict[str, Any]:
    """What the figures depend on, without naming the machine."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
    }


def main(arguments: list[str] | None = None) -> int:
    """Runs the bench; 1 where --check is given and a goal was missed or an entry failed."""
    parser = argparse.ArgumentParser(description="measure how fast breakfix is")
    parser.add_argument("--runs", type=int, default=20, help="measured runs of each entry (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only entries whose name holds TEXT")
    parser.add_argument("--json", type=Path, default=PROJECT / "build" / "bench.json", help="file for the figures")
    parser.add_argument("--check", action="store_true", help="exit 1 where a goal is missed")
    options = parser.parse_args(arguments)
    if options.runs < 1:
        parser.error("--runs takes a number from 1")
    chosen = [entry for entry in ENTRIES if entry is BASELINE or options.only in entry.name]
    results = run_entries(chosen, options.runs)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    report = {"machine": machine(), "runs": options.runs, "entries": results}
    options.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")
    return 1 if options.check and not all(result["reached"] for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
