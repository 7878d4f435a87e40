"""An arrangement of panes as plain data, and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.tui.workspace.test_arrangement import AREA, played, steps
from tui.workspace.arrangement import Arrangement, from_data, to_data


@given(steps)
def test_it_comes_back_as_it_was(moves: list[tuple[str, object]]) -> None:
    tab = played(moves)
    tab.zoomed = False
    data = to_data(tab.root, lambda pane: pane)
    tree = from_data(data, lambda number: number)
    assert tree is not None
    assert Arrangement.of_tree(tree).boxes(AREA) == tab.boxes(AREA)


def test_panes_that_are_gone_leave_their_space_to_the_others() -> None:
    data = ["side by side", 0.5, 1, ["stacked", 0.5, 2, 3]]
    assert from_data(data, {1: "a", 3: "c"}.get) is not None
    tree = from_data(data, {1: "a", 3: "c"}.get)
    assert tree is not None
    assert Arrangement.of_tree(tree).panes == ["a", "c"]
    assert from_data(data, {2: "b"}.get) == "b"
    assert from_data(data, {}.get) is None


@pytest.mark.parametrize("data", ["x", [], ["sideways", 0.5, 1, 2], ["stacked", "a", 1, 2], None, [1, 2, 3]])
def test_anything_else_is_refused(data: Any) -> None:
    with pytest.raises(ValueError):
        from_data(data, lambda number: number)
