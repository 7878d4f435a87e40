"""Words on the screen and what they mean."""

from __future__ import annotations

import pytest

from tests.support.worlds import inventory
from tui.seen.meant import meant, word_around
from tui.seen.site import Site

GPU5 = inventory().gpu("dgx-02/gpu5")


@pytest.mark.parametrize(
    ("word", "component"),
    [
        ("dgx-03", "dgx-03"),
        ("dgx-03:", "dgx-03"),
        ("leaf-01", "leaf-01"),
        ("10.20.0.13", "dgx-03"),
        ("dgx-03-bmc", "dgx-03"),
        ("dgx-03/gpu2", "dgx-03/gpu2"),
        ("leaf-01/3", "leaf-01"),
        ("gpu5", "dgx-02/gpu5"),
        ("mlx5_4", "dgx-02/mlx5_4"),
        ("fan3", "dgx-02/fan3"),
        ("00000000:C3:00.0", "dgx-02/gpu5"),
        ("0000:c3:00", "dgx-02/gpu5"),
        ("c3:00.0", "dgx-02/gpu5"),
        (GPU5.uuid, "dgx-02/gpu5"),
        (f"[{GPU5.uuid}]", "dgx-02/gpu5"),
    ],
)
def test_names_of_the_site(word: str, component: str) -> None:
    assert meant(Site(inventory()), "dgx-02", word) == component


@pytest.mark.parametrize(
    "word", ["", "-", "idle", "dgx-99", "gpu9", "dgx-03/gpu9", "12:34:56", "ff:ff.0", "10.20.0.99", "GPU-1"]
)
def test_other_words_mean_nothing(word: str) -> None:
    assert meant(Site(inventory()), "dgx-02", word) is None


def test_a_part_needs_a_host_that_has_it() -> None:
    assert meant(Site(inventory()), "head-01", "gpu5") is None
    assert meant(Site(inventory()), "elsewhere", "gpu5") is None


def test_the_word_around_a_place() -> None:
    line = "batch*  up  3  idle dgx-[01-02],dgx-04 (x)"
    assert word_around(line, line.index("idle") + 1) == "idle"
    assert word_around(line, line.index("dgx-04")) == "dgx-04"
    assert word_around(line, 6) == word_around(line, 500) == ""
