"""The learner's way: what comes next follows from results, and says why without giving anything away."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.cli import main
from tui.home_list import DRILLS, NEXT, PROGRESS, load_entries
from tui.learning import Drill, areas, level, next_drill, packaged_drills
from tui.played import Played, remember

DRILLS_OF_TWO = [
    Drill("a1", "A one", "gpu", 1), Drill("a2", "A two", "gpu", 2), Drill("a3", "A three", "gpu", 3),
    Drill("b1", "B one", "slurm", 1), Drill("b2", "B two", "slurm", 2), Drill("b3", "B three", "slurm", 3),
]  # fmt: skip


def played(*told: tuple[str, int]) -> list[Played]:
    return [Played(name, 1, score, score >= 60) for name, score in told]


def test_the_first_drill_is_an_easy_one() -> None:
    found = next_drill(DRILLS_OF_TWO, [])
    assert found is not None and found.drill.name == "a1" and "easy" in found.reason
    assert next_drill([], []) is None


def test_levels_follow_what_was_done_well() -> None:
    assert level(DRILLS_OF_TWO, played(("a1", 95))) == 1, "one is not enough"
    assert level(DRILLS_OF_TWO, played(("a1", 95), ("b1", 70))) == 1, "passed, but not well"
    assert level(DRILLS_OF_TWO, played(("a1", 95), ("b1", 90))) == 2
    assert level(DRILLS_OF_TWO, played(("a2", 95), ("b2", 90))) == 3


def test_the_area_with_the_least_comes_first() -> None:
    found = next_drill(DRILLS_OF_TWO, played(("a1", 95), ("a2", 90)))
    assert found is not None and found.drill.name == "b2" and "passed 0 so far" in found.reason
    assert "slurm" not in found.reason and "B" not in found.reason


def test_what_was_not_passed_comes_again_but_not_for_ever() -> None:
    once = next_drill(DRILLS_OF_TWO, played(("a1", 95), ("b1", 20)))
    assert once is not None and once.drill.name == "b1" and "Not passed" in once.reason
    twice = next_drill(DRILLS_OF_TWO, played(("a1", 95), ("b1", 20), ("b1", 30)))
    assert twice is not None and twice.drill.name != "b1"


def test_when_all_were_played_the_weakest_comes() -> None:
    found = next_drill(DRILLS_OF_TWO, played(*((drill.name, 90) for drill in DRILLS_OF_TWO[:-1]), ("b3", 65)))
    assert found is not None and found.drill.name == "b3" and "65" in found.reason


def test_areas_count_the_best_of_each_drill() -> None:
    gpu, slurm = areas(DRILLS_OF_TWO, played(("a1", 20), ("a1", 80), ("a2", 40)))
    assert (gpu.played, gpu.passed, gpu.drills, gpu.score) == (2, 1, 3, 60)
    assert (slurm.played, slurm.passed, slurm.score) == (0, 0, None)


def test_every_packaged_drill_is_in_an_area() -> None:
    drills = packaged_drills()
    assert sum(area.drills for area in areas(drills, [])) == len(drills) > 40


def test_home_and_the_command_line_say_what_is_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    assert not [one for one in load_entries(new_here=True) if one.section in (NEXT, PROGRESS)]
    remember(Played("gpu-off-the-bus", 1, 30, False))
    entries = load_entries(new_here=True)
    [coming] = [one for one in entries if one.section == NEXT]
    assert coming.drill == "gpu-off-the-bus" and any("Not passed" in text for _, text in coming.details)
    assert len({one.id for one in entries}) == len(entries) and any(one.section == PROGRESS for one in entries)
    assert any(one.section == DRILLS and one.drill == coming.drill for one in entries)
    monkeypatch.setattr("sys.argv", ["breakfix", "progress"])
    assert main() == 0
    told = capsys.readouterr().out
    assert "Next: " in told and "(breakfix drill gpu-off-the-bus)" in told and "0 of" in told
