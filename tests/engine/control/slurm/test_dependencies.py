"""`--dependency`: what a job waits for, what is told of it, and when it never comes."""

from __future__ import annotations

import pytest

from engine.control.slurm.dependencies import read
from engine.control.slurm.errors import Refused
from engine.simulation import open_site
from engine.world.records import Dependency
from tests.support.sessions import last, screen

FIRST = 48290
SHOW = "squeue -h -t PD -o '%i %r %E'"
MINUTE = 60 * 10**9


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ()),
        ("12", (Dependency("afterany", 12),)),
        ("afterok:12:13", (Dependency("afterok", 12), Dependency("afterok", 13))),
        ("after:12+5,singleton", (Dependency("after", 12, 5 * MINUTE), Dependency("singleton"))),
    ],
)
def test_what_is_understood(text: str, found: tuple[Dependency, ...]) -> None:
    assert read(text) == (found, False)


def test_one_of_several() -> None:
    assert read("afterok:1?afterany:2") == ((Dependency("afterok", 1), Dependency("afterany", 2)), True)


@pytest.mark.parametrize(
    "text", ["foo:1", "afterok", "afterok:", "afterok:x", "afterok:1+5", "singleton:1", "afterok:1,afterok:2?afterok:3"]
)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        read(text)


def test_an_unknown_job_is_refused_at_submission() -> None:
    shown = screen(open_site("dgx-h100-4"), ["sbatch -d afterok:99999 --wrap true"])
    assert shown == "sbatch: error: Batch job submission failed: Job dependency problem\n"


def waits(kind: str, ends: str, *later: str) -> str:
    """What is told of a job that waits for one which ends so."""
    lines = [f"sbatch --wrap '{ends}'", f"sbatch -d {kind} --wrap true", *later, SHOW]
    return last(open_site("dgx-h100-4"), lines)


def test_a_job_waits_and_then_runs() -> None:
    told = f"{FIRST + 1} Dependency afterok:{FIRST}(unfulfilled)\n"
    assert waits(f"afterok:{FIRST}", "sleep 20", "sleep 5") == told
    assert waits(f"afterok:{FIRST}", "sleep 20", "sleep 40") == ""


def test_a_job_that_can_never_run_says_so() -> None:
    told = f"{FIRST + 1} DependencyNeverSatisfied afterok:{FIRST}(failed)\n"
    assert waits(f"afterok:{FIRST}", "exit 1", "sleep 40") == told
    assert waits(f"afternotok:{FIRST}", "exit 1", "sleep 40") == ""
    assert waits(f"afterany:{FIRST}", "exit 1", "sleep 40") == ""


def test_minutes_after_the_beginning() -> None:
    assert "Dependency after" in waits(f"after:{FIRST}+1", "sleep 900", "sleep 50")
    assert waits(f"after:{FIRST}+1", "sleep 900", "sleep 70") == ""


def test_one_at_a_time_of_a_name() -> None:
    assert "singleton(unfulfilled)" in waits("singleton", "sleep 100", "sleep 20")


def test_a_dependency_is_taken_away() -> None:
    update = f"scontrol update jobid={FIRST + 1} dependency="
    assert waits(f"afterok:{FIRST}", "sleep 900", "sleep 5", update, "sleep 5") == ""
