"""Splits of a tab: the panes always cover the area exactly, and the focus is always somewhere."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tui.workspace.arrangement import Arrangement, Box, Way

AREA = Box(0, 0, 80, 22)

steps = st.lists(
    st.one_of(
        st.tuples(st.just("split"), st.sampled_from(Way)),
        st.tuples(st.just("remove"), st.integers(0, 20)),
        st.tuples(st.just("choose"), st.integers(0, 20)),
        st.tuples(st.just("towards"), st.sampled_from(["left", "right", "up", "down"])),
        st.tuples(st.just("resize"), st.tuples(st.sampled_from(Way), st.floats(-0.5, 0.5))),
        st.tuples(st.just("next"), st.integers(-3, 3)),
    ),
    max_size=25,
)


def played(moves: list[tuple[str, object]]) -> Arrangement[int]:
    tab, new = Arrangement.of(0), 0
    for move, value in moves:
        panes = tab.panes
        if move == "split":
            new += 1
            tab.split(value, new)  # type: ignore[arg-type]
        elif move == "remove":
            tab.remove(panes[value % len(panes)])  # type: ignore[operator]
        elif move == "choose":
            tab.choose(panes[value % len(panes)])  # type: ignore[operator]
        elif move == "towards":
            tab.choose(tab.towards(str(value), AREA))
        elif move == "resize":
            tab.resize(*value)  # type: ignore[misc]
        else:
            tab.choose(tab.next(value))  # type: ignore[arg-type]
    return tab


@given(steps)
@settings(deadline=None)
def test_panes_cover_the_area_without_overlap(moves: list[tuple[str, object]]) -> None:
    tab = played(moves)
    cells = [
        (column, row)
        for _, box in tab.boxes(AREA)
        for column in range(box.column, box.column + box.columns)
        for row in range(box.row, box.row + box.rows)
    ]
    assert len(cells) == len(set(cells)) == AREA.columns * AREA.rows


@given(steps)
@settings(deadline=None)
def test_the_chosen_pane_is_one_of_the_panes(moves: list[tuple[str, object]]) -> None:
    tab = played(moves)
    assert tab.chosen in tab.panes
    assert len(set(tab.panes)) == len(tab.panes)


def test_a_split_gives_the_new_pane_the_focus_and_closing_it_gives_it_back() -> None:
    tab = Arrangement.of("a")
    tab.split(Way.SIDE_BY_SIDE, "b")
    assert tab.panes == ["a", "b"]
    assert tab.chosen == "b"
    assert tab.boxes(AREA) == [("a", Box(0, 0, 40, 22)), ("b", Box(40, 0, 40, 22))]
    assert tab.remove("b")
    assert tab.chosen == "a"
    assert not tab.remove("a")


def test_directions_go_to_the_neighbour() -> None:
    tab = Arrangement.of("left")
    tab.split(Way.SIDE_BY_SIDE, "right")
    tab.split(Way.STACKED, "below")
    assert tab.towards("up", AREA) == "right"
    assert tab.towards("left", AREA) == "left"
    tab.choose("left")
    assert tab.towards("right", AREA) == "right"
    assert tab.towards("down", AREA) == "left"


def test_zoom_shows_one_pane_and_choosing_another_ends_it() -> None:
    tab = Arrangement.of("a")
    tab.split(Way.STACKED, "b")
    tab.zoomed = True
    assert tab.boxes(AREA) == [("b", AREA)]
    tab.choose("a")
    assert not tab.zoomed


def test_resizing_gives_the_chosen_pane_more() -> None:
    tab = Arrangement.of("a")
    tab.split(Way.SIDE_BY_SIDE, "b")
    tab.resize(Way.SIDE_BY_SIDE, 0.25)
    assert dict(tab.boxes(AREA))["b"].columns == 60
    tab.choose("a")
    tab.resize(Way.SIDE_BY_SIDE, 0.25)
    assert dict(tab.boxes(AREA))["a"].columns == 40
