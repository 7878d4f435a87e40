"""The census is as docs/census.md tells it; each fault shows, and shows otherwise than every other."""

from __future__ import annotations

import pytest

from engine.faults.fault import catalogue
from tests.census.census import changed
from tests.census.page import PAGE, row

pytestmark = pytest.mark.xdist_group("census")  # what one test works out serves the others

ADVICE = "what this fault changes is not what docs/census.md says; if that is meant: make census"


@pytest.mark.parametrize("fault", catalogue())
def test_a_fault_changes_what_the_page_says_and_nothing_else(fault: str) -> None:
    assert row(fault) in PAGE.read_text(encoding="utf-8"), ADVICE


@pytest.mark.parametrize("fault", catalogue())
def test_a_fault_shows_somewhere(fault: str) -> None:
    assert changed(fault), f"no look of looks.txt shows {fault}: add the one with which people find it"


SAME_FROM_ONE_NODE = {"power.feed_lost": "power.strip_fuse"}
"""Told apart by the other nodes of the rack and by who looks at its strips, which no look from one node does."""


def test_no_two_faults_show_the_same() -> None:
    seen: dict[tuple[tuple[str, str], ...], str] = {}
    for fault in catalogue():
        shown = tuple(changed(fault).items())
        assert seen.get(shown) in (None, *SAME_FROM_ONE_NODE), f"{fault} shows exactly what {seen.get(shown)} shows"
        seen[shown] = fault
