"""Suggestions for mistyped names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.kernel.names import LONGEST, nearest, quoted, unknown

SITES = ["dgx-h100-4", "dgx-h100-su", "hgx-h200-roce", "k8s-ib-3"]
FAULTS = ["gpu.fell_off_bus", "driver.library_mismatch", "cooling.fan_failed", "cooling.inlet_hot"]


def test_the_nearest_come_first() -> None:
    assert nearest("dgx-h100", SITES) == ["dgx-h100-4", "dgx-h100-su"]
    assert nearest("gpu.fell-of-bus", FAULTS) == ["gpu.fell_off_bus"]
    assert nearest("nothing at all", FAULTS) == []


def test_capitals_and_separators_are_forgiven() -> None:
    assert nearest("DGX_H100.4", SITES)[0] == "dgx-h100-4"
    assert nearest("Gpu-Fell-Off-Bus", FAULTS) == ["gpu.fell_off_bus"]


def test_a_part_of_a_name_finds_it() -> None:
    assert nearest("gpu", FAULTS) == ["gpu.fell_off_bus"]
    assert nearest("cooling", FAULTS) == ["cooling.fan_failed", "cooling.inlet_hot"]


def test_sentences() -> None:
    assert unknown("site", "dgx-h100", SITES) == 'unknown site "dgx-h100"; did you mean "dgx-h100-4" or "dgx-h100-su"?'
    assert unknown("site", "zz", ["b", "a"]) == 'unknown site "zz"; choose from a, b'
    assert unknown("site", "zz", []) == 'unknown site "zz"; there is none to choose from'
    many = unknown("host", "zz", [f"dgx-{i:02}" for i in range(32)])
    assert many == 'unknown host "zz"; nothing like it among 32, such as dgx-00, dgx-01, dgx-02'


def test_quoted_text_is_one_short_line_without_control_characters() -> None:
    assert quoted("a\n\x1b[31mb") == '"a\\n\\x1b[31mb"'
    assert len(quoted("x" * 1_000_000)) == LONGEST + 2


@given(st.text(), st.lists(st.text(max_size=8), max_size=20), st.randoms())
def test_order_of_the_names_does_not_matter(name: str, names: list[str], chance: object) -> None:
    shuffled = sorted(names, key=lambda _: chance.random())  # type: ignore[attr-defined]
    assert nearest(name, names) == nearest(name, shuffled)
    assert set(nearest(name, names)) <= set(names)
    assert unknown("key", name, names) == unknown("key", name, shuffled)
