"""Names in braces, beside the braces of a shell."""

from __future__ import annotations

import pytest

from engine.kernel.errors import BreakfixError
from engine.kernel.units import MINUTE
from scenarios.templates import TemplateError, fill, names_in, time_offset

VALUES = {"gpu": "dgx-02/gpu5", "gpu.index": "5", "node": "dgx-02"}


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("ssh {node} nvidia-smi -i {gpu.index}", "ssh dgx-02 nvidia-smi -i 5"),
        ("awk '{print $1}' | awk '{ print }'", "awk '{print $1}' | awk '{ print }'"),
        ("echo ${node} ${HOME} {a,b} {1..3} {}", "echo ${node} ${HOME} {a,b} {1..3} {}"),
        ("awk '{{print}}'", "awk '{print}'"),
        ("{node}{node}", "dgx-02dgx-02"),
        ("no names", "no names"),
    ],
)
def test_only_names_are_filled_in(text: str, filled: str) -> None:
    assert fill(text, VALUES) == filled


def test_an_unknown_name_is_told_with_the_nearest_one() -> None:
    with pytest.raises(TemplateError, match=r'unknown name "nod"; did you mean "node"\?.*write \{\{nod\}\}'):
        fill("ssh {nod}", VALUES)


def test_names_are_found_in_order() -> None:
    assert names_in("{gpu.index} ${x} {{y}} {node}") == ["gpu.index", "node"]


def test_times_may_lie_before_the_arrival() -> None:
    assert time_offset("-1h30m") == -90 * MINUTE
    assert time_offset("0s") == 0
    with pytest.raises(BreakfixError):
        time_offset("--5m")
    with pytest.raises(BreakfixError, match="longer than 30d"):
        time_offset("-31d")
