"""Which tests a run has, how long they take, and what parameters change."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine.kernel.units import SECOND
from engine.workloads.dcgm_diag import outcome, plan
from engine.workloads.dcgm_diag.outcome import Result
from engine.workloads.dcgm_diag.plan import SOFTWARE, TESTS, Parameters, UnknownTests, limits, word

NOW, BEFORE = (4, 4), (3, 3)


def named(run: str, release: tuple[int, int] = NOW) -> list[str]:
    return [test.name for test in plan.tests(run, release)]


def test_each_level_has_the_tests_of_those_below() -> None:
    levels = [named(str(level)) for level in (1, 2, 3, 4)]
    assert levels[0] == ["software"] and "memtest" in levels[3]
    assert all(set(lower) < set(higher) for lower, higher in pairwise(levels))
    assert "context_create" not in levels[3] and named("context_create") == ["software", "context_create"]


def test_levels_have_words_and_names_any_case() -> None:
    assert named("medium") == named("2") and named("Long") == named("3")
    assert named("PCIe, Diagnostic") == ["software", "diagnostic", "pcie"]
    assert (word("3"), word("pcie")) == ("long", "pcie")


def test_a_release_has_its_own_tests() -> None:
    assert "nvbandwidth" in named("3") and "nvbandwidth" not in named("3", BEFORE)
    assert "nccl_tests" not in named("3") and "nccl_tests" in named("3", (4, 5))


@pytest.mark.parametrize("run", ["nonsense", "5", "pcie,nonsense", ","])
def test_what_is_no_test_is_refused(run: str) -> None:
    with pytest.raises(UnknownTests):
        plan.tests(run, NOW)


def test_parameters_are_read_as_numbers_truths_and_times() -> None:
    parameters = Parameters({("pcie", "x"): "2.5", ("pcie", "y"): "False", ("memtest", "test_duration"): "30"})
    assert parameters.number("pcie", "x", 1.0) == 2.5 and parameters.number("pcie", "y", 1.0) == 1.0
    assert not parameters.yes("pcie", "y", True) and parameters.yes("pcie", "z", True)
    memtest = next(test for test in TESTS if test.name == "memtest")
    assert parameters.time(memtest) == (30 + memtest.overhead) * SECOND
    assert Parameters().time(memtest) > 600 * SECOND


def test_a_model_without_limits_is_hardly_ever_short_of_them() -> None:
    assert limits("2330").power == 700.0 and limits("ffff").power == 100.0


def test_the_worst_result_is_the_tests_own() -> None:
    run = outcome.TestRun(SOFTWARE, {0: Result.PASS, 1: Result.SKIP})
    assert run.result is Result.PASS
    run.results[1] = Result.WARN
    assert run.result is Result.WARN
    run.results[0] = Result.FAIL
    assert run.result is Result.FAIL and outcome.TestRun(SOFTWARE).result is Result.SKIP
