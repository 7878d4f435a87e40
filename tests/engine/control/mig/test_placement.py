"""Which instances fit where: the placement rules of the MIG user guide and what captures show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.control.mig import placement
from engine.control.mig.profiles import PROFILES, compute_named, compute_profiles, named, profile, profiles
from engine.sites.build import load_site
from engine.world.inventory import GpuProduct
from engine.world.records import ComputeInstance, GpuInstance

H100 = load_site("dgx-h100-4").gpu("dgx-04/gpu0").product


def cut(*wanted: int, product: GpuProduct = H100) -> list[int | None]:
    """Ids of the instances that profiles get, one after the other; None for one that has no room."""
    taken: list[GpuInstance] = []
    found: list[int | None] = []
    for identifier in wanted:
        kind = profile(product, identifier)
        start = placement.find_start(product, taken, kind)
        found.append(None if start is None else placement.instance_id(kind, start))
        if start is not None:
            taken.append(GpuInstance(placement.instance_id(kind, start), identifier, start))
    return found


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        ((9, 14, 19, 19), [2, 3, 9, 10]),
        ((9, 19, 14, 19), [2, 7, 4, 8]),
        ((19, 19, 14, 9), [13, 11, 3, None]),
        ((19,) * 7, [13, 11, 12, 7, 8, 9, 10]),
        ((9, 9), [2, 1]),
        ((9, 9, 19), [2, 1, None]),
        ((0,), [0]),
        ((5, 9), [1, 2]),
        ((5, 5), [1, None]),
        ((15, 15, 15, 15), [6, 5, 3, 4]),
        ((14, 14, 14, 14), [5, 3, 4, None]),
        ((20, 20), [13, None]),
    ],
)
def test_instances_go_where_they_fit(wanted: tuple[int, ...], ids: list[int | None]) -> None:
    assert cut(*wanted) == ids


def test_small_instances_that_come_first_keep_a_large_one_out() -> None:
    assert None not in cut(9, 14, 19, 19)
    assert cut(19, 19, 14, 9)[-1] is None


def test_room_counts_what_still_fits() -> None:
    empty = [placement.room(H100, [], kind) for kind in profiles(H100)]
    assert empty == [7, 1, 4, 3, 2, 1, 1]
    taken = [GpuInstance(2, 9, 4)]
    assert [placement.room(H100, taken, kind) for kind in profiles(H100)] == [4, 1, 2, 2, 1, 1, 0]


def test_a_wanted_start_is_taken_or_nothing() -> None:
    kind = profile(H100, 19)
    assert placement.find_start(H100, [], kind, 3) == 3
    assert placement.find_start(H100, [GpuInstance(10, 19, 3)], kind, 3) is None


@pytest.mark.parametrize("board", sorted(PROFILES))
def test_every_board_has_seven_kinds_and_their_sum_fits(board: str) -> None:
    product = replace(H100, name=board)
    kinds = profiles(product)
    assert [kind.id for kind in kinds] == [19, 20, 15, 14, 9, 5, 0]
    assert [kind.total for kind in kinds] == [7, 1, 4, 3, 2, 1, 1]
    assert len(cut(*[19] * 7, product=product)) == 7
    whole = profile(product, 0)
    assert all(kind.memory < whole.memory and kind.multiprocessors < whole.multiprocessors for kind in kinds[:-1])


def test_profiles_are_named_by_id_or_name() -> None:
    assert named(H100, "9") == named(H100, "3g.40gb") == named(H100, " MIG 3g.40gb") == profile(H100, 9)
    assert named(H100, "8") is None and named(H100, "3g.20gb") is None
    assert profiles(replace(H100, name="NVIDIA L40S")) == ()


def test_a_gpu_instance_is_cut_into_compute_instances() -> None:
    within = profile(H100, 9)
    kinds = compute_profiles(H100, within)
    assert [(kind.id, kind.name, kind.total) for kind in kinds] == [
        (0, "1c.3g.40gb", 3),
        (1, "2c.3g.40gb", 1),
        (2, "3g.40gb", 1),
    ]
    assert compute_named(H100, within, "") == kinds[-1]
    assert compute_named(H100, within, "MIG 1c.3g.40gb") == kinds[0] and compute_named(H100, within, "4") is None
    half = GpuInstance(2, 9, 4, (ComputeInstance(0, 1, 0),))
    assert [placement.compute_room(H100, half, within, kind) for kind in kinds] == [1, 0, 0]
    assert placement.find_compute_start(H100, half, within, kinds[0]) == 2
