"""What the learner has played to its end: one line of JSON for each result, so that home can show it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from tui.paths import played_file


@dataclass(frozen=True, slots=True)
class Played:
    """A drill that was handed in: its scenario's id, the seed, and what came of it."""

    scenario: str
    seed: int
    score: int
    passed: bool


def remember(result: Played) -> None:
    """Add a result. A disk that does not take it loses no more than this line."""
    path = played_file()
    record = {name: getattr(result, name) for name in Played.__slots__}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
    except OSError:
        return


def best_results() -> dict[str, Played]:
    """The best result of each scenario by its id: passed before not passed, then by score."""
    best: dict[str, Played] = {}
    for one in results():
        known = best.get(one.scenario)
        if known is None or (one.passed, one.score) > (known.passed, known.score):
            best[one.scenario] = one
    return best


def results() -> Iterator[Played]:
    """All results that can be read, oldest first."""
    try:
        lines = played_file().read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        try:
            told = json.loads(line)
            yield Played(str(told["scenario"]), int(told["seed"]), int(told["score"]), bool(told["passed"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
