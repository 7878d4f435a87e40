"""The forms for large fabrics make the same tables as the plain ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control.subnet_manager.routing.candidates import minhop_candidates, updn_candidates
from engine.control.subnet_manager.routing.engines import Tables
from engine.control.subnet_manager.routing.fabric import Fabric
from engine.control.subnet_manager.routing.fat_tree import FatTree, NotFatTree
from engine.control.subnet_manager.routing.fat_tree_walk import fat_tree_tables
from engine.control.subnet_manager.routing.plain import balanced_tables
from engine.control.subnet_manager.routing.vectorised import regular_tree, routes
from tests.engine.control.subnet_manager.routing import scenes
from tests.engine.control.subnet_manager.routing.drawings import Drawing, irregular, rails, three_tier, two_tier

GRAPHS = st.builds(
    irregular,
    switches=st.integers(2, 24),
    degree=st.integers(2, 6),
    adapters=st.integers(1, 90),
    seed=st.integers(0, 10_000),
)


def plain(known: Fabric, roots: Sequence[int] | None = None, previous: Tables | None = None) -> Tables | None:
    """updn's tables with roots (none found: an empty list finds them itself), else minhop's."""
    candidates = minhop_candidates(known) if roots is None else updn_candidates(known, roots or None)
    return None if candidates is None else balanced_tables(known, candidates, previous)


def vectorised(known: Fabric, roots: Sequence[int] | None = None, previous: Tables | None = None) -> Tables | None:
    return (
        routes.minhop_tables(known, previous) if roots is None else routes.updn_tables(known, roots or None, previous)
    )


@given(GRAPHS)
def test_minhop_on_any_graph(drawing: Drawing) -> None:
    known = scenes.fabric(drawing.text())
    assert vectorised(known) == plain(known)


@given(GRAPHS, st.integers(1, 7), st.integers(0, 3))
def test_updn_on_any_graph_with_any_roots(drawing: Drawing, step: int, start: int) -> None:
    known = scenes.fabric(drawing.text())
    roots = known.switch_guids[start::step]
    assert vectorised(known, roots) == plain(known, roots)


@given(GRAPHS, st.integers(1, 5), st.booleans())
def test_what_still_serves_is_kept(drawing: Drawing, lost: int, updn: bool) -> None:
    """A second loss after a first one, so that the tables kept are not the fresh ones any more."""
    whole = scenes.fabric(drawing.text())
    roots = whole.switch_guids[::3] if updn else None
    lids, tables = scenes.lids(whole), plain(whole, roots)
    for seed in (1, 2):
        cables = min(lost, len(drawing.switch_sockets()))
        known = scenes.fabric(drawing.damaged(cables=cables, seed=seed).text(), lids)
        expected = plain(known, roots, tables)
        assert vectorised(known, roots, tables) == expected
        if expected is None:
            break
        tables = expected


TREES: dict[str, Callable[[], Drawing]] = {
    "two tiers": lambda: two_tier(6, 4, 10, cables=3),
    "two tiers, GUIDs drawn": lambda: two_tier(7, 3, 5, cables=2).with_guids_drawn(4),
    "two tiers, spine gone": lambda: two_tier(6, 4, 9, cables=2).damaged(switches=("spine02",)),
    "rails, last unit half empty": lambda: rails(20, 4, 8, 4).with_guids_drawn(9),
    "three tiers, one cable": lambda: three_tier(8 * 16, 8),
    "three tiers, four cables": lambda: three_tier(4 * 16, 16).with_guids_drawn(6),
    "three tiers, two cables": lambda: three_tier(2 * 64, 16).with_guids_drawn(1),
    "three tiers, uneven leaves": lambda: without_adapters(three_tier(128, 8).with_guids_drawn(8), 17),
}


def without_adapters(drawing: Drawing, count: int) -> Drawing:
    for number in range(count):
        drawing.unplug((number * 3 % 100, 1))
    return drawing


@pytest.mark.parametrize("name", TREES)
def test_regular_fat_trees(name: str) -> None:
    tree = FatTree(scenes.fabric(TREES[name]().text()))
    assert regular_tree.tables(tree) == fat_tree_tables(tree)


@pytest.mark.parametrize("cables", [0, 2])
def test_trees_that_are_not_regular_are_left_to_the_walk(cables: int) -> None:
    drawing = three_tier(128, 8).damaged(cables=cables)
    known = scenes.fabric(drawing.text())
    roots = [guid for guid, ends in zip(known.switch_guids, known.ends_of, strict=True) if guid >> 24 & 0xFF == 2]
    tables = regular_tree.tables(FatTree(known, roots))
    assert tables == (None if cables else fat_tree_tables(FatTree(known, roots)))


@pytest.mark.slow
@pytest.mark.parametrize("draw", [lambda: three_tier(1024, 16), lambda: three_tier(1024, 16).damaged(cables=9)])
def test_a_thousand_adapters(draw: Callable[[], Drawing]) -> None:
    known = scenes.fabric(draw().text())
    assert vectorised(known) == plain(known)
    assert vectorised(known, []) == plain(known, [])
    try:
        tree = FatTree(known)
    except NotFatTree:
        return
    assert regular_tree.tables(tree) == fat_tree_tables(tree)
