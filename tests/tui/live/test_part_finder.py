"""Parts by a piece of their ids, compared with a search through a list of all of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.live.part_finder import AlikePlaces, find_parts

ALIKE = [
    AlikePlaces(("dgx-01", "dgx-02", "DGX-11"), ("gpu0", "gpu1", "mlx5_1", "mlx5_1/1", "fan11")),
    AlikePlaces(("leaf-01",), ("1", "11")),
]
IDS = [f"{place}/{part}" for group in ALIKE for place in group.places for part in group.parts]


def plainly(words: list[str]) -> list[str]:
    """The same without groups."""
    return [
        id
        for id in IDS
        if all(word in id.casefold() for word in words)
        and not all(word in id.partition("/")[0].casefold() for word in words)
    ]


WORDS = [*map(str.casefold, IDS), *"01/gx", "11", "fan", "dgx-0", "2/fan", "/1", "1/1", "01/1", "1/m", "zz"]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
def test_the_same_is_found_as_by_looking_at_every_id(words: list[str]) -> None:
    found = find_parts(ALIKE, words, 100)
    assert list(found.ids) == plainly(words)
    assert (found.found, found.of) == (len(found.ids), len(IDS))


def test_only_so_many_are_listed_and_all_are_counted() -> None:
    found = find_parts(ALIKE, ["gpu"], 3)
    assert found.ids == ("dgx-01/gpu0", "dgx-01/gpu1", "dgx-02/gpu0")
    assert found.found == 6
